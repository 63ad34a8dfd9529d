import HTTP
import WalletProtocol

/// Which service answers a path: a tree of the catalogue's templates, built once.
///
/// A resource moves to another service by one word of its endpoint.
final class RouteTable {
    private final class Node {
        /// A few at each place, so that looking at each beats hashing.
        private(set) var literals: [(name: [UInt8], node: Node)] = []
        var parameter: Node?
        var service: ServiceName?
        /// Methods that another service has: a wallet's members are the ledger's, and asking them
        /// to come is the groups'.
        var others: [(method: String, service: ServiceName)] = []

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

    init(_ endpoints: [EndpointDescription]) {
        for endpoint in endpoints {
            var node = root
            for segment in endpoint.path.segments {
                switch segment {
                case .literal(let text):
                    node = node.addLiteral(Array(text.utf8))
                case .parameter:
                    let next = node.parameter ?? Node()
                    node.parameter = next
                    node = next
                }
            }
            if let service = node.service, service != endpoint.service {
                node.others.append((endpoint.method.rawValue, endpoint.service))
            } else {
                node.service = endpoint.service
            }
        }
    }

    /// The service of a call, or nil where nobody has its path.
    ///
    /// A method that nobody has goes to whoever has the path's first.
    func service(for method: HTTPMethod, _ path: ArraySlice<UInt8>) -> ServiceName? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        guard let node = find(root, path.span.extracting(droppingFirst: 1)) else { return nil }
        if node.others.isEmpty { return node.service }
        return node.others.first { $0.method == method.text.description }?.service ?? node.service
    }

    private func find(_ node: Node, _ rest: Span<UInt8>) -> Node? {
        if rest.isEmpty { return node.service == nil ? nil : node }
        var end = 0
        while end < rest.count, rest[end] != UInt8(ascii: "/") { end += 1 }
        let segment = rest.extracting(first: end)
        let after = rest.extracting(droppingFirst: min(end + 1, rest.count))
        if end < rest.count, after.isEmpty { return nil }
        if let next = node.literal(segment), let found = find(next, after) { return found }
        guard !segment.isEmpty, let next = node.parameter else { return nil }
        return find(next, after)
    }
}
