import Postgres
import ServiceKit
import WalletProtocol

/// The password of somebody signed in, asked for once more before something dangerous.
struct OwnPassword {
    let database: Database
    let check: PasswordCheck

    /// Asks for a fresh proof, or for the password in its place where there is one and it is given;
    /// where a second factor is on, for a fresh proof that had it.
    /// - Throws: 403 `step-up-required`, 422 `wrong-password`, 429 `locked-out`, 503 when too many
    ///   are hashed.
    func requireProof(
        of user: UserIdentity,
        or password: String?,
        from address: String
    ) async throws {
        try await requireSecondFactor(of: user)
        guard let password else { return try user.requireFreshProof() }
        guard
            let credential = try await database.queryOne(UserStatements.credentialByID, user.id)
        else { throw APIError(.unauthenticated) }
        guard credential.passwordHash != nil else { return try user.requireFreshProof() }
        try await check.require(password, of: credential, in: user.session, from: address)
    }

    /// Asks for the password itself; for a fresh proof where there is none; where a second factor
    /// is on, for a fresh proof that had it besides.
    /// - Returns: what they sign in with.
    /// - Throws: as `requireProof` does, and 422 where the password is not given.
    func requireCurrent(
        _ password: String?,
        of user: UserIdentity,
        from address: String
    ) async throws -> Credential {
        guard let credential = try await database.queryOne(UserStatements.credentialByID, user.id),
            credential.isEnabled
        else { throw APIError(.unauthenticated) }
        try await requireSecondFactor(of: user)
        guard credential.passwordHash != nil else {
            try user.requireFreshProof()
            return credential
        }
        guard let password else {
            throw APIError.field("/currentPassword", .required, "is needed")
        }
        return try await check.require(password, of: credential, in: user.session, from: address)
    }

    /// Asks for a fresh proof by the second factor, or by a passkey, where the second factor is on:
    /// neither a password nor a token that one opened stands in for it.
    /// - Throws: 403 `step-up-required`.
    func requireSecondFactor(of user: UserIdentity) async throws {
        guard try await database.queryOne(TotpStatements.isOn, user.id) == true else { return }
        guard user.hasFreshProof, user.hasStrongProof else { throw APIError(.stepUpRequired) }
    }
}

extension UserIdentity {
    /// Whether the latest proof was by a passkey, or had an authenticator app in it.
    var hasStrongProof: Bool {
        if methods.contains("hwk") || methods.contains("swk") { return methods.contains("user") }
        return methods.contains("otp") && methods.contains("mfa") && !methods.contains("sms")
    }
}
