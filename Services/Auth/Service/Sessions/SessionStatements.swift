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
    let isEnabled: Bool
}

/// What stands of a session whose presented token was not the current one.
struct SessionState: Sendable {
    let number: Int64
    let isLive: Bool
    let rotatedWithinGrace: Bool
}

/// A session in the list of devices.
struct ListedSession: Sendable {
    let id: ID<Session>
    let deviceName: String
    let addressFamily: String
    let createdAt: Instant
    let lastUsedAt: Instant
    let expiresAt: Instant
}

/// The SQL of sessions; each statement names the index that serves it.
enum SessionStatements {
    /// By session_pkey.
    static let insert = Statement<Void>(
        """
        insert into auth.session (id, user_id, device_name, address_family, methods, expires_at)
        values ($1, $2, $3, $4, $5, $6)
        """
    )

    /// session_pkey: one statement decides who rotates, however many present the token at once.
    static let rotate = Statement(
        """
        update auth.session s
        set refresh_number = s.refresh_number + 1, rotated_at = now(), last_used_at = now(),
            expires_at = $3
        from auth.user_account u
        where s.id = $1 and s.refresh_number = $2 and s.revoked_at is null
            and s.expires_at > now() and u.id = s.user_id and u.enabled
        returning s.user_id, s.refresh_number, s.expires_at, s.methods, s.authenticated_at,
            u.roles, u.generation, u.enabled
        """
    ) { row in try rotated(row) }

    /// session_pkey: what a token of the past is answered by.
    static let state = Statement(
        """
        select refresh_number, revoked_at is null and expires_at > now(),
            rotated_at > now() - make_interval(secs => $2)
        from auth.session
        where id = $1
        limit 1
        """
    ) { row in
        try SessionState(
            number: row.int64(0),
            isLive: row.bool(1),
            rotatedWithinGrace: row.bool(2)
        )
    }

    /// session_pkey: the current state for the successor's repetition within the grace.
    static let current = Statement(
        """
        select s.user_id, s.refresh_number, s.expires_at, s.methods, s.authenticated_at, u.roles,
            u.generation, u.enabled
        from auth.session s
        join auth.user_account u on u.id = s.user_id
        where s.id = $1 and s.refresh_number = $2 and s.revoked_at is null
            and s.expires_at > now() and u.enabled
        limit 1
        """
    ) { row in try rotated(row) }

    private static func rotated(_ row: borrowing PostgresRow) throws -> RotatedSession {
        try RotatedSession(
            user: row.value(0),
            number: row.int64(1),
            expiresAt: row.value(2),
            methods: row.value(3),
            authenticatedAt: row.value(4),
            roles: row.value(5),
            generation: row.int32(6),
            isEnabled: row.bool(7)
        )
    }

    /// session_pkey; told for the revocation list only once.
    static let revoke = Statement(
        """
        update auth.session
        set revoked_at = now()
        where id = $1 and user_id = $2 and revoked_at is null
        returning id
        """
    ) { row in try row.value(0, as: ID<Session>.self) }

    /// session_pkey: by the family alone, for a replayed token proves no user.
    static let revokeFamily = Statement(
        """
        update auth.session
        set revoked_at = now()
        where id = $1 and revoked_at is null
        returning id
        """
    ) { row in try row.value(0, as: ID<Session>.self) }

    /// By session_user_id_idx.
    static let revokeOthers = Statement(
        """
        update auth.session
        set revoked_at = now()
        where user_id = $1 and id <> $2 and revoked_at is null and expires_at > now()
        returning id
        """
    ) { row in try row.value(0, as: ID<Session>.self) }

    /// By session_user_id_idx.
    static let list = Statement(
        """
        select id, device_name, address_family, created_at, last_used_at, expires_at
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
            createdAt: row.value(3),
            lastUsedAt: row.value(4),
            expiresAt: row.value(5)
        )
    }

    /// By session_pkey.
    static let expiry = Statement(
        """
        select expires_at
        from auth.session
        where id = $1 and user_id = $2 and revoked_at is null
        limit 1
        """
    ) { row in try row.value(0, as: Instant.self) }

    /// By failed_log_in_pkey.
    static let block = Statement(
        """
        select blocked_until
        from auth.failed_log_in
        where subject = any($1) and blocked_until > now()
        order by blocked_until desc
        limit 1
        """
    ) { row in try row.value(0, as: Instant.self) }

    /// failed_log_in_pkey: the wait doubles from the sixth failure on, to a quarter of an hour.
    ///
    /// A day without failures forgets; nobody is ever shut out for good, for that would let an
    /// attacker shut anyone out.
    static let countFailure = Statement<Void>(
        """
        insert into auth.failed_log_in as f (subject, failures, last_failed_at, blocked_until)
        select s, 1, now(), now()
        from unnest($1::text[]) as s
        order by s
        on conflict (subject) do update
        set failures = case
                when f.last_failed_at < now() - interval '1 day' then 1 else f.failures + 1 end,
            last_failed_at = now(),
            blocked_until = case
                when f.last_failed_at < now() - interval '1 day' or f.failures < $2 then now()
                else now() + make_interval(
                    secs => least(900, power(2, least(20, f.failures - $2))))
            end
        """
    )

    /// By failed_log_in_last_failed_at_idx: a day without failures forgets, for made-up names too.
    static let deleteOldFailures = Statement<Void>(
        "delete from auth.failed_log_in where last_failed_at < now() - interval '1 day'"
    )

    /// By session_expires_at_idx: kept a while, so that a replayed token is still told apart.
    static let deleteOld = Statement<Void>(
        "delete from auth.session where expires_at < now() - interval '10 days'"
    )

    /// By failed_log_in_pkey.
    static let forgetFailures = Statement<Void>(
        "delete from auth.failed_log_in where subject = $1"
    )
}
