import Postgres
import ServiceKit
import WalletProtocol

/// How far the sums of an account's ended months are kept, and what has changed since.
struct KeptState: Sendable {
    let account: ID<Account>
    /// Days before this one are in the sums; nil where nothing is kept yet.
    let closedBefore: Day?
    /// Lines that there have ever been.
    let lines: Int64
    /// Changes since the sums were made, and the days before `closedBefore` that they were of.
    let changes: Int64
    let days: [Day]
}

/// The SQL of the sums of months that are over.
enum KeptStatements {
    /// A look-up for each account, and one for each version that was written since.
    static let state = Statement(
        by: "balance_pkey, report_closing_pkey, money_transaction_seq_key, changed_pkey",
        """
        with recursive kept as (
            select chosen.id, closing.closed_before, closing.mark
            from unnest($1::uuid[]) as chosen (id)
            left join ledger.report_closing as closing on closing.account_id = chosen.id
        ), newest as (
            select t.account_id, t.seq, t.xid, t.day, kept.mark, kept.closed_before
            from kept
            cross join lateral (
                select account_id, seq, xid, day from ledger.money_transaction
                where account_id = kept.id and kept.mark is not null
                order by account_id desc, seq desc
                limit 1
            ) as t
            union all
            select before.account_id, before.seq, before.xid, before.day, newest.mark,
                newest.closed_before
            from newest
            cross join lateral (
                select account_id, seq, xid, day from ledger.money_transaction
                where account_id = newest.account_id and seq < newest.seq
                order by account_id desc, seq desc
                limit 1
            ) as before
            where newest.xid >= newest.mark
        ), touched as (
            select account_id, day, closed_before from newest where xid >= mark
            union all
            select kept.id, ended.day, kept.closed_before
            from kept
            cross join lateral (
                select id from ledger.changed
                where account_id = kept.id and changed.xid >= kept.mark
                offset 0
            ) as one
            cross join lateral (
                select day from ledger.money_transaction as t
                where t.id = one.id and t.account_id = kept.id
                offset 0
            ) as ended
        )
        select kept.id, kept.closed_before, coalesce(balance.sequence, 0), coalesce(since.count, 0),
            coalesce(since.days, '{}')
        from kept
        left join ledger.balance on balance.account_id = kept.id
        left join (
            select account_id, count(*) as count,
                array_agg(distinct day) filter (where day < closed_before) as days
            from touched
            group by account_id
        ) as since on since.account_id = kept.id
        """
    ) { row in
        try KeptState(
            account: row.value(0),
            closedBefore: row.value(1),
            lines: row.int64(2),
            changes: row.int64(3),
            days: row.value(4)
        )
    }

    /// Fails as a conflict where the owner's row has been written since the transaction began.
    static let holdOwner = Statement(
        by: "person_pkey",
        "select true from ledger.person where user_id = $1 limit 1 for share"
    ) { row in try row.bool(0) }

    static let close = Statement<Void>(
        by: "report_closing_pkey",
        """
        insert into ledger.report_closing (account_id, user_id, closed_before, mark)
        values ($1, $2, $3, $4::text::xid8)
        on conflict (account_id) do update
        set closed_before = excluded.closed_before, mark = excluded.mark
        """
    )

    static let forgetDays = Statement<Void>(
        by: "report_day_pkey",
        "delete from ledger.report_day where account_id = $1 and day >= $2 and day < $3"
    )

    static let keepDays = Statement<Void>(
        by: "money_transaction_account_idx",
        """
        insert into ledger.report_day (account_id, day, amount)
        select account_id, day, sum(amount) from ledger.money_transaction
        where account_id = $1 and reversed_by is null and day >= $2 and day < $3
        group by account_id, day
        """
    )

    static let forgetMonths = Statement<Void>(
        by: "report_month_idx",
        """
        delete from ledger.report_month
        where account_id = $1 and by_place = any ('{false,true}') and month >= $2 and month < $3
        """
    )

    /// What counts in the owner's own books, as `CountedStatements` has it.
    static let keepNames = Statement<Void>(
        by: "money_transaction_account_idx, transaction_line_",
        """
        with t as materialized (
            select id, version, day, amount, is_split, name from ledger.money_transaction
            where account_id = $1 and day >= $3 and day < $4 and (user_id = $2) is true
                and not own_transfer and reversed_by is null
        )
        insert into ledger.report_month
            (account_id, by_place, month, is_income, name, amount, parts, transactions)
        select $1, false, date_trunc('month', part.day::timestamp)::date, part.amount >= 0,
            part.name collate "C", sum(part.amount), count(*),
            count(*) filter (where part.is_first)
        from (
            select day, name, amount, true as is_first from t where not is_split
            union all
            select day, name, line.amount,
                row_number() over (partition by t.id order by line.place) = 1
            from t
            cross join lateral (
                select amount, place from ledger.transaction_line
                where transaction_id = t.id and version = t.version
                offset 0
            ) as line
            where t.is_split
        ) as part
        group by 3, 4, 5
        """
    )

    /// And has a location.
    static let keepPlaces = Statement<Void>(
        by: "money_transaction_located_account_idx, transaction_line_",
        """
        with t as materialized (
            select id, version, day, amount, is_split, place,
                round(latitude / 1000.0)::integer as north,
                round(longitude / 1000.0)::integer as east
            from ledger.money_transaction
            where account_id = $1 and day >= $3 and day < $4 and (user_id = $2) is true
                and not own_transfer
                and (latitude is not null and reversed_by is null) is not false
        )
        insert into ledger.report_month
            (account_id, by_place, month, is_income, place, north, east, amount, parts,
            transactions)
        select $1, true, date_trunc('month', part.day::timestamp)::date, part.amount >= 0,
            max(part.label), part.north, part.east, sum(part.amount), count(*),
            count(*) filter (where part.is_first)
        from (
            select day, place as label, north, east, amount, true as is_first
            from t
            where not is_split
            union all
            select day, t.place, north, east, line.amount,
                row_number() over (partition by t.id order by line.place) = 1
            from t
            cross join lateral (
                select amount, place from ledger.transaction_line
                where transaction_id = t.id and version = t.version
                offset 0
            ) as line
            where t.is_split
        ) as part
        group by 3, 4, 6, 7
        """
    )

    /// Of some months, by their first days, each way.
    static let sums = Statement(
        by: "report_month_idx",
        """
        select kept.is_income, sum(kept.amount), sum(kept.parts)::bigint,
            sum(kept.transactions)::bigint, kept.name collate "C", max(kept.place), kept.north,
            kept.east
        from unnest($1::uuid[]) as chosen (id)
        cross join lateral (
            select * from ledger.report_month
            where account_id = chosen.id and by_place = $2 and month >= $3 and month <= $4
                and is_income = any ($5)
            offset 0
        ) as kept
        group by kept.name collate "C", kept.north, kept.east, kept.is_income
        limit $6
        """
    ) { row in
        try CountedRow(
            isIncome: row.bool(0),
            foreign: nil,
            sum: row.value(1),
            count: row.int64(2),
            transactions: row.int64(3),
            name: row.value(4),
            label: row.value(5),
            north: row.value(6),
            east: row.value(7)
        )
    }
}
