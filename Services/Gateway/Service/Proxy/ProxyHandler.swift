import HTTP
import Loops
import ServiceKit
import WalletProtocol

/// Which of the gateway's listeners a request came in by.
enum Side: Sendable {
    /// Clients, from outside: nothing they say of themselves is believed.
    case outside
    /// Our services, calling each other.
    case inside
}

/// The gateway's stack, outermost first, for one loop and one listener.
///
///     limits ─▶ route ─▶ identity, where a body comes ─▶ head rebuilt ─▶ deadline
///         ─▶ replica (and another, once) ─▶ answer
///
/// Every message is made anew from parsed parts: no byte of a client's framing reaches a service.
final class ProxyHandler: HTTPHandler {
    /// A body up to this is read whole before a replica is chosen, so that it can be sent again.
    static let bufferedBytesMax = 65_536
    /// An answer up to this goes out in one piece with its head.
    static let answerBufferedMax = 262_144
    static let hopsMax = 4

    let side: Side
    let requestNanoseconds: UInt64
    let table: RouteTable
    private let limiter: SharedRateLimiter?
    private let document: SuiteDescription
    private let ownToken: GatewayToken
    /// Who clients are; nil: it is left to the services.
    var identity: Identity?
    let security: SecurityLog
    let securityFields: HeaderBlock

    init(
        side: Side,
        table: RouteTable,
        requestNanoseconds: UInt64,
        limiter: SharedRateLimiter?,
        document: SuiteDescription,
        ownToken: GatewayToken,
        security: SecurityLog,
        publicURL: String
    ) {
        self.side = side
        self.table = table
        self.requestNanoseconds = requestNanoseconds
        self.document = document
        self.ownToken = ownToken
        self.security = security
        securityFields = SecurityFields.block(publicURL: publicURL)
        self.limiter = side == .outside ? limiter : nil
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let call = ProxyCall(request, side: side, requestNanoseconds: requestNanoseconds)
        let decision = limiter?.take(request.peer.network, now: request.receivedAt)
        var response: HTTPResponse
        switch destination(of: request, call, decision) {
        case .answer(let own): response = own
        case .forward(let route, let service):
            if let error = await refusalBeforeBody(of: request, for: route) {
                response = refusal(error, request, call)
            } else {
                response = await forward(request, call, by: route, to: service)
            }
        }
        finish(&response, call, decision)
        return response
    }

    /// Adds what we say with every answer.
    @inline(never)
    private func finish(
        _ response: inout HTTPResponse,
        _ call: ProxyCall,
        _ decision: RateLimiter<UInt64>.Decision?
    ) {
        if let limiter, let decision {
            response.headers.append(
                .rateLimit,
                "\"address\";r=\(decision.remaining);t=\(decision.resetSeconds)"
            )
            response.headers.append(.rateLimitPolicy, limiter.policy)
        }
        if side == .outside {
            call.appendRequestID(to: &response.headers)
            response.headers.append(securityFields)
        }
    }

    private enum Destination {
        case answer(HTTPResponse)
        case forward(Route, UpstreamService)
    }

    /// Whose request it is; or what we answer ourselves.
    @inline(never)
    private func destination(
        of request: HTTPRequest,
        _ call: ProxyCall,
        _ decision: RateLimiter<UInt64>.Decision?
    ) -> Destination {
        if let decision, !decision.isAllowed {
            let error = APIError(.tooManyRequests, retryAfterSeconds: decision.resetSeconds)
            return .answer(refusal(error, request, call))
        }
        request.setDeadline(call.deadline)
        guard let hops = call.hops else {
            let error = APIError(.invalidHeader, "X-EZWallet-Hops: one number of hops is needed")
            return .answer(refusal(error, request, call))
        }
        guard hops <= Self.hopsMax else {
            let error = APIError(.badGateway, "the call has passed too many gateways")
            return .answer(refusal(error, request, call))
        }
        // RFC 9110, 15.6.2: nobody here knows the method, whatever the path.
        guard request.head.method != .other else {
            return .answer(refusal(APIError(.notImplemented), request, call))
        }
        switch table.match(request.head.method, request.head.path) {
        case .none: return .answer(refusal(.notFound, request, call))
        case .wrongMethod(let allowed): return .answer(methods(allowed, request, call))
        case .route(let route):
            if route.service == .gateway { return .answer(documentResponse()) }
            // Before a byte of it is asked for or read.
            if let length = request.bodyLength, length > route.bodyLimit {
                return .answer(refusal(tooLarge(route), request, call))
            }
            guard let service = route.upstream, !service.upstreams.isEmpty else {
                let error = APIError(.unavailable, retryAfterSeconds: 5)
                return .answer(refusal(error, request, call))
            }
            return .forward(route, service)
        }
    }

    /// The 401 of somebody who sends a body and is not signed in, though they have to be: before a
    /// byte of it is asked for or read.
    ///
    /// Where nobody here can say, the service decides.
    private func refusalBeforeBody(
        of request: HTTPRequest,
        for route: Route
    ) async -> APIError? {
        guard let identity, route.needsUser, request.bodyLength != 0 else { return nil }
        do throws(APIError) {
            _ = try await identity.client(of: request)
            return nil
        } catch {
            return error.code == .unauthenticated ? error : nil
        }
    }

    /// What the services of a path can do with it, all of them together.
    private func methods(
        _ allowed: String,
        _ request: HTTPRequest,
        _ call: ProxyCall
    ) -> HTTPResponse {
        var response =
            request.head.method == .options
            ? HTTPResponse(status: 204)
            : refusal(APIError(.methodNotAllowed, "this path takes \(allowed)"), request, call)
        response.headers.append("allow", allowed)
        return response
    }

    private func documentResponse() -> HTTPResponse {
        var headers = HeaderBlock()
        headers.append(.contentType, "application/json")
        headers.append(.cacheControl, OpenAPIDocument.endpoint.caching.directive)
        headers.append("content-security-policy", ContentPolicy.json)
        return HTTPResponse(status: 200, headers: headers, body: .bytes(document.bytes))
    }

    private func readBody(
        _ request: HTTPRequest,
        _ route: Route
    ) async throws(BodyError) -> ClientRequest.Body {
        guard let length = request.bodyLength else {
            // A few chunks are gathered: the service is told a length, and can be asked again. More
            // are passed on as they come: who sends them is for the service to know.
            let gathered = StreamedBody(request, bytesMax: route.bodyLimit)
            if try await gathered.gather(max: Self.bufferedBytesMax) {
                return .bytes(gathered.bytes)
            }
            return .stream(length: nil) { try await gathered.next() }
        }
        if length <= Self.bufferedBytesMax {
            return .bytes(try await request.body(max: length))
        }
        return .stream(length: length) { try await request.nextBodyPart() }
    }

    // MARK: Forwarding

    private func forward(
        _ request: HTTPRequest,
        _ call: ProxyCall,
        by route: Route,
        to service: UpstreamService
    ) async -> HTTPResponse {
        var body = ClientRequest.Body.none
        if request.bodyLength != 0 {
            do throws(BodyError) {
                body = try await readBody(request, route)
            } catch {
                return refusal(bodyProblem(error, route), request, call)
            }
        }
        var turn = Turn(request, route, service)
        while let attempt = turn.attempt(now: request.loop.now) {
            do throws(HTTPClientError) {
                let exchange = try await attempt.upstream.send(
                    onward(request, call, body, to: attempt.upstream)
                ) { [ownToken] block in
                    call.appendFields(of: request, token: ownToken.token, to: &block)
                }
                // A replica that does not finish its answer has failed: each attempt ends once.
                // Read before the body: with its end the head is the connection's next answer's.
                let isUnfit = exchange.head.value(.xEZWalletUnfit) != nil
                if let response = renderAtOnce(exchange) {
                    attempt.answered(response.status, isUnfit: isUnfit, now: request.loop.now)
                    return response
                }
                let response = try await render(exchange, request)
                attempt.answered(response.status, isUnfit: isUnfit, now: request.loop.now)
                return response
            } catch {
                attempt.ended(error, now: request.loop.now)
                guard turn.goesOn(after: error, at: attempt, body, now: request.loop.now) else {
                    return refusal(failure(of: route, service, error), request, call)
                }
            }
        }
        return refusal(failure(of: route, service, .cannotConnect), request, call)
    }

    // What does not wait is kept out of the async functions: whatever is inlined there lies in
    // their frames, which wait in memory with each request.

    @inline(never)
    private func onward(
        _ request: HTTPRequest,
        _ call: ProxyCall,
        _ body: ClientRequest.Body,
        to upstream: Upstream
    ) -> ClientRequest {
        var onward = ClientRequest(
            method: request.head.method,
            target: request.head.target,
            host: upstream.address,
            body: body,
            deadline: call.deadline
        )
        // An answer that comes before the body's end is passed on while the rest still comes.
        if case .stream = body { onward.stopBody = { request.stopBody() } }
        return onward
    }
}
