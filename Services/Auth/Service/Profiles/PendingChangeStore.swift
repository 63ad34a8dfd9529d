import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Settles what waits: by the person's link, by their answer to an administrator, or by time.
final class PendingChangeStore {
    private let database: Database
    let profiles: ProfileStore
    private let audit: AuditLog
    private let logger: Logger

    init(database: Database, profiles: ProfileStore, audit: AuditLog, logger: Logger) {
        self.database = database
        self.profiles = profiles
        self.audit = audit
        self.logger = logger
    }

    /// Proves the address that a link was mailed to: the current one, or the one that waits.
    func verifyEmail(
        token: String,
        from origin: AuditOrigin,
        in transaction: Transaction
    ) async throws {
        guard let hash = Self.hash(of: token),
            let (user, email, _) = try await transaction.queryOne(VerificationStatements.find, hash)
        else { throw APIError.notFound }
        let old = try await profiles.locked(user, in: transaction)
        guard try await transaction.queryOne(VerificationStatements.use, hash) != nil else {
            throw APIError(.linkExpired)
        }
        try await prove(email, of: old, from: origin, in: transaction)
    }

    private func prove(
        _ email: String,
        of old: Profile,
        from origin: AuditOrigin,
        in transaction: Transaction
    ) async throws {
        if email == old.email {
            try await transaction.execute(ProfileStatements.markVerified, old.id)
            let profile = try await profiles.read(old.id, in: transaction)
            return try await profiles.announce(profile, in: transaction)
        }
        guard let address = EmailAddress(email),
            try await transaction.queryOne(
                PendingChangeStatements.take,
                old.id,
                PendingField.email.rawValue,
                email,
                ChangeAuthor.owner.rawValue
            ) != nil
        else { throw APIError(.linkExpired) }
        try await transaction.execute(
            ProfileStatements.setVerifiedEmail,
            old.id,
            address.text,
            address.folded
        )
        try await changed(old, by: .user(old.id), from: origin, in: transaction)
    }

    /// What a person says to an administrator's change.
    func settle(
        token: String,
        accepting isAccepted: Bool,
        from origin: AuditOrigin
    ) async throws {
        guard let hash = Self.hash(of: token) else { throw APIError.notFound }
        try await profiles.committing { [self] transaction in
            guard
                let change = try await transaction.queryOne(
                    PendingChangeStatements.findByToken,
                    hash
                )
            else { throw APIError.notFound }
            let isSettled = try await settle(
                change,
                accepting: isAccepted,
                by: .user(change.user),
                from: origin,
                in: transaction
            )
            guard isSettled else { throw APIError.notFound }
            if !isAccepted {
                try await audit.append(
                    ProfileAudit.rejected(change, from: origin),
                    in: transaction
                )
            }
        }
    }

    /// Puts into force what has waited long enough; what is taken by now is dropped.
    ///
    /// What fails is tried again the next time, and holds up none of the others.
    func settleDue() async throws {
        for change in try await database.query(PendingChangeStatements.due) {
            do { try await settleDue(change) } catch {
                logger.warning(
                    "change of a profile not settled",
                    [
                        ("who", SecuritySender.user(change.user).text),
                        ("cause", String(describing: error)),
                    ]
                )
            }
        }
    }

    private func settleDue(_ change: PendingChange) async throws {
        do {
            _ = try await profiles.committing { [self] transaction in
                try await settle(change, accepting: true, in: transaction)
            }
        } catch let error as APIError where error.code.status == 404 {
            // Somebody is being erased, and what waits goes with them.
        } catch let error as APIError where error.code.status == 409 {
            _ = try await profiles.committing { [self] transaction in
                try await settle(change, accepting: false, in: transaction)
            }
        }
    }

    /// - Returns: whether it was there to be settled.
    private func settle(
        _ change: PendingChange,
        accepting isAccepted: Bool,
        by actor: AuditActor = .service(.auth),
        from origin: AuditOrigin = .within,
        in transaction: Transaction
    ) async throws -> Bool {
        let old = try await profiles.locked(change.user, in: transaction)
        guard
            try await transaction.queryOne(
                PendingChangeStatements.take,
                change.user,
                change.field.rawValue,
                change.value,
                change.author.rawValue
            ) != nil
        else { return false }
        guard isAccepted else {
            try await transaction.execute(ProfileStatements.touch, old.id)
            return true
        }
        switch change.field {
        case .email:
            guard let address = change.value.flatMap({ EmailAddress($0) }) else { return true }
            try await transaction.execute(
                ProfileStatements.setEmail,
                old.id,
                address.text,
                address.folded
            )
            let profile = try await profiles.read(old.id, in: transaction)
            try await profiles.sendVerification(profile, in: transaction)
        case .phone:
            try await transaction.execute(ProfileStatements.setPhone, old.id, change.value)
        }
        try await changed(old, by: actor, from: origin, in: transaction)
        return true
    }

    /// Tells services, the audit log, and the old and the new address.
    private func changed(
        _ old: Profile,
        by actor: AuditActor,
        from origin: AuditOrigin,
        in transaction: Transaction
    ) async throws {
        let profile = try await profiles.read(old.id, in: transaction)
        try await transaction.execute(VerificationStatements.endOthers, old.id, profile.email)
        if profile.email != old.email {
            // Whoever can read the old mailbox recovers nothing any more.
            try await transaction.execute(RecoveryStatements.void, old.id)
        }
        try await profiles.announce(profile, in: transaction)
        try await audit.append(
            ProfileAudit.inForce(from: old, to: profile, by: actor, from: origin),
            in: transaction
        )
        for notice in ProfileChange.notices(from: old, to: profile) {
            try await profiles.notices.tell(notice, to: old, in: transaction)
            guard profile.email != old.email else { continue }
            try await profiles.notices.tell(notice, to: profile, in: transaction)
        }
    }

    private static func hash(of token: String) -> [UInt8]? {
        guard let bytes = Base64URL.decode(token.utf8), bytes.count == 32 else {
            return nil
        }
        return SHA256.digest(bytes)
    }
}
