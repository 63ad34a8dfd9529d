import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of standing orders.
enum StandingOrderStatements {
    static func order(_ row: borrowing PostgresRow) throws -> StoredOrder {
        let unit = try row.string(10)
        guard let unit = RecurrenceUnit(rawValue: unit) else {
            throw row.problem(10, "\(unit) is no unit of a recurrence")
        }
        var found = try StoredOrder(
            id: row.value(0),
            user: row.value(1),
            from: row.value(2),
            to: row.value(3),
            isOwn: row.bool(4),
            target: row.value(6),
            amount: Money(minorUnits: row.int64(7), row.value(5)),
            rule: RecurrenceRule(every: Int(row.int32(9)), unit: unit, until: row.value(11)),
            anchor: row.value(12),
            isProved: row.bool(16),
            createdAt: row.value(18)
        )
        found.reference = try row.value(8)
        found.nextNumber = Int(try row.int32(13))
        found.nextDay = try row.value(14)
        found.isActive = try row.bool(15)
        found.version = try row.int32(17)
        return found
    }

    static func execution(
        _ row: borrowing PostgresRow,
        from first: Int
    ) throws -> StandingOrderExecution? {
        guard let day = try row.value(first, as: Day?.self) else { return nil }
        let state = try row.string(first + 2)
        guard let state = StandingOrderState(rawValue: state) else {
            throw row.problem(first + 2, "\(state) is no state of a standing order's day")
        }
        return try StandingOrderExecution(
            number: Int(row.int32(first + 1)),
            date: day,
            state: state,
            transferID: row.value(first + 3),
            reason: row.value(first + 4)
        )
    }

    static func whole(_ row: borrowing PostgresRow) throws -> StandingOrderRow {
        try StandingOrderRow(
            order: order(row),
            payee: StoredOrder.Payee(
                owner: row.value(26),
                ownerName: row.string(24),
                iban: row.value(25)
            ),
            last: execution(row, from: 19)
        )
    }

    static let insert = Statement<Void>(
        """
        insert into ledger.standing_order
            (id, user_id, from_account, to_account, is_own, currency, to_currency, amount,
            reference, every, unit, until, anchor, next_number, next_day, is_proved, look_at,
            created_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
        """
    )

    /// No more than one may have.
    static let count = Statement(
        by: "standing_order_",
        "select count(*) from ledger.standing_order where user_id = $1 and deleted_at is null"
    ) { row in try row.int64(0) }

    /// And the newest day of each by standing_order_execution_pkey.
    static let list = Statement(
        by: "standing_order_user_idx, account_pkey, person_pkey",
        """
        select o.id, o.user_id, o.from_account, o.to_account, o.is_own, o.currency, o.to_currency,
            o.amount, o.reference, o.every, o.unit, o.until, o.anchor, o.next_number, o.next_day,
            o.is_active, o.is_proved, o.version, o.created_at,
            last.day, last.number, last.state, last.transfer_id, last.reason,
            person.display_name, payee.iban, payee.user_id
        from ledger.standing_order as o
        join ledger.account as payee on payee.id = o.to_account
        join ledger.person on person.user_id = payee.user_id
        left join lateral (
            select * from ledger.standing_order_execution as e
            where e.order_id = o.id order by e.day desc limit 1
        ) as last on true
        where o.user_id = $1 and o.id < $2 and o.deleted_at is null
        order by o.id desc
        limit $3
        """
    ) { row in try whole(row) }

    static let find = Statement(
        by: "standing_order_, account_pkey, person_pkey",
        """
        select o.id, o.user_id, o.from_account, o.to_account, o.is_own, o.currency, o.to_currency,
            o.amount, o.reference, o.every, o.unit, o.until, o.anchor, o.next_number, o.next_day,
            o.is_active, o.is_proved, o.version, o.created_at,
            last.day, last.number, last.state, last.transfer_id, last.reason,
            person.display_name, payee.iban, payee.user_id
        from ledger.standing_order as o
        join ledger.account as payee on payee.id = o.to_account
        join ledger.person on person.user_id = payee.user_id
        left join lateral (
            select * from ledger.standing_order_execution as e
            where e.order_id = o.id order by e.day desc limit 1
        ) as last on true
        where o.id = $2 and o.user_id = $1 and o.deleted_at is null
        """
    ) { row in try whole(row) }

    /// A change and a worker come one after another.
    static let lock = Statement(
        by: "standing_order_",
        """
        select o.id, o.user_id, o.from_account, o.to_account, o.is_own, o.currency, o.to_currency,
            o.amount, o.reference, o.every, o.unit, o.until, o.anchor, o.next_number, o.next_day,
            o.is_active, o.is_proved, o.version, o.created_at
        from ledger.standing_order as o
        where o.id = $2 and o.user_id = $1 and o.deleted_at is null
        for no key update
        """
    ) { row in try order(row) }

    static let lastDay = Statement(
        by: "standing_order_execution_pkey",
        """
        select day from ledger.standing_order_execution
        where order_id = $1
        order by day desc
        limit 1
        """
    ) { row in try row.value(0, as: Day.self) }

    static let past = Statement(
        by: "standing_order_execution_pkey",
        """
        select day, number, state, transfer_id, reason from ledger.standing_order_execution
        where order_id = $1
        order by day desc
        limit 10
        """
    ) { row in try execution(row, from: 0) }

    static let change = Statement<Void>(
        by: "standing_order_pkey",
        """
        update ledger.standing_order
        set amount = $3, reference = $4, every = $5, unit = $6, until = $7, next_number = $8,
            next_day = $9, is_active = $10, is_proved = $11, look_at = $12, failures = 0,
            version = version + 1, xid = pg_current_xact_id()
        where id = $2 and user_id = $1
        """
    )

    /// Words go, the row tells who catches up.
    static let delete = Statement<Void>(
        by: "standing_order_pkey",
        """
        update ledger.standing_order
        set deleted_at = now(), look_at = null, is_active = false, reference = null,
            version = version + 1, xid = pg_current_xact_id()
        where id = $2 and user_id = $1
        """
    )

    /// Whoever moves to another zone has other beginnings of days.
    static let lookAgain = Statement<Void>(
        by: "standing_order_",
        """
        update ledger.standing_order
        set look_at = $3
        where user_id = $1 and deleted_at is null and look_at > $3
            and exists (
                select from ledger.person where person.user_id = $1 and person.time_zone <> $2)
        """
    )
}
