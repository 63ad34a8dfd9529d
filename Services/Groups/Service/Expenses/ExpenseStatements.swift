import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of expenses; each statement names the index that serves it.
enum ExpenseStatements {
    /// Some of whatever groups, whose rows the caller holds, with all that follows from them.
    ///
    /// That is whom each makes owe whom, and what the groups' sums become: each stands once in its
    /// list. One statement, for each starts and ends at a price, and comes back over the network.
    static let add = Statement(
        by: "group_total_pkey, pair_balance_pkey, member_balance_pkey",
        """
        with written as (
            insert into groups.expense (
                group_id, id, name, description, amount, currency, day, split_kind, added_by,
                category_id, tags, latitude, longitude, place_name, recurrence_id,
                payer_ids, paid, bearer_ids, borne, share_values)
            select group_id, id, name, description, amount, currency, day, split_kind, added_by,
                category_id, coalesce(tags, '{}'), latitude, longitude, place_name, recurrence_id,
                payer_ids, paid, bearer_ids, borne, coalesce(share_values, '{}')
            from json_to_recordset($1::text::json) as e (
                group_id uuid, id uuid, name text, description text, amount bigint, currency text,
                day date, split_kind text, added_by uuid, category_id uuid, tags text[],
                latitude integer, longitude integer, place_name text, recurrence_id uuid,
                payer_ids uuid[], paid bigint[], bearer_ids uuid[], borne bigint[],
                share_values text[])
        ), owed as (
            insert into groups.expense_debt (
                group_id, expense_id, debtor_id, creditor_id, currency, amount)
            select group_id, expense_id, debtor_id, creditor_id, currency, amount
            from unnest(
                $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::bigint[])
                as debt (group_id, expense_id, debtor_id, creditor_id, currency, amount)
        ), spent as (
            insert into groups.group_total (group_id, currency, amount)
            select group_id, currency, amount
            from unnest($8::uuid[], $9::text[], $10::numeric[]) as sum (group_id, currency, amount)
            on conflict (group_id, currency) do update
            set amount = groups.group_total.amount + excluded.amount
        ), between_two as (
            insert into groups.pair_balance (group_id, currency, low_id, high_id, amount)
            select group_id, currency, low_id, high_id, amount
            from unnest($11::uuid[], $12::text[], $13::uuid[], $14::uuid[], $15::bigint[])
                as change (group_id, currency, low_id, high_id, amount)
            on conflict (group_id, currency, low_id, high_id) do update
            set amount = groups.pair_balance.amount + excluded.amount
        ), of_one as (
            insert into groups.member_balance (group_id, currency, member_id, amount)
            select group_id, currency, member_id, amount
            from unnest($16::uuid[], $17::text[], $18::uuid[], $19::bigint[])
                as change (group_id, currency, member_id, amount)
            on conflict (group_id, currency, member_id) do update
            set amount = groups.member_balance.amount + excluded.amount
        )
        select now()
        """
    ) { row in try row.value(0, as: Instant.self) }

    /// Members of all items in one list, beside it the place of the item of each.
    static let insertItems = Statement<Void>(
        """
        insert into groups.expense_item (
            group_id, expense_id, position, name, amount, member_ids)
        select $1, $2, item.position, item.name, item.amount, had.member_ids
        from unnest($3::text[], $4::bigint[]) with ordinality as item (name, amount, position)
        join (
            select item, array_agg(member_id order by place) as member_ids
            from unnest($5::integer[], $6::uuid[]) with ordinality as one (item, member_id, place)
            group by item
        ) had on had.item = item.position
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

    /// 200 expenses of at most 50 payments and 200 shares.
    static let debts = Statement(
        by: "expense_debt_expense_idx",
        """
        select debtor_id, creditor_id, amount, currency
        from groups.expense_debt
        where group_id = $1 and expense_id = any($2)
        order by expense_id, debtor_id, creditor_id
        limit 50000
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
        "delete from groups.expense_debt where group_id = $1 and expense_id = any($2)"
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

    /// Removed or not.
    static let find = Statement(
        by: "expense_pkey",
        """
        select id, name, description, amount, currency, day, split_kind, added_by, version,
            created_at, category_id, tags, latitude, longitude, place_name, recurrence_id,
            removed_at, version, action, coalesce(acted_by, added_by),
            coalesce(acted_at, created_at)
        from groups.expense
        where group_id = $1 and id = $2
        limit 1
        """
    ) { row in
        try FoundExpense(
            expense: expense(row),
            removedAt: row.value(16),
            step: ExpenseStep(row, at: 17)
        )
    }

    static let remove = Statement<Void>(
        by: "expense_pkey",
        """
        update groups.expense
        set removed_at = now(), version = version + 1, action = 'removed', acted_by = $3,
            acted_at = now()
        where group_id = $1 and id = any($2)
        """
    )

    /// Those that stand in a category, in the order of their ids.
    static let ofCategory = Statement(
        by: "expense_category_idx",
        """
        select id, name, description, amount, currency, day, split_kind, added_by, version,
            created_at, category_id, tags, latitude, longitude, place_name, recurrence_id
        from groups.expense
        where group_id = $1 and category_id = $2 and removed_at is null and id > $3
        order by id
        limit $4
        """
    ) { row in try expense(row) }

    static let restore = Statement<Void>(
        by: "expense_pkey",
        """
        update groups.expense
        set removed_at = null, version = version + 1, action = 'restored', acted_by = $3,
            acted_at = now()
        where group_id = $1 and id = $2
        """
    )

    /// One that is removed stays so.
    static let change = Statement<Void>(
        by: "expense_pkey",
        """
        update groups.expense
        set name = $4, description = $5, amount = $6, currency = $7, day = $8, split_kind = $9,
            category_id = $10, tags = $11, latitude = $12, longitude = $13, place_name = $14,
            payer_ids = $15, paid = $16, bearer_ids = $17, borne = $18, share_values = $19,
            version = version + 1, acted_by = $3, acted_at = now(),
            action = case when removed_at is null then 'changed' else action end
        where group_id = $1 and id = $2
        """
    )

    /// What takes their place follows.
    static let deleteItems = Statement<Void>(
        by: "expense_item_pkey",
        "delete from groups.expense_item where group_id = $1 and expense_id = $2"
    )

    /// 200 expenses of at most 50 payments.
    static let payments = Statement(
        by: "expense_pkey",
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

    /// 200 expenses of at most 200 items.
    static let items = Statement(
        by: "expense_item_pkey",
        """
        select expense_id, name, amount, member_ids
        from groups.expense_item
        where group_id = $1 and expense_id = any($2)
        order by expense_id, position
        limit 40000
        """
    ) { row in
        (
            expense: try row.value(0, as: ID<Expense>.self),
            name: try row.value(1, as: String?.self),
            amount: try row.int64(2),
            members: try row.value(3, as: [ID<Member>].self)
        )
    }

    /// 200 expenses of at most 200 shares.
    static let shares = Statement(
        by: "expense_pkey",
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
