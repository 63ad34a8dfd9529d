import Postgres
import ServiceKit

/// The SQL that applies the ledger's events; each statement is one look-up by primary key.
enum FactStatements {
    /// By fact_pkey: a posting that was there, or was taken back before it came, changes nothing.
    static let post = Statement<Void>(
        """
        insert into analytics.fact (
            user_id, transaction_id, version, is_reversed, is_own_transfer, account_id,
            account_kind, day, amount, currency, category_id, coicop
        )
        values ($1, $2, $3, false, $4, $5, $6::text, $7, $8, $9::text, $10, $11::text)
        on conflict (user_id, transaction_id, version) do nothing
        """
    )

    /// By fact_pkey: a reversal repeats what it takes back, so it can stand alone.
    static let reverse = Statement<Void>(
        """
        insert into analytics.fact (
            user_id, transaction_id, version, is_reversed, is_own_transfer, account_id,
            account_kind, day, amount, currency, category_id, coicop
        )
        values ($1, $2, $3, true, $4, $5, $6::text, $7, $8, $9::text, $10, $11::text)
        on conflict (user_id, transaction_id, version) do update set is_reversed = true
        where not fact.is_reversed
        """
    )

    /// By category_pkey.
    static let upsertCategory = Statement<Void>(
        """
        insert into analytics.category (user_id, category_id, coicop)
        values ($1, $2, $3::text)
        on conflict (user_id, category_id) do update set coicop = excluded.coicop
        """
    )
}
