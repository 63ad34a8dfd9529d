import JSONCodec
import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of recurring expenses; each statement names the index that serves it.
enum ExpenseRecurrenceStatements {
    static let insert = Statement<Void>(
        """
        insert into groups.expense_recurrence
            (group_id, id, member_id, user_id, expense, category_id, every, unit, until, anchor,
            next_number, next_day, look_at, created_at)
        values ($1, $2, $3, $4, $5::json, $6, $7, $8, $9, $10, $11, $12, $13, $14)
        """
    )

    /// No more than one may have.
    static let count = Statement(
        by: "expense_recurrence_user_idx",
        "select count(*) from groups.expense_recurrence where user_id = $1"
    ) { row in try row.int64(0) }

    /// And the newest day of each by expense_occurrence_pkey.
    static let list = Statement(
        by: "expense_recurrence_, expense_occurrence_pkey",
        """
        select r.group_id, r.id, r.member_id, r.user_id, r.expense::text, r.category_id, r.every,
            r.unit, r.until, r.anchor, r.next_number, r.next_day, r.is_active, r.version,
            r.created_at, last.day, last.number, last.expense_id, last.reason
        from groups.expense_recurrence as r
        left join lateral (
            select * from groups.expense_occurrence as o
            where o.group_id = r.group_id and o.recurrence_id = r.id
            order by o.day desc
            limit 1
        ) as last on true
        where r.group_id = $1 and r.id < $2
        order by r.id desc
        limit $3
        """
    ) { row in try RecurringExpenseRow(recurring: recurring(row), last: past(row, from: 15)) }

    static let find = Statement(
        by: "expense_recurrence_pkey, expense_occurrence_pkey",
        """
        select r.group_id, r.id, r.member_id, r.user_id, r.expense::text, r.category_id, r.every,
            r.unit, r.until, r.anchor, r.next_number, r.next_day, r.is_active, r.version,
            r.created_at, last.day, last.number, last.expense_id, last.reason
        from groups.expense_recurrence as r
        left join lateral (
            select * from groups.expense_occurrence as o
            where o.group_id = r.group_id and o.recurrence_id = r.id
            order by o.day desc
            limit 1
        ) as last on true
        where r.group_id = $1 and r.id = $2
        limit 1
        """
    ) { row in try RecurringExpenseRow(recurring: recurring(row), last: past(row, from: 15)) }

    static let past = Statement(
        by: "expense_occurrence_pkey",
        """
        select day, number, expense_id, reason
        from groups.expense_occurrence
        where group_id = $1 and recurrence_id = $2
        order by day desc
        limit 10
        """
    ) { row in try past(row, from: 0) }

    static let change = Statement<Void>(
        by: "expense_recurrence_pkey",
        """
        update groups.expense_recurrence
        set expense = $3::json, category_id = $4, every = $5, unit = $6, until = $7,
            next_number = $8, next_day = $9, is_active = $10, look_at = $11, failures = 0,
            version = version + 1
        where group_id = $1 and id = $2
        """
    )

    static let delete = Statement<Void>(
        by: "expense_recurrence_pkey",
        "delete from groups.expense_recurrence where group_id = $1 and id = $2"
    )

    // MARK: Work

    /// The one that is due for longest and that nobody is at.
    static let next = Statement(
        by: "expense_recurrence_look_at_idx, work_begun_pkey",
        """
        select r.group_id, r.id, r.user_id
        from groups.expense_recurrence as r
        where r.look_at <= $1
            and not exists (
                select from groups.work_begun as begun
                where begun.kind = 'expense-recurrence' and begun.id = r.id::text
                    and begun.again_at > clock_timestamp())
        order by r.look_at
        limit 1
        """
    ) { row in
        try DueRecurrence(group: row.value(0), id: row.value(1), user: row.value(2))
    }

    /// That one, if it is still due.
    static let take = Statement(
        by: "expense_recurrence_pkey",
        """
        select r.id
        from groups.expense_recurrence as r
        where r.group_id = $1 and r.id = $2 and r.look_at <= $3
        limit 1
        for no key update of r
        """
    ) { row in try row.value(0, as: ID<Recurrence>.self) }

    /// No row where the day has one: expense_occurrence_pkey.
    static let note = Statement<Void>(
        """
        insert into groups.expense_occurrence
            (group_id, recurrence_id, day, number, expense_id, reason)
        values ($1, $2, $3, $4, $5, $6)
        on conflict do nothing
        """
    )

    static let hasDay = Statement(
        by: "expense_occurrence_pkey",
        """
        select exists (
            select from groups.expense_occurrence
            where group_id = $1 and recurrence_id = $2 and day = $3)
        """
    ) { row in try row.bool(0) }

    /// Whoever read it as active, where it rests now, changes another.
    static let advance = Statement<Void>(
        by: "expense_recurrence_pkey",
        """
        update groups.expense_recurrence
        set next_number = $3, next_day = $4, is_active = $5, look_at = $6, version = $7,
            failures = 0
        where group_id = $1 and id = $2
        """
    )

    /// It comes behind the others, the longer the oftener it has failed.
    static let putOff = Statement<Void>(
        by: "expense_recurrence_pkey",
        """
        update groups.expense_recurrence
        set failures = least(failures + 1, 12),
            look_at = $3::timestamptz + interval '1 second' * 2 ^ least(failures, 12)
        where group_id = $1 and id = $2 and look_at is not null
        """
    )

    // MARK: Rows

    private static func recurring(_ row: borrowing PostgresRow) throws -> RecurringExpense {
        let category = try row.value(5, as: ID<GroupCategory>?.self)
        let stored: NewExpense = try JSON.value(
            of: Array(row.string(4).utf8),
            ignoringUnknownFields: true
        )
        var found = try RecurringExpense(
            id: row.value(1),
            group: row.value(0),
            member: row.value(2),
            user: row.value(3),
            expense: stored.named(category),
            rule: RecurrenceRule(every: Int(row.int32(6)), unit: row.word(7), until: row.value(8)),
            anchor: row.value(9),
            createdAt: row.value(14)
        )
        found.nextNumber = Int(try row.int32(10))
        found.nextDay = try row.value(11)
        found.isActive = try row.bool(12)
        found.version = try row.int32(13)
        return found
    }

    private static func past(_ row: borrowing PostgresRow, from first: Int) throws -> PastExpense? {
        guard let day = try row.value(first, as: Day?.self) else { return nil }
        let expense = try row.value(first + 2, as: ID<Expense>?.self)
        return try PastExpense(
            number: Int(row.int32(first + 1)),
            date: day,
            state: expense == nil ? .skipped : .posted,
            expenseID: expense,
            reason: row.value(first + 3)
        )
    }
}

extension NewExpense {
    /// The same in a category, without day and rule, as it is kept.
    func named(_ category: ID<GroupCategory>?) -> NewExpense {
        NewExpense(
            name: name,
            amount: amount,
            paidBy: paidBy,
            split: split,
            description: description,
            categoryID: category,
            tags: tags,
            location: location
        )
    }
}
