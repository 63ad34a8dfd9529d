import HTTP
import WalletProtocol

/// Where the calls of one method and template go, and what they may bring.
final class Route {
    let service: ServiceName
    /// The path's template.
    let template: String
    /// The largest body in bytes.
    let bodyLimit: Int
    /// The replicas; nil where the suite has none of that service.
    let upstream: UpstreamService?
    fileprivate let method: String

    fileprivate init(_ endpoint: EndpointDescription, _ upstream: UpstreamService?) {
        service = endpoint.service
        template = endpoint.path.text
        bodyLimit = endpoint.bodyLimit
        method = endpoint.method.rawValue
        self.upstream = upstream
    }
}

/// Which service answers a call: a tree of the catalogue's templates, built once.
///
/// A resource moves to another service by one word of its endpoint, and one path may be several
/// services': a wallet's members are the ledger's, and asking them to come is the groups'.
final class RouteTable {
    private final class Node {
        /// A few at each place, so that looking at each beats hashing.
        private(set) var literals: [(name: [UInt8], node: Node)] = []
        var parameter: Node?
        /// By the method's number.
        private(set) var routes: [Route?] = []
        /// What `Allow` says.
        private(set) var allowed = ""

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

        func add(_ route: Route) {
            if routes.isEmpty { routes = Array(repeating: nil, count: HTTPMethod.allCases.count) }
            for method in HTTPMethod.allCases where method.text.description == route.method {
                routes[Int(method.rawValue)] = route
                // A HEAD is answered by whoever answers the GET.
                if method == .get { routes[Int(HTTPMethod.head.rawValue)] = route }
            }
            let served = HTTPMethod.allCases.filter { routes[Int($0.rawValue)] != nil }
            allowed = (served + [.options]).map(\.text.description).joined(separator: ", ")
        }
    }

    /// What a table says of a call.
    enum Match {
        case route(Route)
        /// The path is somebody's, but not with this method.
        case wrongMethod(allowed: String)
        case none
    }

    private let root = Node()

    init(_ endpoints: [EndpointDescription], to services: [ServiceName: UpstreamService] = [:]) {
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
            node.add(Route(endpoint, services[endpoint.service]))
        }
    }

    /// Whose call it is.
    func match(_ method: HTTPMethod, _ path: ArraySlice<UInt8>) -> Match {
        guard path.first == UInt8(ascii: "/"),
            let node = find(root, path.span.extracting(droppingFirst: 1))
        else { return .none }
        guard let route = node.routes[Int(method.rawValue)] else {
            return .wrongMethod(allowed: node.allowed)
        }
        return .route(route)
    }

    private func find(_ node: Node, _ rest: Span<UInt8>) -> Node? {
        if rest.isEmpty { return node.routes.isEmpty ? nil : node }
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
