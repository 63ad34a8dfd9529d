import ServiceKit
import WalletProtocol

/// Changes one's own password; the current one is the proof, or a fresh one where there is none.
struct ChangePassword: Handler {
    static let endpoint = Passwords.change
    let own: OwnPassword
    let passwords: PasswordStore
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, PasswordChange>,
        as caller: Caller
    ) async throws -> Response<SessionTokens> {
        let (body, user) = (request.body, caller.user)
        let credential = try await own.requireCurrent(
            body.currentPassword,
            of: user,
            from: request.clientAddress
        )
        let hash = try await passwords.hash(
            body.newPassword,
            again: body.confirmPassword,
            replacing: credential.passwordHash,
            of: user.id
        )
        let session = try await passwords.change(hash, for: credential, by: SessionHolder(user))
        let answer = SessionAnswer(session, for: request, configuration: configuration)
        return answer.on(.ok(answer.tokens))
    }
}
