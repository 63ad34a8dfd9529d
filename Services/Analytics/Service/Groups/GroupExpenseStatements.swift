import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what groups have spent; each statement names the index that serves it.
enum GroupExpenseStatements {
    /// Each of its group, looked up by the whole key: all groups by all expenses would be the
    /// square of them.
    static let take = Statement(
        by: "group_expense_pkey",
        """
        delete from analytics.group_expense
        where ctid = any(array(
            select found.ctid
            from unnest($1::uuid[], $2::uuid[]) as told (group_id, expense_id)
            cross join lateral (
                select ctid
                from analytics.group_expense
                where group_id = told.group_id and expense_id = told.expense_id
                limit 1
            ) as found
        ))
        returning expense_id, group_id, day, amount, currency, category_id
        """
    ) { row in try GroupExpense(row) }

    /// Of so many in the order of the key, behind one, those up to another; with both ends in one
    /// condition it would sort whole groups.
    static let some = Statement(
        by: "group_expense_pkey",
        """
        select expense_id, group_id, day, amount, currency, category_id
        from (
            select expense_id, group_id, day, amount, currency, category_id
            from analytics.group_expense
            where (group_id, expense_id) > ($1, $2)
            order by group_id, expense_id
            limit $5
        ) as found
        where (group_id, expense_id) <= ($3, $4)
        order by group_id, expense_id
        """
    ) { row in try GroupExpense(row) }

    static let put = Statement<Void>(
        """
        insert into analytics.group_expense (
            group_id, expense_id, day, amount, currency, category_id
        )
        select group_id, expense_id, day, amount, currency, category_id
        from unnest($1::uuid[], $2::uuid[], $3::date[], $4::int8[], $5::text[], $6::uuid[])
            as told (group_id, expense_id, day, amount, currency, category_id)
        """
    )

    /// Told is what they are now.
    static let move = Statement(
        by: "group_expense_currency_day_idx",
        """
        update analytics.group_expense
        set category_id = $3
        where group_id = $1 and category_id = $2
        returning expense_id, group_id, day, amount, currency, category_id
        """
    ) { row in try GroupExpense(row) }

    static let placeCategory = Statement<Void>(
        by: "group_category_pkey",
        """
        insert into analytics.group_category (group_id, category_id, parent_id)
        values ($1, $2, $3)
        on conflict (group_id, category_id) do update set parent_id = excluded.parent_id
        """
    )

    static let raiseCategory = Statement<Void>(
        by: "group_category_pkey",
        "delete from analytics.group_category where group_id = $1 and category_id = $2"
    )

    /// All that there is of a group.
    static let forget = [forgetExpenses, forgetCategories, forgetCells]

    private static let forgetExpenses = Statement<Void>(
        by: "group_expense_currency_day_idx",
        "delete from analytics.group_expense where group_id = $1"
    )

    private static let forgetCategories = Statement<Void>(
        by: "group_category_pkey",
        "delete from analytics.group_category where group_id = $1"
    )

    private static let forgetCells = Statement<Void>(
        by: "report_cell_pkey",
        "delete from analytics.report_cell where owner_id = $1"
    )
}

extension GroupExpense {
    fileprivate init(_ row: borrowing PostgresRow) throws {
        id = try row.value(0)
        group = try row.value(1)
        day = try row.value(2)
        amount = Money(minorUnits: try row.int64(3), try row.value(4))
        category = try row.value(5)
    }
}
