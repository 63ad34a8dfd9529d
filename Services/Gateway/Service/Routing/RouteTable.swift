import HTTP
import WalletProtocol

/// Where the calls of one method and template go, and what they may bring.
final class Route {
    let service: ServiceName
    /// The path's template.
    let template: String
    /// The largest body in bytes.
    let bodyLimit: Int
    /// Whether nobody is served who is not signed in.
    let needsUser: Bool
    /// The replicas; nil where the suite has none of that service.
    let upstream: UpstreamService?
    fileprivate let method: String

    fileprivate init(_ endpoint: EndpointDescription, _ upstream: UpstreamService?) {
        service = endpoint.service
        template = endpoint.path.text
        bodyLimit = endpoint.bodyLimit
        needsUser =
            switch endpoint.right {
            case .user, .signedIn, .role: true
            case .anyone, .internalAnyone, .internalUser, .internalService: false
            }
        method = endpoint.method.rawValue
        self.upstream = upstream
    }
}

/// Which service answers a call: the catalogue's templates, as a tree built once.
///
/// A resource moves to another service by one word of its endpoint, and one path may be several
/// services': a wallet's members are the ledger's, and asking them to come is the groups'.
final class RouteTable {
    /// What is served at one place of the tree.
    private final class Place {
        /// By the method's number.
        private(set) var routes = [Route?](repeating: nil, count: HTTPMethod.allCases.count)
        /// What `Allow` says.
        private(set) var allowed = ""

        func add(_ route: Route) {
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

    private let tree = PathTree()
    private var places: [Place] = []

    init(_ endpoints: [EndpointDescription], to services: [ServiceName: UpstreamService] = [:]) {
        for endpoint in endpoints {
            let place = tree.add(endpoint.path)
            if place == places.count { places.append(Place()) }
            places[place].add(Route(endpoint, services[endpoint.service]))
        }
    }

    /// Method and template of a call, as lines of the log name it.
    func label(_ method: HTTPMethod, _ path: ArraySlice<UInt8>) -> String {
        let name = method.text.description
        if case .route(let route) = match(method, path) { return "\(name) \(route.template)" }
        return "\(name) unrouted"
    }

    /// Whose call it is.
    func match(_ method: HTTPMethod, _ path: ArraySlice<UInt8>) -> Match {
        guard let place = tree.place(of: path.span) else { return .none }
        guard let route = places[place].routes[Int(method.rawValue)] else {
            return .wrongMethod(allowed: places[place].allowed)
        }
        return .route(route)
    }
}
