import Postgres
import ServiceKit
import WalletProtocol

/// The SQL by which facts are held against the journal; fact_pkey serves every statement.
enum FactCheckStatements {
    /// In the order of the key, behind a place.
    static let some = Statement(
        by: "fact_pkey",
        """
        select user_id, transaction_id, version, part, is_reversed, day, amount, currency
        from analytics.fact
        where (transaction_id, version, part, user_id) > ($2, $3, $4, $1)
        order by transaction_id, version, part, user_id
        limit $5
        """
    ) { row in try KeptFact(row) }

    /// Of what was told that which is missing, is otherwise, or stands though it is taken back; of
    /// nobody who is erased.
    static let differing = Statement(
        by: "fact_pkey, erased_user_pkey",
        """
        select told.nth, f.is_reversed, f.amount, f.currency
        from unnest(
            $1::uuid[], $2::uuid[], $3::int8[], $4::uuid[], $5::text[], $6::date[], $7::int8[],
            $8::text[], $9::uuid[], $10::text[], $11::int4[], $12::bool[]
        ) with ordinality as told (
            user_id, transaction_id, version, account_id, account_kind, day, amount, currency,
            category_id, coicop, part, is_reversed, nth
        )
        left join lateral (
            select is_reversed, account_id, account_kind, day, amount, currency, category_id,
                coicop
            from analytics.fact
            where user_id = told.user_id and transaction_id = told.transaction_id
                and version = told.version and part = told.part
            limit 1
        ) as f on true
        where (
                f.is_reversed is null or (told.is_reversed and not f.is_reversed)
                or (f.account_id, f.account_kind, f.day, f.amount, f.currency, f.category_id,
                    f.coicop)
                is distinct from (told.account_id, told.account_kind, told.day, told.amount,
                    told.currency, told.category_id, told.coicop)
            )
            and not exists (
                select from analytics.erased_user e where e.user_id = told.user_id)
        order by told.nth
        """
    ) { row in
        let isReversed = try row.value(1, as: Bool?.self)
        return (
            nth: try row.int64(0),
            kept: try isReversed.map {
                (isReversed: $0, amount: Money(minorUnits: try row.int64(2), try row.value(3)))
            }
        )
    }

    /// What was never booked; told is what counted.
    static let remove = Statement(
        by: "fact_pkey",
        """
        delete from analytics.fact
        where user_id = $1 and transaction_id = $2 and version = $3 and part = $4
        returning user_id, account_id, category_id, currency, day, amount, part, is_reversed
        """
    ) { row in try row.bool(7) ? nil : try CellChange(row, sign: -1) }

    /// What nobody has taken back.
    static let revive = Statement(
        by: "fact_pkey",
        """
        update analytics.fact
        set is_reversed = false
        where user_id = $1 and transaction_id = $2 and version = $3 and part = $4 and is_reversed
        returning user_id, account_id, category_id, currency, day, amount, part
        """
    ) { row in try CellChange(row, sign: 1) }

    /// What it counts as until it is corrected.
    static let lock = Statement(
        by: "fact_pkey",
        """
        select user_id, account_id, category_id, currency, day, amount, part, is_reversed
        from analytics.fact
        where user_id = $1 and transaction_id = $2 and version = $3 and part = $4
        limit 1
        for no key update
        """
    ) { row in try row.bool(7) ? nil : try CellChange(row, sign: -1) }

    /// What it counts as from now on.
    static let correct = Statement(
        by: "fact_pkey",
        """
        update analytics.fact
        set account_id = $5, account_kind = $6, day = $7, amount = $8, currency = $9,
            category_id = $10, coicop = $11
        where user_id = $1 and transaction_id = $2 and version = $3 and part = $4
        returning user_id, account_id, category_id, currency, day, amount, part, is_reversed
        """
    ) { row in try row.bool(7) ? nil : try CellChange(row, sign: 1) }
}
