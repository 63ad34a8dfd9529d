import HTTP
import ServiceKit
import WalletProtocol

/// The gateway's own refusals: each is a problem for the client, and some a line for operators.
extension ProxyHandler {
    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
        let refused = framingRefusal(error)
        security.noteUnreadable(refused, from: peer)
        return secured(renderProblem(refused, nil))
    }

    func handshakeFailed(_ error: TransportError) { security.noteHandshake(error) }

    func secured(_ response: HTTPResponse) -> HTTPResponse {
        guard side == .outside else { return response }
        var response = response
        response.headers.append(securityFields)
        return response
    }

    @inline(never)
    func refusal(
        _ error: APIError,
        _ request: HTTPRequest,
        _ call: ProxyCall
    ) -> HTTPResponse {
        let context = call.context
        if let event = SecurityEvent(error) {
            let facts = SecurityLog.Facts(
                route: table.label(request.head.method, request.head.path),
                sender: .unknown,
                address: request.peer.text
            )
            security.note(event, error, facts, of: context)
        }
        return renderProblem(error, context)
    }

    @inline(never)
    func failure(
        of route: Route,
        _ service: UpstreamService,
        _ error: HTTPClientError
    ) -> APIError {
        if case .source(let error) = error { return bodyProblem(error, route) }
        service.failed.add()
        return switch error {
        case .cannotConnect, .tooManyWaiting: APIError(.unavailable, retryAfterSeconds: 1)
        case .tooManyStreams: APIError(.unavailable, retryAfterSeconds: 10)
        case .deadline: APIError(.gatewayTimeout)
        case .closed, .framing, .bodyTooLarge, .source: APIError(.badGateway)
        }
    }

    func tooLarge(_ route: Route) -> APIError {
        APIError(.bodyTooLarge, "at most \(route.bodyLimit) bytes are taken here")
    }

    func bodyProblem(_ error: BodyError, _ route: Route) -> APIError {
        switch error {
        case .tooLarge: tooLarge(route)
        case .framing: APIError(.invalidRequest, "the body's framing is malformed")
        case .connection: APIError(.requestTimeout)
        }
    }
}
