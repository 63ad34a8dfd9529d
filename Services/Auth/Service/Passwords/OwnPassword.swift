import Crypto
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// The password of somebody signed in, asked for once more before something dangerous.
struct OwnPassword {
    let database: Database
    let blocking: BlockingPool
    let configuration: AuthConfiguration

    /// Asks for a fresh proof, or for the password in its place where one is given.
    /// - Throws: 403 `step-up-required`, 422 `wrong-password`, 429 `locked-out`.
    func requireProof(of user: UserIdentity, or password: String?) async throws {
        guard let password else { return try user.requireFreshProof() }
        try await verify(password, of: user.id)
    }

    /// - Throws: 422 `wrong-password` (also where there is none), 429 `locked-out`, 503 when too
    ///   many are hashed.
    func verify(_ password: String, of user: ID<User>) async throws {
        guard
            let credential = try await database.queryOne(UserStatements.credentialByID, user)
        else { throw APIError(.unauthenticated) }
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        // Counted under both names, for either is what a guesser at the door is counted under.
        for subject in credential.attempts { try await attempts.count(subject) }
        let hash = credential.passwordHash
        let isRight = try await blocking.run {
            PasswordHash.verify(password, against: hash ?? PasswordHash.ofNobody)
        }
        guard hash != nil, isRight else { throw APIError(.wrongPassword) }
        try await attempts.forget(credential.attempts)
    }
}
