import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of balances; each statement names the index that serves it.
enum BalanceStatements {
    /// In its order.
    static let addToPairs = Statement<Void>(
        by: "pair_balance_pkey",
        """
        insert into groups.pair_balance (group_id, currency, low_id, high_id, amount)
        select $1, $2, low_id, high_id, amount
        from unnest($3::uuid[], $4::uuid[], $5::bigint[]) as change (low_id, high_id, amount)
        on conflict (group_id, currency, low_id, high_id) do update
        set amount = groups.pair_balance.amount + excluded.amount
        """
    )

    /// In its order.
    static let addToMembers = Statement<Void>(
        by: "member_balance_pkey",
        """
        insert into groups.member_balance (group_id, currency, member_id, amount)
        select $1, $2, member_id, amount
        from unnest($3::uuid[], $4::bigint[]) as change (member_id, amount)
        on conflict (group_id, currency, member_id) do update
        set amount = groups.member_balance.amount + excluded.amount
        """
    )

    /// Where nobody is in the red any more, what is left between members goes in circles, and
    /// everything is settled; unless each is to pay whom they owe.
    ///
    /// Answers what was left.
    static let clearCircles = Statement(
        by: "pair_balance_pkey, member_balance_pkey, expense_group_pkey",
        """
        with circle as (
            select low_id, high_id, amount, currency
            from groups.pair_balance
            where group_id = $1 and currency = $2 and amount <> 0
                and (select simplifies_debts from groups.expense_group where id = $1)
                and not exists (
                    select 1
                    from groups.member_balance
                    where group_id = $1 and currency = $2 and amount <> 0)
        ), cleared as (
            update groups.pair_balance p
            set amount = 0
            from circle c
            where p.group_id = $1 and p.currency = $2 and p.low_id = c.low_id
                and p.high_id = c.high_id
        )
        select low_id, high_id, amount, currency
        from circle
        order by low_id, high_id
        limit 100000
        """
    ) { row in try pair(row) }

    /// Cuts nothing, nor does `pairs`: a group has no more than `GroupStore.placesMax` places.
    static let members = Statement(
        by: "member_balance_pkey",
        """
        select member_id, amount, currency
        from groups.member_balance
        where group_id = $1 and amount <> 0
        order by currency, member_id
        limit 1000000
        """
    ) { row in try balance(row) }

    /// The same in the currencies behind one, so many.
    static let membersBehind = Statement(
        by: "member_balance_pkey",
        """
        select member_id, amount, currency
        from groups.member_balance
        where group_id = $1 and amount <> 0 and currency > $2
        order by currency, member_id
        limit $3
        """
    ) { row in try balance(row) }

    /// Whether a member owes or is owed nothing on the whole.
    static let isBalanced = Statement(
        by: "member_balance_pkey",
        """
        select not exists (
            select from groups.member_balance
            where group_id = $1 and member_id = $2 and amount <> 0)
        """
    ) { row in try row.bool(0) }

    /// What is open with one of two members at most.
    static let pairs = Statement(
        by: "pair_balance_pkey",
        """
        select low_id, high_id, amount, currency
        from groups.pair_balance
        where group_id = $1 and amount <> 0 and (low_id = any($2) or high_id = any($2))
        order by currency, low_id, high_id
        limit 1000000
        """
    ) { row in try pair(row) }

    static let openPairs = Statement(
        by: "pair_balance_pkey",
        """
        select count(*)
        from (
            select from groups.pair_balance where group_id = $1 and amount <> 0 limit $2
        ) open
        """
    ) { row in try row.int64(0) }

    /// Behind a place, and for each pair expense_debt_pkey backwards: the newest expenses, back to
    /// the one with which the debt that is open now began; at most so many for each.
    ///
    /// Few explain most debts: more than the newest 32 are read where these come to less.
    static let explained = Statement(
        by: "pair_balance_pkey",
        """
        select p.debtor_id, p.creditor_id, p.open, p.currency,
            case when few.is_all then few.expenses else many.expenses end,
            case when few.is_all then few.amounts else many.amounts end
        from (
            select currency, low_id, high_id, abs(amount) as open,
                case when amount > 0 then low_id else high_id end as debtor_id,
                case when amount > 0 then high_id else low_id end as creditor_id
            from groups.pair_balance
            where group_id = $1 and amount <> 0 and (currency, low_id, high_id) > ($2, $3, $4)
            order by currency, low_id, high_id
            limit $5
        ) p
        cross join lateral (
            select count(*) < 32 or sum(amount) >= p.open as is_all,
                coalesce(
                    array_agg(expense_id order by expense_id desc)
                        filter (where covered < p.open), '{}') as expenses,
                coalesce(
                    array_agg(amount order by expense_id desc)
                        filter (where covered < p.open), '{}') as amounts
            from (
                select newest.expense_id, newest.amount,
                    sum(newest.amount) over (order by newest.expense_id desc) - newest.amount
                        as covered
                from (
                    select d.expense_id, d.amount
                    from groups.expense_debt d
                    where d.group_id = $1 and d.debtor_id = p.debtor_id
                        and d.creditor_id = p.creditor_id and d.currency = p.currency
                    order by d.expense_id desc
                    limit least($6, 32)
                ) newest
            ) covering
        ) few
        cross join lateral (
            select coalesce(array_agg(expense_id order by expense_id desc), '{}') as expenses,
                coalesce(array_agg(amount order by expense_id desc), '{}') as amounts
            from (
                select newest.expense_id, newest.amount,
                    sum(newest.amount) over (order by newest.expense_id desc) - newest.amount
                        as covered
                from (
                    select d.expense_id, d.amount
                    from groups.expense_debt d
                    where d.group_id = $1 and d.debtor_id = p.debtor_id
                        and d.creditor_id = p.creditor_id and d.currency = p.currency
                        and not few.is_all
                    order by d.expense_id desc
                    limit $6
                ) newest
            ) covering
            where covered < p.open
        ) many
        order by p.currency, p.low_id, p.high_id
        """
    ) { row in try explanation(row) }

    /// What is open between two.
    static let between = Statement(
        by: "pair_balance_pkey",
        """
        select low_id, high_id, amount, currency
        from groups.pair_balance
        where group_id = $1 and currency = $2 and low_id = least($3::uuid, $4::uuid)
            and high_id = greatest($3::uuid, $4::uuid)
        limit 1
        """
    ) { row in try pair(row) }

    /// Those of a debt before one of them, newest first.
    static let explaining = Statement(
        by: "expense_debt_pkey",
        """
        select expense_id, amount, currency
        from groups.expense_debt
        where group_id = $1 and debtor_id = $2 and creditor_id = $3 and currency = $4
            and expense_id < $5
        order by expense_id desc
        limit $6
        """
    ) { row in
        try DebtExpense(
            expenseID: row.value(0),
            amount: Money(minorUnits: row.int64(1), row.value(2))
        )
    }

    private static func explanation(_ row: borrowing PostgresRow) throws -> ExplainedDebt {
        let currency = try row.value(3, as: Currency.self)
        let amounts = try row.value(5, as: [Int64].self)
        return ExplainedDebt(
            debt: MemberDebt(
                debtor: try row.value(0),
                creditor: try row.value(1),
                amount: Money(minorUnits: try row.int64(2), currency)
            ),
            expenses: zip(try row.value(4, as: [ID<Expense>].self), amounts).map {
                DebtExpense(expenseID: $0, amount: Money(minorUnits: $1, currency))
            }
        )
    }

    private static func balance(_ row: borrowing PostgresRow) throws -> BalanceRow {
        try BalanceRow(
            member: row.value(0),
            amount: Money(minorUnits: row.int64(1), row.value(2))
        )
    }

    private static func pair(_ row: borrowing PostgresRow) throws -> PairBalance {
        try PairBalance(
            low: row.value(0),
            high: row.value(1),
            amount: Money(minorUnits: row.int64(2), row.value(3))
        )
    }
}
