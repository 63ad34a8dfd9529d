import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of expenses; each statement names the index that serves it.
enum ExpenseStatements {
    static let insert = Statement<Void>(
        """
        insert into groups.expense (
            group_id, id, name, description, amount, currency, day, split_kind, added_by)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """
    )

    static let insertPayments = Statement<Void>(
        """
        insert into groups.expense_payment (group_id, expense_id, position, member_id, amount)
        select $1, $2, position, member_id, amount
        from unnest($3::uuid[], $4::bigint[]) with ordinality
            as part (member_id, amount, position)
        """
    )

    static let insertShares = Statement<Void>(
        """
        insert into groups.expense_share (
            group_id, expense_id, position, member_id, amount, value)
        select $1, $2, position, member_id, amount, value
        from unnest($3::uuid[], $4::bigint[], $5::text[]) with ordinality
            as part (member_id, amount, value, position)
        """
    )

    static let insertDebts = Statement<Void>(
        """
        insert into groups.expense_debt (
            group_id, expense_id, debtor_id, creditor_id, currency, amount)
        select $1, $2, debtor_id, creditor_id, $3, amount
        from unnest($4::uuid[], $5::uuid[], $6::bigint[]) as debt (debtor_id, creditor_id, amount)
        """
    )

    static let debts = Statement(
        by: "expense_debt_expense_idx",
        """
        select debtor_id, creditor_id, amount, currency
        from groups.expense_debt
        where group_id = $1 and expense_id = $2
        order by debtor_id, creditor_id
        limit 1000
        """
    ) { row in
        try MemberDebt(
            debtor: row.value(0),
            creditor: row.value(1),
            amount: Money(minorUnits: row.int64(2), row.value(3))
        )
    }

    /// A removed expense explains nothing.
    static let deleteDebts = Statement<Void>(
        by: "expense_debt_expense_idx",
        "delete from groups.expense_debt where group_id = $1 and expense_id = $2"
    )

    static let addToTotal = Statement<Void>(
        by: "group_total_pkey",
        """
        insert into groups.group_total (group_id, currency, amount)
        values ($1, $2, $3)
        on conflict (group_id, currency) do update
        set amount = groups.group_total.amount + excluded.amount
        """
    )

    static let takeFromTotal = Statement<Void>(
        by: "group_total_pkey",
        """
        update groups.group_total
        set amount = amount - $3
        where group_id = $1 and currency = $2
        """
    )

    /// Who is in the group, and as which user.
    static let members = Statement(
        by: "member_pkey",
        """
        select id, user_id
        from groups.member
        where group_id = $1
        order by id
        limit 1000
        """
    ) { row in
        (id: try row.value(0, as: ID<Member>.self), user: try row.value(1, as: ID<User>?.self))
    }

    static let find = Statement(
        by: "expense_pkey",
        """
        select id, name, description, amount, currency, day, split_kind, added_by, version,
            created_at
        from groups.expense
        where group_id = $1 and id = $2 and removed_at is null
        limit 1
        """
    ) { row in try expense(row) }

    static let remove = Statement<Void>(
        by: "expense_pkey",
        """
        update groups.expense
        set removed_at = now(), version = version + 1
        where group_id = $1 and id = $2
        """
    )

    /// By expense_day_idx, or expense_mine_idx for one's own, whose order it is; words are looked
    /// for in what it walks over.
    static func list(
        in group: ID<Group>,
        _ query: ExpenseQuery,
        mine member: ID<Member>?
    ) throws -> BoundStatement<ExpenseRow> {
        var builder = StatementBuilder(
            """
            select id, name, description, amount, currency, day, split_kind, added_by, version,
                created_at
            from groups.expense
            where group_id = $1 and removed_at is null
            """,
            group
        )
        if let place = try query.cursor?.decode(ExpensePlace.self) {
            builder.append(" and (day, id) < ($1, $2)", place.day, place.id)
        }
        if let from = query.from { builder.append(" and day >= $1", from) }
        if let to = query.to { builder.append(" and day <= $1", to) }
        if let member { builder.append(" and added_by = $1", member) }
        if let words = query.words?.likePattern {
            builder.append(
                " and (name ilike $1::text or description ilike $1::text)",
                words
            )
        }
        builder.append(" order by day desc, id desc limit $1", query.limit + 1)
        return builder.statement { row in try expense(row) }
    }

    private static func expense(_ row: borrowing PostgresRow) throws -> ExpenseRow {
        let kind = try row.value(6, as: String?.self)
        return try ExpenseRow(
            id: row.value(0),
            name: row.string(1),
            description: row.value(2),
            amount: Money(minorUnits: row.int64(3), row.value(4)),
            day: row.value(5),
            splitKind: kind.flatMap { SplitKind(rawValue: $0) },
            addedBy: row.value(7),
            version: Int(row.int32(8)),
            createdAt: row.value(9)
        )
    }

    /// 200 expenses of at most 50 payments.
    static let payments = Statement(
        by: "expense_payment_",
        """
        select expense_id, member_id, amount
        from groups.expense_payment
        where group_id = $1 and expense_id = any($2)
        order by expense_id, position
        limit 10000
        """
    ) { row in
        (
            expense: try row.value(0, as: ID<Expense>.self),
            part: ExpenseDraft.Part(member: try row.value(1), amount: try row.int64(2))
        )
    }

    /// 200 expenses of at most 200 shares.
    static let shares = Statement(
        by: "expense_share_",
        """
        select expense_id, member_id, amount, value
        from groups.expense_share
        where group_id = $1 and expense_id = any($2)
        order by expense_id, position
        limit 40000
        """
    ) { row in
        let value = try row.value(3, as: String?.self).flatMap { ExactDecimal($0) }
        return (
            expense: try row.value(0, as: ID<Expense>.self),
            part: ExpenseDraft.Part(
                member: try row.value(1),
                amount: try row.int64(2),
                value: value
            )
        )
    }
}
