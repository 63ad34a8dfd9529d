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
///     limits ─▶ route ─▶ head rebuilt ─▶ deadline ─▶ replica (and another, once) ─▶ answer
///
/// Every message is made anew from parsed parts: no byte of a client's framing reaches a service.
final class ProxyHandler: HTTPHandler {
    /// A body up to this is read whole before a replica is chosen, so that it can be sent again.
    static let bufferedBytesMax = 65_536
    /// An answer up to this goes out in one piece with its head.
    static let answerBufferedMax = 262_144
    static let bodyBytesMax = StreamedBody.bytesMax
    static let hopsMax = 4

    private let side: Side
    private let table: RouteTable
    private let services: [ServiceName: UpstreamService]
    private let requestNanoseconds: UInt64
    private let limiter: SharedRateLimiter?
    private let document: SuiteDescription
    private let ownToken: GatewayToken

    init(
        side: Side,
        table: RouteTable,
        services: [ServiceName: UpstreamService],
        requestNanoseconds: UInt64,
        limiter: SharedRateLimiter?,
        document: SuiteDescription,
        ownToken: GatewayToken
    ) {
        self.side = side
        self.table = table
        self.services = services
        self.requestNanoseconds = requestNanoseconds
        self.document = document
        self.ownToken = ownToken
        self.limiter = side == .outside ? limiter : nil
    }

    func refusal(_ error: FramingError) -> HTTPResponse { secured(framingRefusal(error)) }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let call = ProxyCall(request, side: side, requestNanoseconds: requestNanoseconds)
        let decision = limiter?.take(request.peer.network, now: request.receivedAt)
        var response: HTTPResponse
        switch route(request, call, decision) {
        case .answer(let own): response = own
        case .forward(let service): response = await forward(request, call, to: service)
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
            response.headers.append(Self.security)
        }
    }

    /// What every answer to the outside says.
    private static let security = {
        var block = HeaderBlock()
        block.append("strict-transport-security", "max-age=31536000; includeSubDomains")
        block.append("x-content-type-options", "nosniff")
        return block
    }()

    private func secured(_ response: HTTPResponse) -> HTTPResponse {
        guard side == .outside else { return response }
        var response = response
        response.headers.append(Self.security)
        return response
    }

    private enum Route {
        case answer(HTTPResponse)
        case forward(UpstreamService)
    }

    /// Whose request it is; or what we answer ourselves.
    @inline(never)
    private func route(
        _ request: HTTPRequest,
        _ call: ProxyCall,
        _ decision: RateLimiter<UInt64>.Decision?
    ) -> Route {
        if let decision, !decision.isAllowed {
            let error = APIError(.tooManyRequests, retryAfterSeconds: decision.resetSeconds)
            return .answer(renderProblem(error, call.context))
        }
        request.setDeadline(call.deadline)
        guard let hops = call.hops else {
            let error = APIError(.invalidRequest, "X-EZWallet-Hops is no number of hops")
            return .answer(renderProblem(error, call.context))
        }
        guard hops <= Self.hopsMax else {
            return .answer(renderProblem(APIError(.badGateway, "too many hops"), call.context))
        }
        guard let name = table.service(for: request.head.method, request.head.path) else {
            return .answer(renderProblem(.notFound, call.context))
        }
        if name == .gateway { return .answer(documentResponse(request)) }
        guard let service = services[name], !service.upstreams.isEmpty else {
            let error = APIError(.unavailable, retryAfterSeconds: 5)
            return .answer(renderProblem(error, call.context))
        }
        return .forward(service)
    }

    private func documentResponse(_ request: HTTPRequest) -> HTTPResponse {
        guard request.head.method == .get || request.head.method == .head else {
            return renderProblem(APIError(.methodNotAllowed), nil)
        }
        var headers = HeaderBlock()
        headers.append(.contentType, "application/json")
        headers.append(.cacheControl, "public, max-age=300")
        return HTTPResponse(status: 200, headers: headers, body: .bytes(document.bytes))
    }

    private func readBody(_ request: HTTPRequest) async throws(BodyError) -> ClientRequest.Body {
        guard let length = request.bodyLength else {
            // A few chunks are gathered: the service is told a length, and can be asked again. More
            // are passed on as they come: who sends them is for the service to know.
            let gathered = StreamedBody(request)
            if try await gathered.gather(max: Self.bufferedBytesMax) {
                return .bytes(gathered.bytes)
            }
            return .stream(length: nil) { try await gathered.next() }
        }
        guard length <= Self.bodyBytesMax else { throw .tooLarge }
        if length <= Self.bufferedBytesMax {
            return .bytes(try await request.body(max: length))
        }
        return .stream(length: length) { try await request.nextBodyPart() }
    }

    private func bodyProblem(_ error: BodyError) -> APIError {
        switch error {
        case .tooLarge: APIError(.bodyTooLarge)
        case .framing: APIError(.invalidRequest, "the body's framing is malformed")
        case .connection: APIError(.requestTimeout)
        }
    }

    // MARK: Forwarding

    private func forward(
        _ request: HTTPRequest,
        _ call: ProxyCall,
        to service: UpstreamService
    ) async -> HTTPResponse {
        var body = ClientRequest.Body.none
        if request.bodyLength != 0 {
            do throws(BodyError) {
                body = try await readBody(request)
            } catch {
                return refusal(bodyProblem(error), call)
            }
        }
        service.retries.countRequest(now: request.loop.now)
        var excluded: Int?
        while let attempt = Attempt(at: service, excluding: excluded, now: request.loop.now) {
            do throws(HTTPClientError) {
                let exchange = try await attempt.upstream.send(
                    onward(request, call, body, to: attempt.upstream)
                ) { [ownToken] block in
                    call.appendFields(of: request, token: ownToken.token, to: &block)
                }
                // A replica that does not finish its answer has failed: each attempt ends once.
                if let response = renderAtOnce(exchange) {
                    attempt.succeeded(response.status, now: request.loop.now)
                    return response
                }
                let response = try await render(exchange, request)
                attempt.succeeded(response.status, now: request.loop.now)
                return response
            } catch {
                attempt.ended(error, now: request.loop.now)
                guard excluded == nil, retries(error, after: attempt, request, body) else {
                    return failure(of: service, error, call)
                }
                excluded = attempt.index
            }
        }
        return failure(of: service, .cannotConnect, call)
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
        ClientRequest(
            method: request.head.method,
            target: request.head.target,
            host: upstream.address,
            body: body,
            deadline: call.deadline
        )
    }

    @inline(never)
    private func refusal(_ error: APIError, _ call: ProxyCall) -> HTTPResponse {
        renderProblem(error, call.context)
    }

    @inline(never)
    private func failure(
        of service: UpstreamService,
        _ error: HTTPClientError,
        _ call: ProxyCall
    ) -> HTTPResponse {
        if case .source(let error) = error { return refusal(bodyProblem(error), call) }
        service.failed.add()
        return renderProblem(problem(error), call.context)
    }

    /// Whether another replica is to be asked.
    @inline(never)
    private func retries(
        _ error: HTTPClientError,
        after attempt: Attempt,
        _ request: HTTPRequest,
        _ body: ClientRequest.Body
    ) -> Bool {
        mayRepeat(error, request, body)
            && attempt.service.retries.takeRetry(now: request.loop.now)
    }

    /// Again only where nothing can have been done: nothing was sent, or the method is safe.
    private func mayRepeat(
        _ error: HTTPClientError,
        _ request: HTTPRequest,
        _ body: ClientRequest.Body
    ) -> Bool {
        switch error {
        // Not even a streamed body has been touched then.
        case .cannotConnect, .closed(afterSending: false): return true
        case .closed(afterSending: true), .tooManyStreams:
            if case .stream = body { return false }
            return request.head.method.isSafe
        case .tooManyWaiting, .deadline, .framing, .bodyTooLarge, .source: return false
        }
    }

    private func problem(_ error: HTTPClientError) -> APIError {
        switch error {
        case .cannotConnect, .tooManyWaiting: APIError(.unavailable, retryAfterSeconds: 1)
        case .tooManyStreams: APIError(.unavailable, retryAfterSeconds: 10)
        case .deadline: APIError(.gatewayTimeout)
        case .closed, .framing, .bodyTooLarge: APIError(.badGateway)
        case .source(let error): bodyProblem(error)
        }
    }

    /// The fields of the service's answer that go on.
    private func headers(of exchange: HTTPExchange) -> HeaderBlock {
        var headers = HeaderBlock()
        let side = self.side
        exchange.head.copyEndToEndFields(to: &headers) { field in
            switch field {
            case .date, .server, .connection: true
            // Ours is said once, from outside.
            case .xRequestID: side == .outside
            default: false
            }
        }
        return headers
    }

    /// The service's answer as ours, where all of it has come.
    @inline(never)
    private func renderAtOnce(_ exchange: HTTPExchange) -> HTTPResponse? {
        guard case .length = exchange.head.framing else { return nil }
        // Before the body: with its end the head is the connection's next answer's.
        let status = exchange.head.status
        let headers = headers(of: exchange)
        guard let bytes = exchange.bodyAtOnce(max: Self.answerBufferedMax) else { return nil }
        return HTTPResponse(status: status, headers: headers, body: .bytes(bytes))
    }

    /// Passes a long answer on as it comes; nil: it may be silent for as long as it likes.
    ///
    /// A file may take longer than a request may, to make and to be read; but from each part to the
    /// next no longer than that. What the client takes its time for is the server's to bound.
    private static func passOn(
        _ exchange: HTTPExchange,
        to writer: BodyWriter,
        within longest: UInt64?
    ) async throws {
        while true {
            exchange.setDeadline(longest.map { writer.loop.now &+ $0 } ?? .max)
            guard let part = try await exchange.nextBodyPart() else { return }
            exchange.setDeadline(.max)
            try await writer.write(part)
        }
    }

    /// The service's answer as ours: its end-to-end fields, its body whole or piece by piece.
    private func render(
        _ exchange: HTTPExchange,
        _ request: HTTPRequest
    ) async throws(HTTPClientError) -> HTTPResponse {
        let headers = headers(of: exchange)
        let status = exchange.head.status
        switch exchange.head.framing {
        case .none:
            var response = HTTPResponse(status: status, headers: headers)
            response.declaredLength = exchange.head.declaredLength
            _ = try await exchange.body(max: 0)
            return response
        case .length(let length) where length <= Self.answerBufferedMax:
            let bytes = try await exchange.body(max: length)
            return HTTPResponse(status: status, headers: headers, body: .bytes(bytes))
        case .length(let length):
            return HTTPResponse(
                status: status,
                headers: headers,
                body: .stream(length: length) { [requestNanoseconds] writer in
                    try await Self.passOn(exchange, to: writer, within: requestNanoseconds)
                }
            )
        case .chunked, .untilClose:
            let isEvents = exchange.head.text(.contentType)?.hasPrefix("text/event-stream") == true
            if isEvents {
                // An event stream lives until one side goes, however long that is: ordinary calls
                // do not wait for its connection.
                guard exchange.becomeStream() else { throw .tooManyStreams }
                request.setDeadline(.max)
                exchange.setDeadline(.max)
            }
            var response = HTTPResponse(
                status: status,
                headers: headers,
                body: .stream(length: nil) { [requestNanoseconds] writer in
                    let longest = isEvents ? nil : requestNanoseconds
                    try await Self.passOn(exchange, to: writer, within: longest)
                }
            )
            response.isEndless = isEvents
            return response
        }
    }
}
