import Postgres
import ServiceKit

/// The SQL of used proofs of phones.
enum PhoneTokenStatements {
    /// Of any number at once one uses it.
    static let use = Statement<Void>(
        """
        insert into auth.used_phone_token (token_hash)
        values ($1)
        on conflict do nothing
        """
    )

    /// Longer than any token lives.
    static let deleteOld = Statement<Void>(
        by: "used_phone_token_used_at_idx",
        """
        delete from auth.used_phone_token
        where ctid = any(array(
            select ctid
            from auth.used_phone_token
            where used_at < now() - interval '1 day'
            limit 5000))
        """
    )
}
