internal import HTTP
public import WalletProtocol

/// Routes of one loop: a tree of path segments, built once.
public final class Router {
    final class Node {
        var literals: [Substring: Node] = [:]
        var parameter: Node?
        var routes: [(method: Method, route: Route)] = []
    }

    /// One endpoint, its types erased.
    struct Route {
        let description: EndpointDescription
        let template: PathTemplate
        let metrics: RouteMetrics
        let run: (Exchange) async throws -> HTTPResponse
    }

    private let root = Node()
    /// The places of paths without parameters, by the whole path: found without a walk.
    private var plain: [String: Node] = [:]
    private let metrics: Metrics
    /// What has been added, for the OpenAPI document.
    public private(set) var endpoints: [EndpointDescription] = []

    /// A router without routes.
    public init(metrics: Metrics) { self.metrics = metrics }

    /// Adds an endpoint.
    public func add<Some: Handler>(_ handler: Some) {
        add(handler, as: Some.endpoint.erased)
    }

    /// Adds a handler under another description of the same types (one path a service).
    func add<Some: Handler>(_ handler: Some, as description: EndpointDescription) {
        endpoints.append(description)
        var node = root
        var isPlain = true
        for segment in description.path.segments {
            switch segment {
            case .literal(let text):
                let next = node.literals[Substring(text)] ?? Node()
                node.literals[Substring(text)] = next
                node = next
            case .parameter:
                isPlain = false
                let next = node.parameter ?? Node()
                node.parameter = next
                node = next
            }
        }
        // Cannot fire: endpoints are constants, added at start.
        precondition(
            !node.routes.contains { $0.method == description.method },
            "\(description.method) \(description.path.text) twice"
        )
        let route = Route(
            description: description,
            template: description.path,
            metrics: RouteMetrics(description, in: metrics)
        ) { exchange in try await exchange.run(handler) }
        node.routes.append((description.method, route))
        if isPlain { plain[description.path.text] = node }
    }

    enum Match {
        case route(Route, PathParameters, isHead: Bool)
        case wrongMethod(allowed: [Method])
        case none
    }

    func match(_ method: HTTPMethod, _ path: String) -> Match {
        guard path.utf8.first == UInt8(ascii: "/") else { return .none }
        let known = plain[path]
        guard let node = known ?? find(root, path.dropFirst()), !node.routes.isEmpty else {
            return .none
        }
        let wanted: Method? =
            switch method {
            case .get, .head: .get
            case .post: .post
            case .put: .put
            case .patch: .patch
            case .delete: .delete
            default: nil
            }
        let found = node.routes.first { $0.method == wanted } ?? node.routes[0]
        let parameters = known == nil ? found.route.template.match(path) : PathParameters([])
        // What cannot be read names nothing, whatever is to be done with it.
        guard let parameters else { return .none }
        guard found.method == wanted else {
            return .wrongMethod(allowed: node.routes.map(\.method))
        }
        return .route(found.route, parameters, isHead: method == .head)
    }

    /// A literal before a parameter, with a way back where the literal leads nowhere.
    private func find(_ node: Node, _ rest: Substring) -> Node? {
        if rest.isEmpty { return node }
        let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let segment = rest[..<end]
        let after = end == rest.endIndex ? rest[end...] : rest[rest.utf8.index(after: end)...]
        if end != rest.endIndex, after.isEmpty { return nil }
        if let next = node.literals[segment], let found = find(next, after) { return found }
        guard !segment.isEmpty, let next = node.parameter else { return nil }
        return find(next, after)
    }
}

/// Rate, errors and duration of one route.
final class RouteMetrics: Sendable {
    private let duration: DurationHistogram
    private let classes: [MetricValue]

    init(_ description: EndpointDescription, in metrics: Metrics) {
        let labels = "method=\"\(description.method.rawValue)\",route=\"\(description.path.text)\""
        duration = metrics.histogram(
            "ezwallet_request_duration_seconds",
            "How long requests took.",
            labels: labels
        )
        classes = (1...5).map { digit in
            metrics.counter(
                "ezwallet_requests_total",
                "Requests answered, by class of status.",
                labels: labels + ",status=\"\(digit)xx\""
            )
        }
    }

    func count(status: Int, nanoseconds: UInt64) {
        classes[min(4, max(0, status / 100 - 1))].add()
        duration.observe(nanoseconds: nanoseconds)
    }
}
