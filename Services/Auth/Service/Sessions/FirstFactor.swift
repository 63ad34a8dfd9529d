import Postgres
import ServiceKit
import WalletProtocol

/// What follows a first factor that was right, whichever it was: the session, or a challenge where
/// the account has a second factor.
struct FirstFactor {
    let database: Database
    let sessions: SessionStore
    let challenges: ChallengeStore
    let configuration: AuthConfiguration

    /// Goes on after a right first factor.
    ///
    /// - Parameters:
    ///   - methods: how it was proved (RFC 8176).
    ///   - isWhole: whether it counts as two factors by itself, as a passkey does.
    /// - Throws: 403 `user-disabled`.
    func accept<Body: JSONValue>(
        _ credential: Credential,
        methods: [String],
        isWhole: Bool = false,
        for request: Request<NoQuery, Body>
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        guard credential.isEnabled else { throw APIError(.userDisabled) }
        return try await open(credential, methods: methods, for: request)
    }

    /// Opens the session and forgets what guesses there were.
    private func open<Body: JSONValue>(
        _ credential: Credential,
        methods: [String],
        for request: Request<NoQuery, Body>
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        try await attempts.forget(credential.attempts)
        let session = try await sessions.open(
            for: credential,
            on: Device(request),
            methods: methods,
            in: database
        )
        let answer = SessionAnswer(session, for: request, configuration: configuration)
        return answer.on(.created(.first(answer.tokens)))
    }
}
