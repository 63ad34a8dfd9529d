import Postgres
import ServiceKit
import WalletProtocol

/// What opens a session by an identity: proved in this call, or before a second factor was asked
/// for.
enum IdentityProof: Sendable {
    case now(ExternalIdentity)
    case before(ID<Challenge>)

    /// What a proof is answered with that no longer is one.
    fileprivate var refusal: ErrorCode {
        switch self {
        case .now: .wrongCredentials
        case .before: .challengeExpired
        }
    }
}

/// Logging in: what is proved changes nothing before a session is opened by it.
extension IdentityStore {
    /// Whom a code proves, once.
    ///
    /// Nothing is linked yet: a second factor may be asked for, and who is disabled gets nothing.
    func prove(
        _ proof: SignInProof
    ) async throws -> (credential: Credential, identity: ExternalIdentity)? {
        try await database.transaction { transaction in
            guard let identity = try await Self.take("log-in", proof, in: transaction),
                let user = try await Self.account(of: identity, in: transaction),
                let credential = try await transaction.queryOne(
                    UserStatements.credentialByID,
                    user
                )
            else { return nil }
            return (credential, identity)
        }
    }

    /// Keeps an identity until a challenge is answered.
    static func keep(
        _ identity: ExternalIdentity,
        until challenge: ID<Challenge>,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(
            IdentityStatements.keep,
            challenge,
            identity.provider,
            identity.issuer,
            identity.subject,
            identity.email?.text,
            identity.emailIsVerified
        )
    }

    /// Uses an identity in the transaction that opens a session by it; one seen for the first time
    /// is linked.
    ///
    /// Whose it is may have changed since it was proved: it was unlinked, or linked to somebody
    /// else, or its account has another address.
    /// - Throws: 401 `wrong-credentials`, or 409 `challenge-expired`.
    func use(
        _ proof: IdentityProof,
        for credential: Credential,
        in transaction: Transaction
    ) async throws {
        let identity: ExternalIdentity? =
            switch proof {
            case .now(let identity): identity
            case .before(let challenge):
                try await transaction.queryOne(IdentityStatements.takeKept, challenge)
            }
        guard let identity,
            try await Self.account(of: identity, in: transaction) == credential.user
        else { throw APIError(proof.refusal) }
        let owner = try await transaction.queryOne(
            IdentityStatements.use,
            identity.issuer,
            identity.subject,
            identity.email?.text
        )
        if owner == credential.user { return }
        guard owner == nil,
            try await insert(identity, user: credential.user, in: transaction)
        else { throw APIError(proof.refusal) }
        try await tell(credential, .identityLinked, identity.provider, in: transaction)
    }
}
