import Crypto
import Loops
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Sets passwords, and ends what the old one has opened.
final class PasswordStore {
    private let database: Database
    private let blocking: BlockingPool
    private let sessions: SessionStore
    private let notices: SecurityNotices
    private let audit: AuditLog
    private let configuration: AuthConfiguration

    init(
        database: Database,
        blocking: BlockingPool,
        sessions: SessionStore,
        messages: MessageJobs,
        audit: AuditLog,
        configuration: AuthConfiguration
    ) {
        self.database = database
        self.blocking = blocking
        self.sessions = sessions
        notices = SecurityNotices(messages: messages, configuration: configuration)
        self.audit = audit
        self.configuration = configuration
    }

    /// The hash of a password that may take another's place.
    /// - Throws: 422 with the field and the reason, or `same-password`.
    func hash(
        _ sent: String,
        again: String?,
        replacing old: String?,
        of user: ID<User>
    ) async throws -> String {
        let text = PasswordText(sent)
        let password = text.normalized
        let profile = try await database.queryOne(UserStatements.profile, user)
        let names = [
            profile?.username, profile?.email, profile?.firstName, profile?.lastName,
        ].compactMap(\.self)
        let isCommon = try await blocking.run { CommonPasswords.contains(password) }
        var errors: [FieldError] = []
        let weakness =
            PasswordRules.weakness(of: password, names: names) ?? (isCommon ? .isCommon : nil)
        if let weakness {
            let detail = weakness.rawValue
            errors.append(
                FieldError(pointer: "/newPassword", code: .weakPassword, detail: detail)
            )
        }
        if let again, PasswordText(again).normalized != password {
            errors.append(
                FieldError(
                    pointer: "/confirmPassword",
                    code: .differs,
                    detail: "differs from the password"
                )
            )
        }
        guard errors.isEmpty else { throw APIError(.invalidBody, errors: errors) }
        if let old {
            let isSame = try await blocking.run {
                PasswordHash.verify(password, against: old)
                    || text.unnormalized.map { PasswordHash.verify($0, against: old) } == true
            }
            guard !isSame else { throw APIError(.samePassword) }
        }
        return try await blocking.run { PasswordHash.make(password) }
    }

    /// Puts a hash in an account within a transaction: sessions but `kept` end, and so do codes and
    /// recoveries under way; guesses are forgotten and the owner is told.
    /// - Returns: false where the account has another password than `credential` had.
    func set(
        _ hash: String,
        for credential: Credential,
        keeping kept: ID<Session>?,
        telling change: SecurityChange,
        in transaction: Transaction
    ) async throws -> Bool {
        guard
            try await transaction.queryOne(
                PasswordStatements.replace,
                credential.user,
                hash,
                credential.passwordHash
            ) != nil
        else { return false }
        // After the row is locked: no session is opened by the old password beside this.
        try await sessions.endAll(of: credential.user, but: kept, in: transaction)
        try await transaction.execute(ChallengeStatements.void, credential.user)
        try await transaction.execute(RecoveryStatements.void, credential.user)
        try await dropOwnChanges(of: credential.user, in: transaction)
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        try await attempts.forgetAll(of: credential.user, in: transaction)
        try await notices.tell(change, to: credential, in: transaction)
        try await audit.append(
            AuditEntry(
                change == .password ? .passwordChanged : .passwordRecovered,
                by: .user(credential.user),
                of: credential.user,
                detail: change == .passwordRecoveredAnew ? ["cleared": .bool(true)] : [:]
            ),
            in: transaction
        )
        return true
    }

    /// Drops what may have been asked for by whoever had the old password: another address, and
    /// links to it.
    private func dropOwnChanges(of user: ID<User>, in transaction: Transaction) async throws {
        let dropped = try await transaction.query(PendingChangeStatements.dropOwn, user)
        if !dropped.isEmpty { try await transaction.execute(ProfileStatements.touch, user) }
        try await transaction.execute(VerificationStatements.endForeign, user)
    }

    /// Changes somebody's own password.
    /// - Returns: the session, whose refresh tokens of before are worth nothing.
    func change(
        _ hash: String,
        for credential: Credential,
        by holder: SessionHolder
    ) async throws -> OpenedSession {
        let key = try await sessions.signingKey()
        return try await database.transaction { [self] transaction in
            try await holder.requireOpen(in: transaction)
            let isSet = try await set(
                hash,
                for: credential,
                keeping: holder.session,
                telling: .password,
                in: transaction
            )
            // Somebody else was quicker: what was shown is no longer the current password.
            guard isSet else { throw APIError(.wrongPassword) }
            return try await sessions.renew(
                holder.session,
                of: credential.user,
                signedWith: key,
                in: transaction
            )
        }
    }
}
