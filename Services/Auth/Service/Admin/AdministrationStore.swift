import Messaging
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// What administrators see and change of people: each time with its entry in the audit log, in one
/// transaction, so that nothing is seen or done that is not told.
final class AdministrationStore {
    private let database: Database
    private let profiles: ProfileStore
    private let audit: AuditLog
    private let accessTokenSeconds: Int

    init(database: Database, profiles: ProfileStore, audit: AuditLog, accessTokenSeconds: Int) {
        self.database = database
        self.profiles = profiles
        self.audit = audit
        self.accessTokenSeconds = accessTokenSeconds
    }

    /// - Throws: 404 for who is not there, or is being erased.
    func requireHere(_ id: ID<User>, in transaction: Transaction) async throws {
        guard try await transaction.queryOne(UserStatements.credentialByID, id) != nil,
            try await transaction.queryOne(ErasureStatements.isErasing, id) != true
        else { throw APIError.notFound }
    }

    // MARK: Reading

    /// A page of people, and whether more come behind it.
    func list(
        _ query: UserQuery,
        by actor: AuditActor,
        from origin: AuditOrigin
    ) async throws -> (page: [Profile], hasMore: Bool) {
        let before = try query.cursor?.decode(ID<User>.self) ?? ID<User>(high: .max, low: .max)
        return try await database.transaction { [audit] transaction in
            let ids = try await transaction.query(
                AdministrationStatements.list(
                    before: before,
                    beginning: query.words.map { TextFolding.caseFolded($0) },
                    roles: Array(Set(query.roles)),
                    isEnabled: query.isEnabled,
                    limit: query.limit + 1
                )
            )
            let page = try await transaction.query(
                AdministrationStatements.profiles,
                Array(ids.prefix(query.limit))
            )
            var entries = [
                AuditEntry(
                    .usersListed,
                    by: actor,
                    of: nil,
                    detail: ["count": .integer(Int64(page.count))],
                    from: origin
                )
            ]
            for profile in page {
                entries.append(
                    AuditEntry(
                        .userRead,
                        by: actor,
                        of: profile.id,
                        detail: ["in": "list"],
                        from: origin
                    )
                )
            }
            try await audit.append(entries, in: transaction)
            return (page, ids.count > query.limit)
        }
    }

    /// Somebody's profile; that it was asked for is told even where there is nobody.
    func read(
        _ id: ID<User>,
        by actor: AuditActor,
        from origin: AuditOrigin
    ) async throws -> Profile {
        let profile = try await database.transaction { [audit] transaction in
            let profile = try await transaction.queryOne(UserStatements.profile, id)
            try await audit.append(
                AuditEntry(
                    .userRead,
                    by: actor,
                    of: id,
                    detail: ["found": .bool(profile != nil)],
                    from: origin
                ),
                in: transaction
            )
            return profile
        }
        guard let profile else { throw APIError.notFound }
        return profile
    }

    // MARK: Changing

    /// Changes a profile as an administrator: e-mail and phone wait for the person.
    func change(
        _ id: ID<User>,
        by change: ProfileChange,
        ifMatch: EntityTags?,
        admin: UserIdentity,
        from origin: AuditOrigin
    ) async throws -> Profile {
        let actor = AuditActor.user(admin.id)
        return try await tellingRefusals(of: .userChanged, to: id, by: actor, from: origin) {
            [self] in
            if change.needsProof { try admin.requireFreshProof() }
            return try await profiles.committing { [self] transaction in
                let changed = try await profiles.apply(
                    change,
                    of: SessionHolder(admin),
                    to: id,
                    ifMatch: ifMatch,
                    in: transaction
                )
                try await audit.append(
                    AuditEntry(
                        .userChanged,
                        by: actor,
                        of: id,
                        detail: ["fields": Self.fields(of: change)],
                        from: origin
                    ),
                    in: transaction
                )
                return changed.profile
            }
        }
    }

    /// Gives and withdraws rights: what is withdrawn ends with every token made before.
    ///
    /// Order of checks: there is such a person, `If-Match`, a fresh proof where a right is given
    /// by which one sees others, the last administrator. One at a time over all administrators, so
    /// that of two who withdraw each other one stays.
    func setAccess(
        _ access: UserAccess,
        of id: ID<User>,
        ifMatch: EntityTags?,
        admin: UserIdentity,
        from origin: AuditOrigin
    ) async throws -> Profile {
        var wanted = Set(access.roles)
        if wanted.contains(.admin) { wanted.insert(.user) }
        let roles = Role.allCases.filter { wanted.contains($0) }.map(\.rawValue)
        let actor = AuditActor.user(admin.id)
        return try await tellingRefusals(
            of: .accessChanged,
            to: id,
            by: actor,
            from: origin
        ) { [self] in
            try await profiles.committing { [self] transaction in
                try await transaction.execute(ErasureStatements.lockAdmins)
                let old = try await profiles.locked(id, in: transaction)
                try await SessionHolder(admin).requireStillOpen(in: transaction)
                try ifMatch.check(old.version)
                let has = old.isEnabled ? Set(old.roles) : []
                let given = wanted.filter { $0.isPowerful && !has.contains($0.rawValue) }
                if access.isEnabled, !given.isEmpty { try admin.requireFreshProof() }
                let stays = access.isEnabled && wanted.contains(.admin)
                if !stays, try await transaction.queryOne(ErasureStatements.isLastAdmin, id) == true
                {
                    throw APIError(.lastAdmin)
                }
                let isWithdrawn =
                    old.isEnabled && !access.isEnabled
                    || !Set(old.roles).isSubset(of: Set(roles))
                if Set(old.roles) != Set(roles) || old.isEnabled != access.isEnabled {
                    try await write(
                        roles,
                        isEnabled: access.isEnabled,
                        isWithdrawn: isWithdrawn,
                        to: id,
                        in: transaction
                    )
                }
                let new = try await profiles.read(id, in: transaction)
                if new.version != old.version {
                    try await profiles.announce(new, in: transaction)
                }
                try await tell(of: old, new, by: actor, from: origin, in: transaction)
                return new
            }
        }
    }

    private func write(
        _ roles: [String],
        isEnabled: Bool,
        isWithdrawn: Bool,
        to id: ID<User>,
        in transaction: Transaction
    ) async throws {
        let generation = try await transaction.queryOne(
            AdministrationStatements.setAccess,
            id,
            roles,
            isEnabled,
            isWithdrawn
        )
        guard isWithdrawn, let generation else { return }
        try await transaction.execute(
            RevocationStatements.insert,
            "user",
            [id.text],
            generation,
            Instant.now().adding(seconds: Int64(accessTokenSeconds + 60))
        )
        // Who may sign in again later begins anew.
        if !isEnabled { try await transaction.execute(AdministrationStatements.endSessions, id) }
    }

    private func tell(
        of old: Profile,
        _ new: Profile,
        by actor: AuditActor,
        from origin: AuditOrigin,
        in transaction: Transaction
    ) async throws {
        var entries = [
            AuditEntry(
                .accessChanged,
                by: actor,
                of: new.id,
                detail: [
                    "from": .array(old.roles.map { .string($0) }),
                    "to": .array(new.roles.map { .string($0) }),
                ],
                from: origin
            )
        ]
        if old.isEnabled != new.isEnabled {
            let action: AuditAction = new.isEnabled ? .userEnabled : .userDisabled
            entries.append(AuditEntry(action, by: actor, of: new.id, from: origin))
        }
        try await audit.append(entries, in: transaction)
    }

    /// Does something to somebody; that there is nobody is told to the audit log as a reading, that
    /// it was refused for their state or the caller's as a refusal.
    func tellingRefusals<Value>(
        of action: AuditAction,
        to id: ID<User>,
        by actor: AuditActor,
        from origin: AuditOrigin,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch let error as APIError {
            let entry: AuditEntry
            switch error.code.status {
            case 404:
                entry = AuditEntry(
                    .userRead,
                    by: actor,
                    of: id,
                    detail: ["found": false],
                    from: origin
                )
            case 403, 409, 412:
                entry = AuditEntry(
                    .requestRefused,
                    by: actor,
                    of: id,
                    detail: [
                        "action": .string(action.rawValue),
                        "code": .string(error.code.text),
                    ],
                    from: origin
                )
            default: throw error
            }
            try await audit.append(entry, in: database)
            throw error
        }
    }

    /// The names of what is to be another way; the values are the person's.
    private static func fields(of change: ProfileChange) -> JSONTree {
        let fields = change.fields
        let all: [(String, Bool)] = [
            ("email", fields.email.isUnchanged), ("username", fields.username.isUnchanged),
            ("firstName", fields.firstName.isUnchanged),
            ("lastName", fields.lastName.isUnchanged),
            ("dateOfBirth", fields.dateOfBirth.isUnchanged), ("phone", fields.phone.isUnchanged),
            ("area", fields.area.isUnchanged), ("theme", fields.theme.isUnchanged),
            ("language", fields.language.isUnchanged),
            ("currency", fields.currency.isUnchanged),
            ("dateFormat", fields.dateFormat.isUnchanged),
            ("timeZone", fields.timeZone.isUnchanged),
            ("monthStart", fields.monthStart.isUnchanged),
        ]
        return .array(all.filter { !$0.1 }.map { .string($0.0) })
    }
}

extension Role {
    /// Whether it shows what is others'.
    var isPowerful: Bool { self != .user }
}
