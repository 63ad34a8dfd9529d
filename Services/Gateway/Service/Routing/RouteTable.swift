import WalletProtocol

/// Which service answers a path: a tree of the catalogue's templates, built once.
///
/// A resource moves to another service by one word of its endpoint.
final class RouteTable {
    private final class Node {
        var literals: [[UInt8]: Node] = [:]
        var parameter: Node?
        var service: ServiceName?
    }
    private let root = Node()

    init(_ endpoints: [EndpointDescription]) {
        for endpoint in endpoints {
            var node = root
            for segment in endpoint.path.segments {
                switch segment {
                case .literal(let text):
                    let bytes = Array(text.utf8)
                    let next = node.literals[bytes] ?? Node()
                    node.literals[bytes] = next
                    node = next
                case .parameter:
                    let next = node.parameter ?? Node()
                    node.parameter = next
                    node = next
                }
            }
            precondition(
                node.service == nil || node.service == endpoint.service,
                "\(endpoint.path.text) belongs to two services"
            )
            node.service = endpoint.service
        }
    }

    /// The service of a path, or nil where nobody has it.
    func service(for path: ArraySlice<UInt8>) -> ServiceName? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        return find(root, path.dropFirst())
    }

    private func find(_ node: Node, _ rest: ArraySlice<UInt8>) -> ServiceName? {
        if rest.isEmpty { return node.service }
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let segment = rest[rest.startIndex..<end]
        let after = end == rest.endIndex ? rest[end...] : rest[(end + 1)...]
        if end != rest.endIndex, after.isEmpty { return nil }
        if let next = node.literals[Array(segment)], let service = find(next, after) {
            return service
        }
        guard !segment.isEmpty, let next = node.parameter else { return nil }
        return find(next, after)
    }
}
