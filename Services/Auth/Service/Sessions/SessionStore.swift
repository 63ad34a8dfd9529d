import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// What opening or refreshing a session gives.
struct OpenedSession: Sendable {
    let accessToken: String
    let refreshToken: String
    let deviceToken: String
    let expiresIn: Int
    let sessionExpiresAt: Instant
}

/// Opens, rotates and ends sessions.
final class SessionStore {
    private let database: Database
    private let keys: SigningKeys
    private let audit: AuditLog
    private let configuration: AuthConfiguration

    /// How long a lost answer can be asked for again.
    static let graceSeconds = 10
    /// Sessions of one person at the same time; one more ends the oldest.
    static let perUserMax: Int32 = 100

    init(
        database: Database,
        keys: SigningKeys,
        audit: AuditLog,
        configuration: AuthConfiguration
    ) {
        self.database = database
        self.keys = keys
        self.audit = audit
        self.configuration = configuration
    }

    /// The key to open a session with inside a transaction, where none can be read.
    func signingKey() async throws -> ES256Key { try await keys.signingKey() }

    /// Opens a session within the transaction that makes or proves its user.
    func open(
        for credential: Credential,
        on device: Device,
        methods: [String],
        signedWith key: ES256Key,
        in transaction: Transaction
    ) async throws -> OpenedSession {
        try await SessionHolder.share(credential.user, in: transaction)
        let id = ID<Session>.new()
        let expiresAt = Instant.now().adding(seconds: Int64(configuration.refreshTokenSeconds))
        let inserted = try await transaction.execute(
            SessionStatements.insert,
            id,
            credential.user,
            device.name,
            device.addressFamily,
            methods,
            expiresAt,
            credential.generation,
            credential.passwordHash
        )
        guard inserted == 1 else { throw APIError(.wrongCredentials) }
        try await endOldest(of: credential.user, in: transaction)
        try await ActiveDays.tell(credential.user, in: transaction)
        return try await opened(
            session: id,
            user: credential.user,
            roles: credential.roles,
            generation: credential.generation,
            number: 1,
            authenticatedAt: .now(),
            methods: methods,
            expiresAt: expiresAt,
            key: key
        )
    }

    /// Rotates; the token just replaced gives the same successor for ten seconds, an older one
    /// ends the whole family.
    func refresh(_ text: String, from origin: AuditOrigin) async throws -> OpenedSession {
        guard let token = RefreshToken(text, keys: configuration.refreshKeys) else {
            throw APIError(.invalidRefreshToken)
        }
        let expiresAt = Instant.now().adding(seconds: Int64(configuration.refreshTokenSeconds))
        if let rotated = try await database.queryOne(
            SessionStatements.rotate,
            token.family,
            token.number,
            expiresAt,
            origin.addressFamily
        ) {
            if rotated.beginsDay {
                // A figure is worth nobody's session: what fails here the next refresh tells.
                try? await database.transaction { transaction in
                    try await ActiveDays.tell(rotated.session.user, in: transaction)
                }
            }
            return try await opened(rotated.session, of: token.family)
        }
        guard
            let state = try await database.queryOne(
                SessionStatements.state,
                token.family,
                Double(Self.graceSeconds)
            ), token.number < state.session.number
        else { throw APIError(.invalidRefreshToken) }
        if token.number == state.session.number - 1, state.isWithinGrace {
            return try await opened(state.session, of: token.family)
        }
        try await end(family: token.family, of: state.session.user, from: origin)
        throw APIError(.refreshTokenReused)
    }

    /// Takes a fresh proof of who holds a session, by methods of RFC 8176.
    ///
    /// Rotates as `renew` does, so that a token of before, which may have been copied, never gives
    /// what was proved, and later refreshes keep the time of the proof. The session's methods are
    /// those of this proof alone, so that an older, stronger one never stands beside the time of a
    /// weaker one.
    /// - Throws: 401 where the session has ended or its user is disabled.
    func prove(
        _ session: ID<Session>,
        of user: ID<User>,
        methods: [String]
    ) async throws -> OpenedSession {
        let expiresAt = Instant.now().adding(seconds: Int64(configuration.refreshTokenSeconds))
        guard
            let proved = try await database.queryOne(
                SessionStatements.prove,
                session,
                user,
                methods,
                expiresAt
            )
        else { throw APIError(.unauthenticated) }
        return try await opened(proved, of: session)
    }

    /// Rotates for somebody whose password is another now, or whose second factor is on: a token of
    /// before, which may have been copied, is not good for a lost answer either.
    func renew(
        _ session: ID<Session>,
        of user: ID<User>,
        signedWith key: ES256Key,
        in transaction: Transaction
    ) async throws -> OpenedSession {
        let expiresAt = Instant.now().adding(seconds: Int64(configuration.refreshTokenSeconds))
        guard
            let renewed = try await transaction.queryOne(
                SessionStatements.renew,
                session,
                user,
                expiresAt
            )
        else { throw APIError(.unauthenticated) }
        return try await opened(renewed, of: session, key: key)
    }

    private func opened(
        _ session: RotatedSession,
        of family: ID<Session>,
        key: ES256Key? = nil
    ) async throws -> OpenedSession {
        try await opened(
            session: family,
            user: session.user,
            roles: session.roles,
            generation: session.generation,
            number: session.number,
            authenticatedAt: session.authenticatedAt,
            methods: session.methods,
            expiresAt: session.expiresAt,
            key: key
        )
    }

    private func opened(
        session: ID<Session>,
        user: ID<User>,
        roles: [String],
        generation: Int32,
        number: Int64,
        authenticatedAt: Instant,
        methods: [String],
        expiresAt: Instant,
        key: ES256Key? = nil
    ) async throws -> OpenedSession {
        let now = Int(Instant.now().secondsSince1970)
        let claims = AccessClaims(
            issuer: configuration.publicURL,
            audience: AccessClaims.userAudience,
            subject: user.text,
            session: session,
            roles: roles.compactMap { Role(rawValue: $0) },
            generation: Int(generation),
            issuedAt: now,
            expiresAt: now + configuration.accessTokenSeconds,
            authenticatedAt: Int(authenticatedAt.secondsSince1970),
            methods: methods,
            level: AccessClaims.level(of: methods)
        )
        let signer = if let key { key } else { try await keys.signingKey() }
        let access = CompactJWS.sign(JSON.write(claims), with: signer)
        let refresh = RefreshToken(family: session, number: number)
        return OpenedSession(
            accessToken: access,
            refreshToken: refresh.text(key: configuration.refreshKeys[0]),
            deviceToken: DeviceToken(user: user).text(key: configuration.deviceKeys[0]),
            expiresIn: configuration.accessTokenSeconds,
            sessionExpiresAt: expiresAt
        )
    }

    // MARK: Ending

    /// Ends one session of a user; its tokens stop everywhere once the revocation is read.
    ///
    /// Another than the caller's own ends by a session that is open alone: an intruder who has been
    /// signed out signs nobody else out.
    func end(_ session: ID<Session>, by holder: SessionHolder) async throws -> Bool {
        let until = revokedUntil
        return try await database.transaction { transaction in
            if session != holder.session { try await holder.requireOpen(in: transaction) }
            let ended = try await transaction.query(
                SessionStatements.revoke,
                session,
                holder.user
            )
            try await Self.announce(ended, until: until, in: transaction)
            return !ended.isEmpty
        }
    }

    /// Ends every session of the user but the caller's.
    func endOthers(by holder: SessionHolder) async throws {
        let until = revokedUntil
        try await database.transaction { transaction in
            try await holder.requireOpen(in: transaction)
            let ended = try await transaction.query(
                SessionStatements.revokeOthers,
                holder.user,
                holder.session
            )
            try await Self.announce(ended, until: until, in: transaction)
            // What the others are known again by is void, too.
            try await transaction.execute(PasskeyStatements.forgetDevices, holder.user)
        }
    }

    /// Keeps the number of a person's sessions within bounds.
    private func endOldest(of user: ID<User>, in database: some Querying) async throws {
        let ended = try await database.query(
            SessionStatements.revokeOldest,
            user,
            Self.perUserMax
        )
        try await Self.announce(ended, until: revokedUntil, in: database)
    }

    /// Ends every session of the user, or all but one, within a transaction.
    func endAll(
        of user: ID<User>,
        but session: ID<Session>?,
        in transaction: Transaction
    ) async throws {
        let ended = try await transaction.query(
            SessionStatements.revokeOthers,
            user,
            session ?? ID<Session>(high: 0, low: 0)
        )
        try await Self.announce(ended, until: revokedUntil, in: transaction)
    }

    /// Ends the session of a replayed token: who presented it, its owner or a thief, is not known.
    private func end(
        family: ID<Session>,
        of user: ID<User>,
        from origin: AuditOrigin
    ) async throws {
        let until = revokedUntil
        try await database.transaction { [audit] transaction in
            let ended = try await transaction.query(SessionStatements.revokeFamily, family)
            // Of those that replay at once, one ends it.
            guard !ended.isEmpty else { return }
            try await Self.announce(ended, until: until, in: transaction)
            try await audit.append(
                AuditEntry(
                    .sessionReplayed,
                    by: .anyone,
                    of: user,
                    detail: ["session": .string(family.text)],
                    from: origin
                ),
                in: transaction
            )
        }
    }

    /// A revocation lives as long as the youngest token that it ends, and a minute for clocks.
    private var revokedUntil: Instant {
        Instant.now().adding(seconds: Int64(configuration.accessTokenSeconds + 60))
    }

    private static func announce(
        _ ended: [ID<Session>],
        until: Instant,
        in database: some Querying
    ) async throws {
        guard !ended.isEmpty else { return }
        let none: Int32? = nil
        try await database.execute(
            RevocationStatements.insert,
            "session",
            ended.map(\.text),
            none,
            until
        )
    }

    // MARK: Reading

    func list(of user: ID<User>) async throws -> [ListedSession] {
        try await database.query(
            SessionStatements.list,
            user,
            ID<Session>(high: .max, low: .max),
            Int32(200)
        )
    }

    func expiry(of session: ID<Session>, user: ID<User>) async throws -> Instant? {
        try await database.queryOne(SessionStatements.expiry, session, user)
    }
}
