import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of envelopes.
enum BudgetStatements {
    private static func figure(_ row: borrowing PostgresRow) throws -> BudgetFigure {
        try BudgetFigure(
            category: row.value(0),
            month: row.value(1, as: Day.self).month,
            day: row.value(2),
            currency: row.value(3),
            amount: row.value(4)
        )
    }

    /// Whether any of these has an envelope.
    static let exists = Statement(
        by: "budget_allocation_pkey",
        """
        select exists (
            select from ledger.budget_allocation where user_id = $1 and category_id = any ($2))
        """
    ) { row in try row.bool(0) }

    /// Up to a month.
    static let allocations = Statement(
        by: "budget_allocation_pkey",
        """
        select category_id, month, day, currency, amount from ledger.budget_allocation
        where user_id = $1 and category_id = any ($2) and month <= $3
        """
    ) { row in try figure(row) }

    /// The first month of all that anything was allocated to.
    static let firstMonth = Statement(
        by: "budget_allocation_",
        "select min(month) from ledger.budget_allocation where user_id = $1"
    ) { row in try row.value(0, as: Day?.self)?.month }

    static let allocate = Statement<Void>(
        by: "budget_allocation_pkey",
        """
        insert into ledger.budget_allocation (user_id, category_id, month, day, currency, amount)
        values ($1, $2, $3, $4, $5, $6)
        on conflict (user_id, category_id, month, day, currency) do update
        set amount = budget_allocation.amount + excluded.amount, xid = pg_current_xact_id()
        """
    )

    /// With a category its envelopes go to another.
    static let move = Statement<Void>(
        by: "budget_allocation_pkey",
        """
        with gone as (
            delete from ledger.budget_allocation where user_id = $1 and category_id = $2
            returning month, day, currency, amount, id
        ), told as (
            insert into ledger.budget_allocation_gone (user_id, id) select $1, id from gone
        )
        insert into ledger.budget_allocation (user_id, category_id, month, day, currency, amount)
        select $1, $3, month, day, currency, amount from gone
        on conflict (user_id, category_id, month, day, currency) do update
        set amount = budget_allocation.amount + excluded.amount, xid = pg_current_xact_id()
        """
    )

    static let drop = Statement<Void>(
        by: "budget_allocation_pkey",
        """
        with gone as (
            delete from ledger.budget_allocation where user_id = $1 and category_id = $2
            returning id
        )
        insert into ledger.budget_allocation_gone (user_id, id) select $1, id from gone
        """
    )

    // MARK: What was spent

    /// money_transaction_user_idx, transaction_line_pkey: of all categories on some days, by month;
    /// in the person's own currency a row a month.
    static let spending: StaticString = """
        select category_id, date_trunc('month', (day - ($4::integer - 1))::timestamp)::date,
            case when currency = $5::text
                then date_trunc('month', (day - ($4::integer - 1))::timestamp)::date
                else day end,
            currency,
            sum(amount)
        from (
            select t.category_id, t.day, a.currency, t.amount
            from ledger.money_transaction as t join ledger.account as a on a.id = t.account_id
            where t.user_id = $1 and t.day >= $2 and t.day < $3 and t.reversed_by is null
                and not t.own_transfer and not t.is_split
            union all
            select l.category_id, t.day, a.currency, l.amount
            from ledger.money_transaction as t
            join ledger.account as a on a.id = t.account_id
            join ledger.transaction_line as l
                on l.transaction_id = t.id and l.version = t.version
            where t.user_id = $1 and t.day >= $2 and t.day < $3 and t.reversed_by is null
                and not t.own_transfer and t.is_split
        ) as line
        group by 1, 2, 3, 4
        """

    /// money_transaction_category_idx, transaction_line_category_idx: of some categories.
    static let spendingOfSome: StaticString = """
        select category_id, date_trunc('month', (day - ($4::integer - 1))::timestamp)::date,
            case when currency = $5::text
                then date_trunc('month', (day - ($4::integer - 1))::timestamp)::date
                else day end,
            currency,
            sum(amount)
        from unnest($6::uuid[]) as wanted (id)
        cross join lateral (
            select t.category_id, t.day, a.currency, t.amount
            from ledger.money_transaction as t join ledger.account as a on a.id = t.account_id
            where t.user_id = $1 and t.category_id = wanted.id and t.day >= $2 and t.day < $3
                and t.reversed_by is null and not t.own_transfer and not t.is_split
            union all
            select l.category_id, l.day, a.currency, l.amount
            from ledger.transaction_line as l
            join ledger.money_transaction as t
                on t.id = l.transaction_id and t.version = l.version
            join ledger.account as a on a.id = t.account_id
            where l.user_id = $1 and l.category_id = wanted.id and l.day >= $2 and l.day < $3
                and l.is_current and not t.own_transfer
        ) as line
        group by 1, 2, 3, 4
        """

    static func spent(
        by user: ID<User>,
        from: Day,
        before: Day,
        _ calendar: BudgetCalendar,
        in currency: Currency,
        categories: [CategoryID]? = nil
    ) -> BoundStatement<BudgetFigure> {
        let start = Int32(calendar.monthStart)
        let builder =
            if let categories {
                StatementBuilder(
                    spendingOfSome,
                    user,
                    from,
                    before,
                    start,
                    currency.code,
                    categories
                )
            } else {
                StatementBuilder(spending, user, from, before, start, currency.code)
            }
        return builder.statement { row in try figure(row) }
    }

    // MARK: Months that are over

    static let closing = Statement(
        by: "budget_closing_pkey",
        """
        select month_start, currency, opened_from, closed_before, mark::text
        from ledger.budget_closing
        where user_id = $1 and of_household = $2
        """
    ) { row in
        try BudgetClosing(
            monthStart: Int(row.int16(0)),
            currency: row.value(1),
            openedFrom: row.value(2),
            closedBefore: row.value(3),
            mark: row.string(4)
        )
    }

    /// How many changes there were since a mark on what somebody records on, or did once, and on
    /// which days.
    static let changes = Statement(
        by:
            "account_user_id_idx, account_member_, money_transaction_seq_key, changed_pkey",
        """
        with recursive mine as (
            select id from ledger.account where user_id = $1
            union
            select account_id from ledger.account_member where user_id = $1
        ), newest as (
            select t.account_id, t.seq, t.xid, t.day
            from mine
            cross join lateral (
                select account_id, seq, xid, day from ledger.money_transaction
                where account_id = mine.id
                order by account_id desc, seq desc
                limit 1
            ) as t
            union all
            select before.account_id, before.seq, before.xid, before.day
            from newest
            cross join lateral (
                select account_id, seq, xid, day from ledger.money_transaction
                where account_id = newest.account_id and seq < newest.seq
                order by account_id desc, seq desc
                limit 1
            ) as before
            where newest.xid >= $2::text::xid8
        )
        select count(*),
            coalesce(array_agg(distinct day) filter (where day >= $3 and day < $4), '{}')
        from (
            select day from newest where xid >= $2::text::xid8
            union all
            select ended.day
            from mine
            cross join lateral (
                select id from ledger.changed
                where account_id = mine.id and changed.xid >= $2::text::xid8
                offset 0
            ) as touched
            cross join lateral (
                select day from ledger.money_transaction as t
                where t.id = touched.id and t.reversed_by is not null
                offset 0
            ) as ended
        ) as days
        """
    ) { row in try (count: row.int64(0), days: row.value(1, as: [Day].self)) }

    /// No table: what is below has ended, and is seen.
    static let horizon = Statement(
        "select pg_snapshot_xmin(pg_current_snapshot())::text"
    ) { row in try row.string(0) }

    static let forgetMonths = Statement<Void>(
        by: "budget_spending_pkey",
        """
        delete from ledger.budget_spending
        where user_id = $1 and month = any ($2) and of_household = $3
        """
    )

    static let forgetAll = Statement<Void>(
        by: "budget_spending_pkey",
        "delete from ledger.budget_spending where user_id = $1 and of_household = $2"
    )

    static let keep = Statement<Void>(
        """
        insert into ledger.budget_spending
            (user_id, month, category_id, day, currency, amount, of_household)
        select $1, month, category_id, day, currency, amount, $7
        from unnest($2::date[], $3::uuid[], $4::date[], $5::text[], $6::numeric[])
            as new (month, category_id, day, currency, amount)
        on conflict do nothing
        """
    )

    static let close = Statement<Void>(
        by: "budget_closing_pkey",
        """
        insert into ledger.budget_closing
            (user_id, month_start, currency, opened_from, closed_before, mark, of_household)
        values ($1, $2, $3, $4, $5, $6::text::xid8, $7)
        on conflict (user_id, of_household) do update
        set month_start = excluded.month_start, currency = excluded.currency,
            opened_from = excluded.opened_from, closed_before = excluded.closed_before,
            mark = excluded.mark
        """
    )

    static let kept = Statement(
        by: "budget_spending_pkey",
        """
        select category_id, month, day, currency, amount from ledger.budget_spending
        where user_id = $1 and month >= $2 and month <= $3 and category_id = any ($4)
            and of_household = $5
        """
    ) { row in try figure(row) }
}

/// Which months of a person have their sums kept.
struct BudgetClosing: Hashable, Sendable {
    let monthStart: Int
    let currency: Currency
    let openedFrom: Day
    let closedBefore: Day
    /// A transaction id, as PostgreSQL writes it.
    let mark: String
}
