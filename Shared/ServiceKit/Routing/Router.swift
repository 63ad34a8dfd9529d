internal import HTTP
public import WalletProtocol

/// Routes of one loop, added once.
public final class Router {
    /// One endpoint, its types erased.
    struct Route {
        let description: EndpointDescription
        let template: PathTemplate
        let metrics: RouteMetrics
        let run: (Exchange) async throws -> HTTPResponse
    }

    private let tree = PathTree()
    /// What is served at each place of the tree.
    private var places: [[(method: Method, route: Route)]] = []
    private let metrics: Metrics
    private let shares: ReadShares
    /// What has been added, for the OpenAPI document.
    public private(set) var endpoints: [EndpointDescription] = []

    /// A router without routes.
    public init(metrics: Metrics) {
        self.metrics = metrics
        shares = ReadShares(metrics: metrics)
    }

    /// Adds an endpoint.
    public func add<Some: Handler>(_ handler: Some) {
        add(handler, as: Some.endpoint.erased)
    }

    /// Adds a read that costs more the more a group or a person has: of one group and of one person
    /// few run at once (`ReadShares`).
    public func add<Some: Handler>(heavy handler: Some) {
        // Cannot fire: endpoints are constants, added at start.
        precondition(Some.endpoint.method == .get, "a write is not shared as a read")
        add(handler, as: Some.endpoint.erased, sharing: shares)
    }

    /// Adds a handler under another description of the same types (one path a service).
    func add<Some: Handler>(
        _ handler: Some,
        as description: EndpointDescription,
        sharing shares: ReadShares? = nil
    ) {
        endpoints.append(description)
        let place = tree.add(description.path)
        if place == places.count { places.append([]) }
        // Cannot fire: endpoints are constants, added at start.
        precondition(
            !places[place].contains { $0.method == description.method },
            "\(description.method) \(description.path.text) twice"
        )
        let route = Route(
            description: description,
            template: description.path,
            metrics: RouteMetrics(description, in: metrics)
        ) { exchange in try await exchange.run(handler, sharing: shares) }
        places[place].append((description.method, route))
    }

    enum Match {
        case route(Route, PathParameters)
        case wrongMethod(allowed: [Method])
        case none
    }

    func match(_ method: HTTPMethod, _ path: ArraySlice<UInt8>) -> Match {
        guard let (place, parameters) = tree.find(path.span) else { return .none }
        let wanted: Method? =
            switch method {
            case .get, .head: .get
            case .post: .post
            case .put: .put
            case .patch: .patch
            case .delete: .delete
            default: nil
            }
        let served = places[place]
        let found = served.first { $0.method == wanted } ?? served[0]
        // What cannot be read names nothing, whatever is to be done with it.
        guard let values = found.route.template.parameters(at: parameters, of: path) else {
            return .none
        }
        guard found.method == wanted else { return .wrongMethod(allowed: served.map(\.method)) }
        return .route(found.route, values)
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
