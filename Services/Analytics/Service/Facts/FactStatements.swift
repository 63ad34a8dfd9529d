import Postgres
import ServiceKit

/// The SQL that applies what the ledger tells; each writes its arrays' rows by primary key.
///
/// Of postings there are thousands, unnested where they are selected: in `from` each array would
/// be written down once more.
enum FactStatements {
    /// A posting that was there, or was taken back before it came, changes nothing; told is how
    /// many count from now on and, where it is not all of them, which.
    static let post = Statement(
        by: "fact_pkey",
        """
        with made as (
            insert into analytics.fact (
                user_id, transaction_id, version, part, is_reversed, account_id, account_kind, day,
                amount, currency, category_id, coicop
            )
            select unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::int8[]),
                unnest($4::int4[]), false, unnest($5::uuid[]), unnest($6::text[]),
                unnest($7::date[]), unnest($8::int8[]), unnest($9::text[]), unnest($10::uuid[]),
                unnest($11::text[])
            on conflict (user_id, transaction_id, version, part) do nothing
            returning user_id, account_id, category_id, currency, day, amount, part
        )
        select made.user_id, made.account_id, made.category_id, made.currency, made.day,
            made.amount, made.part, counted.count
        from (select count(*) from made) as counted
        left join made on counted.count < cardinality($1::uuid[])
        """
    ) { row in
        (
            count: try row.int64(7),
            change: row.isNull(0) ? nil : try CellChange(row, sign: 1)
        )
    }

    /// A reversal repeats what it takes back, so it can stand where that has not come yet.
    static let foresee = Statement<Void>(
        by: "fact_pkey",
        """
        insert into analytics.fact (
            user_id, transaction_id, version, part, is_reversed, account_id, account_kind, day,
            amount, currency, category_id, coicop
        )
        select unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::int8[]), unnest($4::int4[]),
            true, unnest($5::uuid[]), unnest($6::text[]), unnest($7::date[]),
            unnest($8::int8[]), unnest($9::text[]), unnest($10::uuid[]), unnest($11::text[])
        on conflict (user_id, transaction_id, version, part) do nothing
        """
    )

    /// Takes back what is there and counts, and tells of it; what stands for one that was foreseen
    /// does not count.
    static let reverse = Statement(
        by: "fact_pkey",
        """
        insert into analytics.fact (
            user_id, transaction_id, version, part, is_reversed, account_id, account_kind, day,
            amount, currency, category_id, coicop
        )
        select unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::int8[]), unnest($4::int4[]),
            true, unnest($5::uuid[]), unnest($6::text[]), unnest($7::date[]),
            unnest($8::int8[]), unnest($9::text[]), unnest($10::uuid[]), unnest($11::text[])
        on conflict (user_id, transaction_id, version, part) do update set is_reversed = true
        where not fact.is_reversed
        returning user_id, account_id, category_id, currency, day, amount, part
        """
    ) { row in try CellChange(row, sign: -1) }

    /// An event that an older one follows stays.
    static let upsertMember = Statement<Void>(
        by: "wallet_member_pkey",
        """
        insert into analytics.wallet_member (user_id, account_id, is_member, sequence)
        values ($1, $2, $3, $4)
        on conflict (user_id, account_id) do update
        set is_member = excluded.is_member, sequence = excluded.sequence
        where wallet_member.sequence < excluded.sequence
        """
    )

    /// One row of each category.
    static let upsertCategory = Statement<Void>(
        by: "category_pkey",
        """
        insert into analytics.category (user_id, category_id, coicop, parent_id)
        select user_id, category_id, coicop, parent_id
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[])
            as told (user_id, category_id, coicop, parent_id)
        on conflict (user_id, category_id) do update
        set coicop = excluded.coicop, parent_id = excluded.parent_id
        """
    )
}
