import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of recurring allowances; each statement names the index that serves it.
enum RecurringAllowanceStatements {
    static let insert = Statement<Void>(
        """
        insert into groups.allowance_recurrence
            (id, family_id, child_id, parent_id, amount, currency, from_account, is_proved, name,
            every, unit, until, anchor, next_number, next_day, look_at, created_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        """
    )

    /// No more than one parent may pay.
    static let count = Statement(
        by: "allowance_recurrence_",
        """
        select count(*) from groups.allowance_recurrence
        where family_id = $1 and parent_id = $2
        """
    ) { row in try row.int64(0) }

    /// The newest day of each by allowance_occurrence_pkey, the zone by person_pkey.
    private static let columns: StaticString = """
        select r.id, r.family_id, r.child_id, r.parent_id, r.amount, r.currency, r.from_account,
            r.is_proved, r.name, r.every, r.unit, r.until, r.anchor, r.next_number, r.next_day,
            r.is_active, r.version, r.created_at, coalesce(person.time_zone, 'UTC'),
            last.day, last.number, last.amount, last.state, last.transaction_id, last.reason
        from groups.allowance_recurrence as r
        left join groups.person on person.user_id = r.parent_id
        left join lateral (
            select * from groups.allowance_occurrence as o
            where o.recurrence_id = r.id
            order by o.day desc
            limit 1
        ) as last on true
        """

    /// Newest first, by allowance_recurrence_child_idx.
    static func list(
        of child: ID<User>,
        in family: ID<Family>,
        before id: ID<Recurrence>,
        limit: Int
    ) -> BoundStatement<RecurringAllowanceRow> {
        var builder = StatementBuilder(columns)
        builder.append(
            " where r.family_id = $1 and r.child_id = $2 and r.id < $3 order by r.id desc limit $4",
            family,
            child,
            id,
            limit
        )
        return builder.statement { row in try whole(row) }
    }

    /// By allowance_recurrence_pkey or allowance_recurrence_child_idx.
    static func find(
        _ id: ID<Recurrence>,
        of child: ID<User>,
        in family: ID<Family>
    ) -> BoundStatement<RecurringAllowanceRow> {
        var builder = StatementBuilder(columns)
        builder.append(
            " where r.id = $1 and r.family_id = $2 and r.child_id = $3 limit 1",
            id,
            family,
            child
        )
        return builder.statement { row in try whole(row) }
    }

    /// The one that is due for longest and that nobody is at, by allowance_recurrence_look_at_idx.
    ///
    /// It is nobody else's until the transaction ends.
    static func due(at moment: Instant) -> BoundStatement<RecurringAllowanceRow> {
        var builder = StatementBuilder(columns)
        builder.append(
            " where r.look_at <= $1 order by r.look_at limit 1 for no key update of r skip locked",
            moment
        )
        return builder.statement { row in try whole(row) }
    }

    /// A change and a worker come one after another.
    static let lock = Statement<Void>(
        by: "allowance_recurrence_pkey",
        """
        select from groups.allowance_recurrence
        where id = $1
        limit 1
        for no key update
        """
    )

    static let past = Statement(
        by: "allowance_occurrence_pkey, allowance_recurrence_pkey",
        """
        select o.day, o.number, o.amount, o.state, o.transaction_id, o.reason, r.currency
        from groups.allowance_occurrence as o
        join groups.allowance_recurrence as r on r.id = o.recurrence_id
        where o.recurrence_id = $1
        order by o.day desc
        limit 10
        """
    ) { row in try past(row, from: 0, row.value(6)) }

    static let change = Statement<Void>(
        by: "allowance_recurrence_pkey",
        """
        update groups.allowance_recurrence
        set amount = $2, from_account = $3, is_proved = $4, name = $5, every = $6, unit = $7,
            until = $8, next_number = $9, next_day = $10, is_active = $11, look_at = $12,
            version = version + 1
        where id = $1
        """
    )

    static let delete = Statement<Void>(
        by: "allowance_recurrence_pkey",
        "delete from groups.allowance_recurrence where id = $1"
    )

    // MARK: Days

    static let advance = Statement<Void>(
        by: "allowance_recurrence_pkey",
        """
        update groups.allowance_recurrence
        set next_number = $2, next_day = $3, look_at = $4
        where id = $1
        """
    )

    static let putOff = Statement<Void>(
        by: "allowance_recurrence_pkey",
        """
        update groups.allowance_recurrence
        set look_at = $2::timestamptz + interval '1 minute'
        where id = $1 and look_at is not null
        """
    )

    /// No row where the day has one: allowance_occurrence_pkey.
    static let note = Statement<Void>(
        """
        insert into groups.allowance_occurrence
            (recurrence_id, day, number, amount, from_account, is_proved, name, state, look_at,
            transaction_id)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        on conflict do nothing
        """
    )

    /// The day that waits for longest and that nobody is at: it is the caller's for a minute, the
    /// longer the oftener the ledger has not answered.
    static let claim = Statement(
        by: "allowance_occurrence_, allowance_recurrence_",
        """
        with due as materialized (
            select recurrence_id, day
            from groups.allowance_occurrence
            where look_at <= $1
            order by look_at
            limit 1
            for no key update skip locked
        ), claimed as (
            update groups.allowance_occurrence as o
            set look_at = $1::timestamptz + interval '1 minute' * 2 ^ o.tries,
                tries = least(o.tries + 1, 6)
            from due
            where o.recurrence_id = due.recurrence_id and o.day = due.day
            returning o.recurrence_id, o.day, o.amount, o.from_account, o.is_proved, o.name
        )
        select o.recurrence_id, o.day, r.family_id, r.child_id, r.parent_id, o.amount, r.currency,
            o.from_account, o.name, o.is_proved
        from claimed as o
        join groups.allowance_recurrence as r on r.id = o.recurrence_id
        """
    ) { row in
        try DueAllowance(
            recurrence: row.value(0),
            day: row.value(1),
            family: row.value(2),
            child: row.value(3),
            parent: row.value(4),
            terms: RecurringAllowance.Terms(
                amount: Money(minorUnits: row.int64(5), row.value(6)),
                account: row.value(7),
                name: row.value(8),
                isProved: row.bool(9)
            )
        )
    }

    /// What the ledger has made of it.
    static let finish = Statement<Void>(
        by: "allowance_occurrence_pkey",
        """
        update groups.allowance_occurrence
        set state = $3, transaction_id = $4, reason = $5, look_at = null
        where recurrence_id = $1 and day = $2 and state = 'pending'
        """
    )

    /// Unless another account pays by now.
    static let pause = Statement<Void>(
        by: "allowance_recurrence_pkey",
        """
        update groups.allowance_recurrence
        set is_active = false, look_at = null, version = version + 1
        where id = $1 and is_active and from_account is not distinct from $2
        """
    )

    // MARK: Rows

    private static func whole(_ row: borrowing PostgresRow) throws -> RecurringAllowanceRow {
        let currency = try row.value(5, as: Currency.self)
        var found = try RecurringAllowance(
            id: row.value(0),
            family: row.value(1),
            child: row.value(2),
            parent: row.value(3),
            terms: RecurringAllowance.Terms(
                amount: Money(minorUnits: row.int64(4), currency),
                account: row.value(6),
                name: row.value(8),
                isProved: row.bool(7)
            ),
            rule: RecurrenceRule(
                every: Int(row.int32(9)),
                unit: row.word(10),
                until: row.value(11)
            ),
            anchor: row.value(12),
            createdAt: row.value(17)
        )
        found.nextNumber = Int(try row.int32(13))
        found.nextDay = try row.value(14)
        found.isActive = try row.bool(15)
        found.version = try row.int32(16)
        return RecurringAllowanceRow(
            allowance: found,
            last: try past(row, from: 19, currency),
            zone: try row.string(18)
        )
    }

    private static func past(
        _ row: borrowing PostgresRow,
        from first: Int,
        _ currency: Currency
    ) throws -> PastAllowance? {
        guard let day = try row.value(first, as: Day?.self) else { return nil }
        return try PastAllowance(
            number: Int(row.int32(first + 1)),
            date: day,
            amount: Money(minorUnits: row.int64(first + 2), currency),
            state: row.word(first + 3),
            transactionID: row.value(first + 4),
            reason: row.value(first + 5)
        )
    }
}
