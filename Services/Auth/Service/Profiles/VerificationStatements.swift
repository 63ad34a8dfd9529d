import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of mailed links; each statement names the index that serves it.
enum VerificationStatements {
    static let insert = Statement<Void>(
        """
        insert into auth.email_verification (token_hash, user_id, email, expires_at)
        values ($1, $2, $3, $4)
        """
    )

    /// Whose it is, and whether it can still be used.
    static let find = Statement(
        by: "email_verification_pkey",
        """
        select user_id, email, used_at is null and expires_at > now()
        from auth.email_verification
        where token_hash = $1
        limit 1
        """
    ) { row in try (row.value(0, as: ID<User>.self), row.string(1), row.bool(2)) }

    /// Once, under the person's lock.
    static let use = Statement(
        by: "email_verification_pkey",
        """
        update auth.email_verification
        set used_at = now()
        where token_hash = $1 and used_at is null and expires_at > now()
        returning user_id
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// Links to addresses that are nobody's business any more.
    static let endOthers = Statement<Void>(
        by: "email_verification_user_id_idx",
        """
        update auth.email_verification
        set expires_at = least(expires_at, now())
        where user_id = $1 and used_at is null and email <> $2
        """
    )

    /// Links to all but the current address.
    static let endForeign = Statement<Void>(
        by: "email_verification_user_id_idx, user_account_pkey",
        """
        update auth.email_verification
        set expires_at = least(expires_at, now())
        where user_id = $1 and used_at is null
            and email <> (select u.email from auth.user_account u where u.id = $1)
        """
    )

    /// Kept a while, so that an ended link is told apart.
    static let deleteOld = Statement<Void>(
        by: "email_verification_expires_at_idx",
        """
        delete from auth.email_verification
        where ctid = any(array(
            select ctid
            from auth.email_verification
            where expires_at < now() - interval '30 days'
            limit 5000))
        """
    )
}
