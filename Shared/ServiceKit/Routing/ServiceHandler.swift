public import HTTP
public import Loops
internal import Postgres
public import WalletProtocol

/// The stack around every endpoint of a service, outermost first.
///
///     request id and trace ─▶ deadline ─▶ route ─▶ identity ─▶ right ─▶ query, body, key
///         ─▶ handler ─▶ answer or problem ─▶ metrics
final class ServiceHandler: HTTPHandler {
    private let router: Router
    private let identity: Identity
    private let security: SecurityLog
    private let logger: Logger
    private let requestNanoseconds: UInt64
    private let unrouted: MetricValue
    private let readiness: ServiceReadiness

    init(
        router: Router,
        identity: Identity,
        security: SecurityLog,
        logger: Logger,
        metrics: Metrics,
        readiness: ServiceReadiness,
        requestNanoseconds: UInt64
    ) {
        self.router = router
        self.identity = identity
        self.security = security
        self.logger = logger
        self.readiness = readiness
        self.requestNanoseconds = requestNanoseconds
        unrouted = metrics.counter(
            "ezwallet_requests_unrouted_total",
            "Requests that no route takes."
        )
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let context = self.context(of: request)
        request.setDeadline(context.deadline)
        var response = await RequestContext.with(context) {
            await answer(request, context)
        }
        response.headers.append(.xRequestID, context.requestID)
        return response
    }

    private func context(of request: HTTPRequest) -> RequestContext {
        let head = request.head
        // Cannot wrap: 300 s at most, by the variable's range; 32 bits of milliseconds are 50 days.
        var deadline = request.receivedAt &+ requestNanoseconds
        if let text = head.text(.xRequestDeadline), let milliseconds = UInt32(text) {
            deadline = min(deadline, request.receivedAt &+ UInt64(milliseconds) &* 1_000_000)
        }
        let requestID = head.requestID ?? PlainRandom.requestID()
        let trace = head.value(.traceparent).flatMap { TraceParent($0) }?.child() ?? .new()
        return RequestContext(
            deadline: deadline,
            requestID: requestID,
            traceparent: trace.text,
            hops: head.text(.xEZWalletHops).flatMap { Int($0) } ?? 0
        )
    }

    private func answer(_ request: HTTPRequest, _ context: RequestContext) async -> HTTPResponse {
        switch router.match(request.head.method, request.head.path) {
        case .route(let route, let parameters):
            let exchange = Exchange(
                http: request,
                path: parameters,
                route: route.description,
                identity: identity,
                clientAddress: await identity.clientAddress(of: request)
            )
            var response: HTTPResponse
            do {
                response = try await route.run(exchange)
            } catch {
                response = await problem(error, exchange, context)
            }
            route.metrics.count(
                status: response.status,
                // Cannot wrap: the clock never goes back.
                nanoseconds: monotonicNanoseconds() &- request.receivedAt
            )
            return response
        case .wrongMethod(let allowed):
            var names = allowed.map(\.rawValue)
            if names.contains("GET") { names.append("HEAD") }
            names.append("OPTIONS")
            var response =
                request.head.method == .options
                ? HTTPResponse(status: 204) : renderProblem(APIError(.methodNotAllowed), context)
            response.headers.append("allow", names.joined(separator: ", "))
            return response
        case .none:
            // What the gateway's balancer asks; from outside the path never gets here.
            if request.head.path.elementsEqual("/internal/ready".utf8) {
                return readiness.response()
            }
            unrouted.add()
            return renderProblem(.notFound, context)
        }
    }

    /// Turns whatever was thrown into the one answer that the world sees.
    private func problem(
        _ error: any Error,
        _ exchange: Exchange,
        _ context: RequestContext
    ) async -> HTTPResponse {
        let published = apiError(error)
        if published.code.status >= 500 {
            logger.error(
                "request failed",
                [("route", exchange.route.path.text), ("cause", String(describing: error))]
            )
        } else if let event = SecurityEvent(published) {
            // No token is verified twice: a flood of bad ones costs no more than it must.
            let sender =
                event == .unauthenticated ? .nobody : await identity.sender(of: exchange.http)
            let facts = SecurityLog.Facts(
                route: exchange.route.label,
                sender: sender,
                address: exchange.clientAddress
            )
            security.note(event, published, facts)
        }
        return renderProblem(published, context)
    }

    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
        let refused = framingRefusal(error)
        security.noteUnreadable(refused, from: peer)
        return renderProblem(refused, nil)
    }
}

/// The refusal of bytes that are no HTTP as it should be.
public func framingRefusal(_ error: FramingError) -> APIError {
    switch error {
    case .headTimeout: APIError(.requestTimeout)
    case .bodyTooLarge: APIError(.bodyTooLarge)
    case .targetTooLong: APIError(.uriTooLong)
    case .headTooLarge, .tooManyFields: APIError(.headersTooLarge)
    case .badExpectation: APIError(.expectationFailed)
    case .badVersion: APIError(.versionNotSupported)
    case .badRequestLine: APIError(.invalidRequest, "the request line is malformed")
    case .badStatusLine: APIError(.invalidRequest)
    case .badTarget: APIError(.invalidRequest, "the request's target is malformed")
    case .badFieldName: APIError(.invalidRequest, "a header's name is malformed")
    case .badFieldValue: APIError(.invalidRequest, "a header's value is malformed")
    case .bareLineFeed: APIError(.invalidRequest, "each line has to end in CR LF")
    case .badHost: APIError(.invalidRequest, "one well-formed Host is needed")
    case .badContentLength: APIError(.invalidRequest, "the Content-Length is malformed")
    case .badTransferEncoding:
        APIError(.invalidRequest, "a body comes with one length or in chunks, not otherwise")
    case .badChunk: APIError(.invalidRequest, "the body's chunks are malformed")
    }
}

/// The cause of a 503 of a replica that cannot reach its database, or cannot check rights.
///
/// The gateway counts only these 503s against the replica.
let unfitReplica = "unfit-replica"

/// What the world is told of an error: the database away or without room is 503, the deadline 504,
/// else 500.
public func apiError(_ error: any Error) -> APIError {
    switch error {
    case let error as APIError: return error
    case let error as DatabaseError:
        switch error {
        // Busy, and not ill.
        case .unavailable(.queueFull): return APIError(.unavailable, retryAfterSeconds: 1)
        case .unavailable, .connectionLost:
            return APIError(.unavailable, retryAfterSeconds: 1).caused(by: unfitReplica)
        case .deadline, .cancelled: return APIError(.gatewayTimeout)
        default:
            // A token of somebody who is erased may count for two more seconds.
            if error.violatedConstraint == ErasedUsers.constraint {
                return APIError(.unauthenticated)
            }
            return error.isRetryable || error.isServerTrouble
                ? APIError(.unavailable, retryAfterSeconds: 1) : APIError(.internalError)
        }
    case is CancellationError: return APIError(.gatewayTimeout)
    case is BlockingPoolFull: return APIError(.unavailable, retryAfterSeconds: 1)
    default: return APIError(.internalError)
    }
}

/// A problem as an answer (RFC 9457).
///
/// Without a context (nothing could be read) it has a trace of its own, to be asked about.
public func renderProblem(_ error: APIError, _ context: RequestContext?) -> HTTPResponse {
    let trace = context?.traceparent.flatMap { TraceParent($0) } ?? .new()
    var headers = HeaderBlock()
    headers.append(.contentType, Problem.mediaType)
    headers.append(.cacheControl, Caching.none.directive)
    headers.append("content-security-policy", ContentPolicy.json)
    if let seconds = error.retryAfterSeconds { headers.append(.retryAfter, seconds) }
    if error.cause == unfitReplica { headers.append(.xEZWalletUnfit, "1") }
    if error.code.status == 401 { headers.append(.wwwAuthenticate, "Bearer") }
    return HTTPResponse(
        status: error.code.status,
        headers: headers,
        body: .bytes(JSON.write(Problem(error, traceID: trace.traceID)))
    )
}
