import HTTP
import ServiceKit
import WalletProtocol

/// Rotates a session's refresh token and gives a new access token.
struct RefreshSession: Handler {
    static let endpoint = Sessions.refresh
    let sessions: SessionStore
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, SessionRefresh>,
        as caller: Caller
    ) async throws -> Response<SessionTokens> {
        let text: String
        if let given = request.body.refreshToken {
            text = given
        } else if let kept = cookie("__Host-refresh", in: request.http.head) {
            guard request.http.head.isFrom(configuration.publicURL) else {
                throw APIError(.invalidRefreshToken).caused(by: SecurityEvent.foreignOrigin)
            }
            text = String(decoding: kept, as: UTF8.self)
        } else {
            throw APIError(.invalidRefreshToken)
        }
        let session = try await sessions.refresh(text, from: AuditOrigin(request))
        let answer = SessionAnswer(session, for: request, configuration: configuration)
        return answer.on(.created(answer.tokens))
    }
}
