import Postgres
import ServiceKit
import WalletProtocol

/// The password of somebody signed in, asked for once more before something dangerous.
struct OwnPassword {
    let database: Database
    let check: PasswordCheck

    /// Asks for a fresh proof, or for the password in its place where there is one and it is given.
    /// - Throws: 403 `step-up-required`, 422 `wrong-password`, 429 `locked-out`, 503 when too many
    ///   are hashed.
    func requireProof(
        of user: UserIdentity,
        or password: String?,
        from address: String
    ) async throws {
        guard let password else { return try user.requireFreshProof() }
        guard
            let credential = try await database.queryOne(UserStatements.credentialByID, user.id)
        else { throw APIError(.unauthenticated) }
        guard credential.passwordHash != nil else { return try user.requireFreshProof() }
        try await check.require(password, of: credential, from: address)
    }
}
