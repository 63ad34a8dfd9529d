/// Which of some templates a path is of, found in one walk over its segments.
///
/// A literal goes before a parameter, with a way back where it leads nowhere. A place is what
/// templates share that differ by their parameters' names alone; places are counted from 0. Filled
/// once, and then only asked.
public final class PathTree {
    private final class Node {
        /// A few at each place, so that looking at each beats hashing.
        private(set) var literals: [(name: [UInt8], node: Node)] = []
        var parameter: Node?
        var place: Int?

        func literal(_ segment: Span<UInt8>) -> Node? {
            for (name, node) in literals where name.count == segment.count {
                var index = 0
                while index < name.count, name[index] == segment[index] { index += 1 }
                if index == name.count { return node }
            }
            return nil
        }

        func addLiteral(_ name: [UInt8]) -> Node {
            if let known = literal(name.span) { return known }
            let fresh = Node()
            literals.append((name, fresh))
            return fresh
        }
    }

    private let root = Node()
    private var count = 0

    /// One without places.
    public init() {}

    /// The place of a template, made where it is the first there.
    public func add(_ template: PathTemplate) -> Int {
        var node = root
        for segment in template.segments {
            switch segment {
            case .literal(let text):
                node = node.addLiteral(Array(text.utf8))
            case .parameter:
                let next = node.parameter ?? Node()
                node.parameter = next
                node = next
            }
        }
        if let place = node.place { return place }
        node.place = count
        count += 1
        return count - 1
    }

    /// The place of a path without its query.
    public func place(of path: Span<UInt8>) -> Int? {
        var nowhere: [Range<Int>]?
        return find(path, &nowhere)
    }

    /// The same, and where the parameters of its templates stand in the path, in their order.
    public func find(_ path: Span<UInt8>) -> (place: Int, parameters: [Range<Int>])? {
        var parameters: [Range<Int>]? = []
        guard let place = find(path, &parameters) else { return nil }
        return (place, parameters?.reversed() ?? [])
    }

    private func find(_ path: Span<UInt8>, _ parameters: inout [Range<Int>]?) -> Int? {
        guard !path.isEmpty, path[0] == UInt8(ascii: "/") else { return nil }
        return find(root, path, from: 1, &parameters)
    }

    /// The parameters are told from the last to the first, on the way back from the end.
    private func find(
        _ node: Node,
        _ path: Span<UInt8>,
        from start: Int,
        _ parameters: inout [Range<Int>]?
    ) -> Int? {
        if start == path.count { return node.place }
        var end = start
        while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
        let next = end < path.count ? end + 1 : end
        // A slash at the end has nothing behind it.
        if end < path.count, next == path.count { return nil }
        if let literal = node.literal(path.extracting(start..<end)),
            let place = find(literal, path, from: next, &parameters)
        {
            return place
        }
        guard end > start, let parameter = node.parameter,
            let place = find(parameter, path, from: next, &parameters)
        else { return nil }
        parameters?.append(start..<end)
        return place
    }
}
