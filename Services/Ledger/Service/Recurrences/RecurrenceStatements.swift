import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of recurrences.
enum RecurrenceStatements {
    static func row(_ row: borrowing PostgresRow) throws -> Recurring {
        let unit = try row.string(16)
        guard let unit = RecurrenceUnit(rawValue: unit) else {
            throw row.problem(16, "\(unit) is no unit of a recurrence")
        }
        var found = try Recurring(
            id: row.value(0),
            user: row.value(1),
            account: row.value(2),
            amount: Money(minorUnits: row.int64(4), row.value(3)),
            category: row.value(5),
            rule: RecurrenceRule(every: Int(row.int32(15)), unit: unit, until: row.value(17)),
            anchor: row.value(18),
            nextNumber: Int(row.int32(19)),
            createdAt: row.value(23)
        )
        found.name = try row.value(6)
        found.description = try row.value(7)
        found.tags = try row.value(8)
        if let latitude = try row.value(9, as: Int32?.self),
            let longitude = try row.value(10, as: Int32?.self)
        {
            found.location = Posting.Location(latitude: latitude, longitude: longitude)
        }
        found.placeName = try row.value(11)
        found.folder = try row.value(12)
        let categories = try row.value(13, as: [CategoryID].self)
        let amounts = try row.value(14, as: [Int64].self)
        found.lines = zip(categories, amounts).map { Posting.Line(category: $0, amount: $1) }
        found.nextDay = try row.value(20)
        found.isActive = try row.bool(21)
        found.version = try row.int32(22)
        return found
    }

    static func past(
        _ row: borrowing PostgresRow,
        from first: Int
    ) throws -> PastOccurrence? {
        guard let day = try row.value(first, as: Day?.self) else { return nil }
        let state = try row.string(first + 2)
        guard let state = OccurrenceState(rawValue: state) else {
            throw row.problem(first + 2, "\(state) is no state of an occurrence")
        }
        return try PastOccurrence(
            number: Int(row.int32(first + 1)),
            date: day,
            state: state,
            transactionID: row.value(first + 3),
            reason: row.value(first + 4)
        )
    }

    static let insert = Statement<Void>(
        """
        insert into ledger.recurrence
            (id, user_id, account_id, currency, amount, category_id, name, description, tags,
            latitude, longitude, place, folder_id, line_categories, line_amounts, every, unit,
            until, anchor, next_number, next_day, look_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $19, $20, $21, $22)
        """
    )

    /// No more than one may have.
    static let count = Statement(
        by: "recurrence_",
        "select count(*) from ledger.recurrence where user_id = $1 and deleted_at is null"
    ) { row in try row.int64(0) }

    /// And the newest of each by recurrence_occurrence_pkey.
    static let list = Statement(
        by: "recurrence_user_idx",
        """
        select r.id, r.user_id, r.account_id, r.currency, r.amount, r.category_id, r.name,
            r.description, r.tags, r.latitude, r.longitude, r.place, r.folder_id,
            r.line_categories, r.line_amounts, r.every, r.unit, r.until, r.anchor, r.next_number,
            r.next_day, r.is_active, r.version, r.created_at,
            last.day, last.number, last.state, last.transaction_id, last.reason
        from ledger.recurrence as r
        left join lateral (
            select * from ledger.recurrence_occurrence as o
            where o.recurrence_id = r.id order by o.day desc limit 1
        ) as last on true
        where r.user_id = $1 and r.id < $2 and r.deleted_at is null
        order by r.id desc
        limit $3
        """
    ) { row in
        RecurrenceRow(recurring: try RecurrenceStatements.row(row), last: try past(row, from: 24))
    }

    static let find = Statement(
        by: "recurrence_",
        """
        select r.id, r.user_id, r.account_id, r.currency, r.amount, r.category_id, r.name,
            r.description, r.tags, r.latitude, r.longitude, r.place, r.folder_id,
            r.line_categories, r.line_amounts, r.every, r.unit, r.until, r.anchor, r.next_number,
            r.next_day, r.is_active, r.version, r.created_at,
            last.day, last.number, last.state, last.transaction_id, last.reason
        from ledger.recurrence as r
        left join lateral (
            select * from ledger.recurrence_occurrence as o
            where o.recurrence_id = r.id order by o.day desc limit 1
        ) as last on true
        where r.id = $2 and r.user_id = $1 and r.deleted_at is null
        """
    ) { row in
        RecurrenceRow(recurring: try RecurrenceStatements.row(row), last: try past(row, from: 24))
    }

    /// A change and a worker come one after another.
    static let lock = Statement(
        by: "recurrence_",
        """
        select r.id, r.user_id, r.account_id, r.currency, r.amount, r.category_id, r.name,
            r.description, r.tags, r.latitude, r.longitude, r.place, r.folder_id,
            r.line_categories, r.line_amounts, r.every, r.unit, r.until, r.anchor, r.next_number,
            r.next_day, r.is_active, r.version, r.created_at
        from ledger.recurrence as r
        where r.id = $2 and r.user_id = $1 and r.deleted_at is null
        for no key update
        """
    ) { row in try RecurrenceStatements.row(row) }

    static let lastDay = Statement(
        by: "recurrence_occurrence_pkey",
        """
        select day from ledger.recurrence_occurrence
        where recurrence_id = $1
        order by day desc
        limit 1
        """
    ) { row in try row.value(0, as: Day.self) }

    static let past = Statement(
        by: "recurrence_occurrence_pkey",
        """
        select day, number, state, transaction_id, reason from ledger.recurrence_occurrence
        where recurrence_id = $1
        order by day desc
        limit 10
        """
    ) { row in try past(row, from: 0) }

    static let change = Statement<Void>(
        by: "recurrence_pkey",
        """
        update ledger.recurrence
        set amount = $3, category_id = $4, name = $5, description = $6, line_categories = $7,
            line_amounts = $8, every = $9, unit = $10, until = $11, next_number = $12,
            next_day = $13, is_active = $14, look_at = $15, failures = 0, version = version + 1,
            xid = pg_current_xact_id()
        where id = $2 and user_id = $1
        """
    )

    /// Words go, the row tells who catches up.
    static let delete = Statement<Void>(
        by: "recurrence_pkey",
        """
        update ledger.recurrence
        set deleted_at = now(), look_at = null, is_active = false, name = null,
            description = null, tags = '{}', latitude = null, longitude = null, place = null,
            version = version + 1, xid = pg_current_xact_id()
        where id = $2 and user_id = $1
        """
    )

    /// Those that name a category.
    static let ofCategory = Statement(
        by: "recurrence_",
        """
        select r.id, r.user_id, r.account_id, r.currency, r.amount, r.category_id, r.name,
            r.description, r.tags, r.latitude, r.longitude, r.place, r.folder_id,
            r.line_categories, r.line_amounts, r.every, r.unit, r.until, r.anchor, r.next_number,
            r.next_day, r.is_active, r.version, r.created_at
        from ledger.recurrence as r
        where r.user_id = $1 and r.deleted_at is null
            and (r.category_id = $2 or $2 = any (r.line_categories))
        order by r.id
        for no key update
        """
    ) { row in try RecurrenceStatements.row(row) }

    static let recategorise = Statement<Void>(
        by: "recurrence_pkey",
        """
        update ledger.recurrence
        set category_id = $2, line_categories = $3, line_amounts = $4, version = version + 1,
            xid = pg_current_xact_id()
        where id = $1
        """
    )

    /// Whoever moves to another zone has other beginnings of days.
    static let lookAgain = Statement<Void>(
        by: "recurrence_",
        """
        update ledger.recurrence
        set look_at = $3
        where user_id = $1 and deleted_at is null and look_at > $3
            and exists (
                select from ledger.person where person.user_id = $1 and person.time_zone <> $2)
        """
    )
}
