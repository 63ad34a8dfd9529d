import Postgres
import ServiceKit
import WalletProtocol

/// The state of somebody's second factor.
struct TotpState: Sendable {
    let confirmedAt: Instant?
    let codesLeft: Int64
}

/// The SQL of second factors; totp_pkey and recovery_code_pkey serve every statement but one.
enum TotpStatements {
    /// A new secret that waits for its confirmation; none where one is in force.
    static let begin = Statement(
        by: "totp_pkey",
        """
        insert into auth.totp as t (user_id, sealed_secret)
        values ($1, $2)
        on conflict (user_id) do update
        set sealed_secret = excluded.sealed_secret, created_at = now(), last_step = 0
        where t.confirmed_at is null
        returning user_id
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    static let isOn = Statement(
        by: "totp_pkey",
        """
        select exists (
            select from auth.totp
            where user_id = $1 and confirmed_at is not null)
        """
    ) { row in try row.bool(0) }

    static let state = Statement(
        by: "totp_pkey, recovery_code_pkey",
        """
        select t.confirmed_at, (
            select count(*) from auth.recovery_code c
            where c.user_id = t.user_id and c.used_at is null)
        from auth.totp t
        where t.user_id = $1 and t.confirmed_at is not null
        limit 1
        """
    ) { row in try TotpState(confirmedAt: row.value(0), codesLeft: row.int64(1)) }

    static let secret = Statement(
        by: "totp_pkey",
        """
        select sealed_secret
        from auth.totp
        where user_id = $1 and confirmed_at is not null
        limit 1
        """
    ) { row in try row.bytes(0) }

    /// The secret that waits, for half an hour.
    static let pendingSecret = Statement(
        by: "totp_pending_idx",
        """
        select sealed_secret
        from auth.totp
        where user_id = $1 and confirmed_at is null
            and created_at > now() - interval '30 minutes'
        limit 1
        """
    ) { row in try row.bytes(0) }

    /// A step counts once, however many bring its code at once.
    static let takeStep = Statement(
        by: "totp_pkey",
        """
        update auth.totp
        set last_step = $2
        where user_id = $1 and confirmed_at is not null and last_step < $2
        returning user_id
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// In force from the step on that confirmed it, which is used up by that; only for the secret
    /// that was compared ($3).
    static let confirm = Statement(
        by: "totp_pkey",
        """
        update auth.totp
        set confirmed_at = now(), last_step = $2
        where user_id = $1 and confirmed_at is null and sealed_secret = $3
        returning user_id
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    static let remove = Statement(
        by: "totp_pkey",
        """
        delete from auth.totp
        where user_id = $1 and confirmed_at is not null
        returning user_id
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// Locks the factor, so that of two who make codes at once the later one's count.
    static let lock = Statement(
        by: "totp_pkey",
        """
        select user_id
        from auth.totp
        where user_id = $1 and confirmed_at is not null
        for update
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    static let removeCodes = Statement<Void>(
        by: "recovery_code_pkey",
        "delete from auth.recovery_code where user_id = $1"
    )

    static let insertCodes = Statement<Void>(
        """
        insert into auth.recovery_code (user_id, code_hmac)
        select $1, code
        from unnest($2::bytea[]) as code
        """
    )

    /// Each works once.
    static let useCode = Statement(
        by: "recovery_code_pkey",
        """
        update auth.recovery_code
        set used_at = now()
        where user_id = $1 and code_hmac = any($2) and used_at is null
        returning user_id
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// Those in force, piece by piece.
    ///
    /// One that waits for its code is compared with what was read before, and waits for half an
    /// hour only.
    static let sealed = Statement(
        by: "totp_pkey",
        """
        select user_id, sealed_secret
        from auth.totp
        where confirmed_at is not null and user_id > $1
        order by user_id
        limit $2
        """
    ) { row in try (row.value(0, as: ID<User>.self), row.bytes(1)) }

    /// Unless there is another secret by now.
    static let sealAnew = Statement<Void>(
        by: "totp_pkey",
        """
        update auth.totp
        set sealed_secret = $3
        where user_id = $1 and sealed_secret = $2
        """
    )

    static let deletePending = Statement<Void>(
        by: "totp_pending_idx",
        """
        delete from auth.totp
        where ctid = any(array(
            select ctid
            from auth.totp
            where confirmed_at is null and created_at < now() - interval '1 day'
            limit 5000))
        """
    )
}
