import Postgres
import ServiceKit
import WalletProtocol

/// A recovery whose answer was counted.
struct OpenRecovery: Sendable {
    let user: ID<User>?
    let codeHMAC: [UInt8]
    let attempts: Int16
    let isOpen: Bool
}

/// The SQL of recoveries, by password_recovery_pkey but where another index is named.
enum RecoveryStatements {
    static let insert = Statement<Void>(
        """
        insert into auth.password_recovery (id, user_id, code_hmac, expires_at)
        values ($1, $2, $3, $4)
        """
    )

    /// Whose address it is: of an account that may sign in, never one that only waits.
    ///
    /// By user_account_email_key.
    static let find = Statement(
        by: "user_account_email_",
        """
        select id
        from auth.user_account
        where email_folded = $1 and enabled
        limit 1
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// Counted before it is compared, in a statement of its own.
    static let countAttempt = Statement(
        by: "password_recovery_pkey",
        """
        update auth.password_recovery
        set attempts = least(attempts + 1, 1000)
        where id = $1
        returning user_id, code_hmac, attempts,
            answered_at is null and used_at is null and expires_at > now()
        """
    ) { row in
        try OpenRecovery(
            user: row.value(0),
            codeHMAC: row.bytes(1),
            attempts: row.int16(2),
            isOpen: row.bool(3)
        )
    }

    /// Of any number of right answers at once one gets the token ($2), good until $3.
    static let answer = Statement(
        by: "password_recovery_pkey",
        """
        update auth.password_recovery
        set answered_at = now(), token_hash = $2, expires_at = $3
        where id = $1 and answered_at is null and used_at is null and expires_at > now()
        returning id
        """
    ) { row in try row.value(0, as: ID<PasswordRecovery>.self) }

    /// Whose recovery a token is of, while it may be used.
    static let holder = Statement(
        by: "password_recovery_pkey",
        """
        select user_id
        from auth.password_recovery
        where id = $1 and token_hash = $2 and used_at is null and expires_at > now()
        limit 1
        """
    ) { row in try row.value(0, as: ID<User>?.self) }

    static let exists = Statement(
        by: "password_recovery_pkey",
        "select true from auth.password_recovery where id = $1 limit 1"
    ) { row in try row.bool(0) }

    static let use = Statement(
        by: "password_recovery_pkey",
        """
        update auth.password_recovery
        set used_at = now()
        where id = $1 and token_hash = $2 and used_at is null and expires_at > now()
        returning id
        """
    ) { row in try row.value(0, as: ID<PasswordRecovery>.self) }

    /// Whatever else is under way for the account ends.
    static let void = Statement<Void>(
        by: "password_recovery_user_id_idx",
        """
        update auth.password_recovery
        set used_at = now()
        where user_id = $1 and used_at is null
        """
    )

    /// And the indexes by user of what is taken away: whether anything was.
    static let clear = Statement(
        "select auth.clear_ways_in($1)"
    ) { row in try row.bool(0) }

    /// Kept a while, so that an ended one is told apart.
    static let deleteOld = Statement<Void>(
        by: "password_recovery_expires_at_idx",
        """
        delete from auth.password_recovery
        where ctid = any(array(
            select ctid
            from auth.password_recovery
            where expires_at < now() - interval '7 days'
            limit 5000))
        """
    )
}
