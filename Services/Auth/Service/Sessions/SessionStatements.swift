import Postgres
import ServiceKit
import WalletProtocol

/// A session as its rotation needs it.
struct RotatedSession: Sendable {
    let user: ID<User>
    let number: Int64
    let expiresAt: Instant
    let methods: [String]
    let authenticatedAt: Instant
    let roles: [String]
    let generation: Int32
}

/// A session in the list of devices.
struct ListedSession: Sendable {
    let id: ID<Session>
    let deviceName: String
    let addressFamily: String
    let methods: [String]
    let createdAt: Instant
    let lastUsedAt: Instant
    let expiresAt: Instant
}

/// The SQL of sessions; each statement names the index that serves it.
enum SessionStatements {
    /// For the account as it was proved ($7, $8) alone.
    ///
    /// The row's lock has this and a change of password, which ends sessions, come one after the
    /// other, so that none is opened by a password that was just changed. Where the second factor
    /// is on, the methods ($5) have it, or are a passkey's: who calls has locked the row before, so
    /// that this sees what was confirmed while it waited.
    static let insert = Statement<Void>(
        by: "user_account_pkey, totp_pkey",
        """
        insert into auth.session (id, user_id, device_name, address_family, methods, expires_at)
        select $1, u.id, $3, $4, $5, $6
        from auth.user_account u
        where u.id = $2 and u.enabled and u.generation = $7
            and u.password_hash is not distinct from $8
            and (('mfa' = any ($5) and not 'sms' = any ($5)) or not exists (
                select from auth.totp t
                where t.user_id = u.id and t.confirmed_at is not null))
        for share
        """
    )

    /// One statement decides who rotates, however many present the token at once, and tells whether
    /// the person's day has yet to be told of.
    static let rotate = Statement(
        by: "session_pkey, active_day_pkey",
        """
        update auth.session s
        set refresh_number = s.refresh_number + 1, rotated_at = now(), last_used_at = now(),
            expires_at = $3, address_family = $4
        from auth.user_account u
        where s.id = $1 and s.refresh_number = $2 and s.revoked_at is null
            and s.expires_at > now() and u.id = s.user_id and u.enabled
        returning s.user_id, s.refresh_number, s.expires_at, s.methods, s.authenticated_at,
            u.roles, u.generation, 'user' = any (u.roles) and not exists (
                select from auth.active_day a
                where a.user_id = s.user_id and a.day >= (now() at time zone 'UTC')::date)
        """
    ) { row in try (session: rotated(row), beginsDay: row.bool(7)) }

    /// A rotation that also writes down a fresh proof, by two as that of `renew`.
    static let prove = Statement(
        by: "session_",
        """
        update auth.session s
        set refresh_number = s.refresh_number + 2, rotated_at = now(), last_used_at = now(),
            expires_at = $4, authenticated_at = now(), methods = $3
        from auth.user_account u
        where s.id = $1 and s.user_id = $2 and s.revoked_at is null and s.expires_at > now()
            and u.id = s.user_id and u.enabled
        returning s.user_id, s.refresh_number, s.expires_at, s.methods, s.authenticated_at,
            u.roles, u.generation
        """
    ) { row in try rotated(row) }

    /// A rotation by two, so that no token of before is within its grace.
    static let renew = Statement(
        by: "session_",
        """
        update auth.session s
        set refresh_number = s.refresh_number + 2, rotated_at = now(), last_used_at = now(),
            expires_at = $3
        from auth.user_account u
        where s.id = $1 and s.user_id = $2 and s.revoked_at is null and s.expires_at > now()
            and u.id = s.user_id and u.enabled
        returning s.user_id, s.refresh_number, s.expires_at, s.methods, s.authenticated_at,
            u.roles, u.generation
        """
    ) { row in try rotated(row) }

    /// What a token of the past is answered by.
    ///
    /// One statement, so that a rotation beside it is seen whole or not at all.
    static let state = Statement(
        by: "session_pkey",
        """
        select s.user_id, s.refresh_number, s.expires_at, s.methods, s.authenticated_at, u.roles,
            u.generation, s.rotated_at > now() - make_interval(secs => $2)
        from auth.session s
        join auth.user_account u on u.id = s.user_id
        where s.id = $1 and s.revoked_at is null and s.expires_at > now() and u.enabled
        limit 1
        """
    ) { row in try (session: rotated(row), isWithinGrace: row.bool(7)) }

    private static func rotated(_ row: borrowing PostgresRow) throws -> RotatedSession {
        try RotatedSession(
            user: row.value(0),
            number: row.int64(1),
            expiresAt: row.value(2),
            methods: row.value(3),
            authenticatedAt: row.value(4),
            roles: row.value(5),
            generation: row.int32(6)
        )
    }

    /// Told for the revocation list only once.
    static let revoke = Statement(
        by: "session_",
        """
        update auth.session
        set revoked_at = now()
        where id = $1 and user_id = $2 and revoked_at is null
        returning id
        """
    ) { row in try row.value(0, as: ID<Session>.self) }

    /// By the family alone, for a replayed token proves no user.
    static let revokeFamily = Statement(
        by: "session_pkey",
        """
        update auth.session
        set revoked_at = now()
        where id = $1 and revoked_at is null
        returning id
        """
    ) { row in try row.value(0, as: ID<Session>.self) }

    static let revokeOthers = Statement(
        by: "session_user_id_idx",
        """
        update auth.session
        set revoked_at = now()
        where user_id = $1 and id <> $2 and revoked_at is null and expires_at > now()
        returning id
        """
    ) { row in try row.value(0, as: ID<Session>.self) }

    /// Identifiers are in the order in which sessions were opened.
    static let revokeOldest = Statement(
        by: "session_user_id_idx",
        """
        update auth.session
        set revoked_at = now()
        where id = any(array(
            select id
            from auth.session
            where user_id = $1 and revoked_at is null and expires_at > now()
            order by id desc
            offset $2
            limit 100))
        returning id
        """
    ) { row in try row.value(0, as: ID<Session>.self) }

    static let list = Statement(
        by: "session_user_id_idx",
        """
        select id, device_name, address_family, methods, created_at, last_used_at, expires_at
        from auth.session
        where user_id = $1 and revoked_at is null and expires_at > now() and id < $2
        order by id desc
        limit $3
        """
    ) { row in
        try ListedSession(
            id: row.value(0),
            deviceName: row.string(1),
            addressFamily: row.string(2),
            methods: row.value(3),
            createdAt: row.value(4),
            lastUsedAt: row.value(5),
            expiresAt: row.value(6)
        )
    }

    static let expiry = Statement(
        by: "session_",
        """
        select expires_at
        from auth.session
        where id = $1 and user_id = $2 and revoked_at is null
        limit 1
        """
    ) { row in try row.value(0, as: Instant.self) }

    /// Kept a while, so that a replayed token is still told apart.
    static let deleteOld = Statement<Void>(
        by: "session_expires_at_idx",
        """
        delete from auth.session
        where ctid = any(array(
            select ctid
            from auth.session
            where expires_at < now() - interval '10 days'
            limit 5000))
        """
    )
}
