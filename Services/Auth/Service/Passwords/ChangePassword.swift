import Postgres
import ServiceKit
import WalletProtocol

/// Changes one's own password; the current one is the proof, or a fresh one where there is none.
struct ChangePassword: Handler {
    static let endpoint = Passwords.change
    let database: Database
    let check: PasswordCheck
    let passwords: PasswordStore
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, PasswordChange>,
        as caller: Caller
    ) async throws -> Response<SessionTokens> {
        let body = request.body
        let user = caller.user
        guard let credential = try await database.queryOne(UserStatements.credentialByID, user.id),
            credential.isEnabled
        else { throw APIError(.unauthenticated) }
        try await OwnPassword(database: database, check: check).requireSecondFactor(of: user)
        if credential.passwordHash == nil {
            try user.requireFreshProof()
        } else {
            guard let current = body.currentPassword else {
                throw APIError.field("/currentPassword", .required, "is needed")
            }
            try await check.require(
                current,
                of: credential,
                in: user.session,
                from: request.clientAddress
            )
        }
        let hash = try await passwords.hash(
            body.newPassword,
            again: body.confirmPassword,
            replacing: credential.passwordHash,
            of: user.id
        )
        let session = try await passwords.change(
            hash,
            for: credential,
            by: SessionHolder(user)
        )
        let answer = SessionAnswer(session, for: request, configuration: configuration)
        return answer.on(.ok(answer.tokens))
    }
}
