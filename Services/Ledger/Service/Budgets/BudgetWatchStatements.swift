import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of those who look after envelopes behind the writes.
enum BudgetWatchStatements {
    /// One row where it is new.
    static let alert = Statement<Void>(
        """
        insert into ledger.budget_alert (user_id, category_id, month)
        values ($1, $2, $3)
        on conflict do nothing
        """
    )

    static let forgetAlert = Statement<Void>(
        by: "budget_alert_pkey",
        "delete from ledger.budget_alert where user_id = $1 and category_id = $2 and month = $3"
    )

    /// One replica at a time.
    static let mark = Statement(
        by: "budget_watch_pkey",
        """
        select mark from ledger.budget_watch where is_one for no key update skip locked
        """
    ) { row in try row.int64(0) }

    /// Any envelope at all: without one nothing is looked through.
    static let anyEnvelope = Statement(
        by: "budget_allocation_, household_category_",
        """
        select exists (select from ledger.budget_allocation limit 1)
            or exists (select from ledger.household_category limit 1)
        """
    ) { row in try row.bool(0) }

    /// The categories with envelopes that entries have to do with, those of the versions before
    /// among them, and the families in whose envelopes some count: entry_place_key, entry_pkey,
    /// money_transaction_pkey, transaction_line_pkey, budget_allocation_pkey,
    /// household_category_pkey.
    ///
    /// `offset 0` keeps each a look-up of its own.
    static let touch = Statement<Void>(
        by: "entry_place_key, money_transaction_, budget_allocation_, household_category_",
        """
        with touched as materialized (
            select distinct t.user_id, named.category_id, t.day
            from (
                select transactions, versions, reverses from ledger.entry
                where place > $1 and place <= $2
                offset 0
            ) as e
            cross join lateral (
                select unnest(e.transactions) as id, unnest(e.versions) as version
                union all
                (select unnest(r.transactions), unnest(r.versions) from ledger.entry as r
                where r.id = e.reverses
                offset 0)
            ) as made
            cross join lateral (
                select * from ledger.money_transaction as found
                where found.id = made.id and found.version in (made.version, made.version - 1)
                offset 0
            ) as t
            cross join lateral (
                select t.category_id where not t.is_split
                union all
                select l.category_id from ledger.transaction_line as l
                where t.is_split and l.transaction_id = t.id and l.version = t.version
            ) as named (category_id)
            where not t.own_transfer
        ), own as (
            insert into ledger.budget_touched (user_id, category_id, day)
            select user_id, category_id, day from touched
            cross join lateral (
                select from ledger.budget_allocation as b
                where b.user_id = touched.user_id and b.category_id = touched.category_id
                limit 1
            ) as given
        )
        insert into ledger.household_touched (family_id, day)
        select distinct placed.family_id, touched.day
        from touched
        cross join lateral (
            select family_id from ledger.household_category as c
            where c.user_id = touched.user_id and c.category_id = touched.category_id
                and c.month <= touched.day
            limit 1
        ) as placed
        """
    )

    static let advance = Statement<Void>(
        by: "budget_watch_pkey",
        "update ledger.budget_watch set mark = $1 where is_one"
    )

    /// Whoever has waited for longest.
    static let next = Statement(
        by: "budget_touched_pkey",
        """
        select user_id from ledger.budget_touched order by id limit 1 for update skip locked
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// What is seen of one person, to be looked at now.
    static let take = Statement(
        by: "budget_touched_user_idx",
        "delete from ledger.budget_touched where user_id = $1 returning category_id, day"
    ) { row in
        try (
            category: row.value(0, as: CategoryID.self),
            day: row.value(1, as: Day.self)
        )
    }
}
