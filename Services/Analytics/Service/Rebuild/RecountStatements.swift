import Postgres
import ServiceKit
import WalletProtocol

/// The SQL by which cells are held against facts.
enum RecountStatements {
    /// Some who have facts, expenses or cells, behind one, by a skip scan.
    static let owners = Statement(
        by: "fact_user_currency_day_idx, report_cell_pkey, group_expense_",
        """
        with recursive owner as (
            select $1::uuid as id
            union all
            select next.id
            from owner o
            cross join lateral (
                select found.id
                from (
                    (
                        select f.user_id as id
                        from analytics.fact f
                        where f.user_id > o.id
                        order by f.user_id
                        limit 1
                    )
                    union all
                    (
                        select c.owner_id
                        from analytics.report_cell c
                        where c.owner_id > o.id
                        order by c.owner_id
                        limit 1
                    )
                    union all
                    (
                        select e.group_id
                        from analytics.group_expense e
                        where e.group_id > o.id
                        order by e.group_id
                        limit 1
                    )
                ) as found
                order by found.id
                limit 1
            ) as next
        )
        select id
        from owner
        where id > $1
        limit 500
        """
    ) { row in try row.value(0, as: ID<CellOwner>.self) }

    /// The next currency of an owner's behind one.
    static let currency = Statement(
        by: "fact_user_currency_day_idx, report_cell_pkey, group_expense_currency_day_idx",
        """
        select least(
            (
                select currency
                from analytics.fact
                where user_id = $1 and currency > $2 and not is_reversed
                order by currency
                limit 1
            ), (
                select currency
                from analytics.group_expense
                where group_id = $1 and currency > $2
                order by currency
                limit 1
            ), (
                select currency
                from analytics.report_cell
                where owner_id = $1 and currency > $2
                order by currency
                limit 1
            )
        )
        """
    ) { row in try row.value(0, as: String?.self) }

    /// The day on which so many bookings from a day on are full; null, where there are fewer.
    static let end = Statement(
        by: "fact_user_currency_day_idx, group_expense_currency_day_idx",
        """
        select least(
            (
                select day
                from analytics.fact
                where user_id = $1 and currency = $2 and day >= $3 and not is_reversed
                order by day
                offset $4
                limit 1
            ), (
                select day
                from analytics.group_expense
                where group_id = $1 and currency = $2 and day >= $3
                order by day
                offset $4
                limit 1
            )
        )
        """
    ) { row in try row.value(0, as: Day?.self) }

    /// Two who correct the cells of one owner would add the same twice.
    static let lock = Statement<Void>(
        "select pg_advisory_xact_lock(hashtextextended($1, 4998))"
    )

    /// Whether an owner is a person, or was, and no group.
    static let isPerson = Statement(
        by: "person_pkey, fact_, erased_user_pkey",
        """
        select exists (select from analytics.person where user_id = $1)
            or exists (select from analytics.fact where user_id = $1)
            or exists (select from analytics.erased_user where user_id = $1)
        """
    ) { row in try row.bool(0) }

    /// Cells of whole months that are not what facts come to, the first of them; `$5`: all are
    /// corrected, by what they lack.
    ///
    /// One statement sees both as of one moment. Nothing of whoever is erased.
    static let recount = Statement(
        by: "fact_user_currency_day_idx, group_expense_currency_day_idx, report_cell_pkey",
        """
        with booked as (
            select account_id, category_id, day, amount, part
            from analytics.fact
            where user_id = $1 and currency = $2 and day between $3 and $4 and not is_reversed
            union all
            select group_id, category_id, day, -amount, 0
            from analytics.group_expense
            where group_id = $1 and currency = $2 and day between $3 and $4
        ), counted as (
            select grained.grain, grained.start, booked.category_id, booked.account_id,
                booked.amount >= 0 as is_income, sum(booked.amount::numeric) as amount,
                count(*) as part_count, count(*) filter (where booked.part = 0)
                as transaction_count
            from booked
            cross join lateral (
                values ('day', booked.day),
                    ('month', date_trunc('month', booked.day::timestamp)::date)
            ) as grained (grain, start)
            group by 1, 2, 3, 4, 5
        ), own as materialized (
            select month, category_id, account_id, is_income, amount, part_count,
                transaction_count, days
            from analytics.report_cell
            where owner_id = $1 and currency = $2 and month between $3 and $4
        ), kept as (
            select 'month' as grain, month as start, category_id, account_id, is_income, amount,
                part_count, transaction_count
            from own
            union all
            select 'day', d.day, o.category_id, o.account_id, o.is_income, sum(d.amount),
                sum(d.part_count)::int8, sum(d.transaction_count)::int8
            from own o
            cross join lateral (
                select day, amount, part_count, transaction_count
                from analytics.cell_days(o.month, o.days)
                offset 0
            ) as d
            group by 1, 2, 3, 4, 5
        ), differing as materialized (
            select grain, start, category_id, account_id, is_income,
                coalesce(counted.amount, 0) as amount,
                coalesce(counted.part_count, 0) as part_count,
                coalesce(counted.transaction_count, 0) as transaction_count,
                coalesce(kept.amount, 0) as kept_amount,
                coalesce(kept.part_count, 0) as kept_parts,
                coalesce(kept.transaction_count, 0) as kept_transactions
            from counted
            full join kept using (grain, start, category_id, account_id, is_income)
            where (coalesce(counted.amount, 0), coalesce(counted.part_count, 0),
                    coalesce(counted.transaction_count, 0))
                <> (coalesce(kept.amount, 0), coalesce(kept.part_count, 0),
                    coalesce(kept.transaction_count, 0))
                and not exists (select from analytics.erased_user where user_id = $1)
        ), lacking as (
            select date_trunc('month', start::timestamp)::date as month, category_id, account_id,
                is_income, grain, start, amount - kept_amount as amount,
                part_count - kept_parts as part_count,
                transaction_count - kept_transactions as transaction_count
            from differing
            where $5
        ), corrected as (
            insert into analytics.report_cell as cell (
                owner_id, currency, month, category_id, account_id, is_income, amount,
                part_count, transaction_count, days
            )
            select $1, $2, month, category_id, account_id, is_income,
                coalesce(sum(amount) filter (where grain = 'month'), 0),
                coalesce(sum(part_count) filter (where grain = 'month'), 0),
                coalesce(sum(transaction_count) filter (where grain = 'month'), 0),
                analytics.joined(
                    analytics.day_numbers(
                        extract(day from start)::int8, amount, part_count, transaction_count)
                    order by start) filter (where grain = 'day')
            from lacking
            group by month, category_id, account_id, is_income
            order by month, category_id, account_id, is_income
            on conflict (owner_id, currency, month, category_id, account_id, is_income)
            do update set amount = cell.amount + excluded.amount,
                part_count = cell.part_count + excluded.part_count,
                transaction_count = cell.transaction_count + excluded.transaction_count,
                days = analytics.merged_days(cell.days || excluded.days)
        )
        select grain, start, account_id, category_id, $2::text, amount, kept_amount, part_count,
            kept_parts
        from differing
        order by start, grain, account_id, category_id
        limit $6
        """
    ) { row in
        let currency: Currency = try row.value(4)
        return DifferingCell(
            grain: try row.string(0),
            start: try row.value(1),
            account: try row.value(2),
            category: try row.value(3),
            counted: Total(minorUnits: try row.value(5), currency),
            kept: Total(minorUnits: try row.value(6), currency),
            parts: (counted: try row.int64(7), kept: try row.int64(8))
        )
    }
}
