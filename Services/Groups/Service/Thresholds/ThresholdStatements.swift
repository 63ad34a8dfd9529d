import Postgres
import ServiceKit
import WalletProtocol

/// A limit as its row has it, in the group's currency.
struct ThresholdRow: Sendable, Hashable {
    let id: ID<Threshold>
    let amount: Int64
    let period: ThresholdPeriod?
    let createdAt: Instant
    /// The first day of the period that is waited for; nil where none is, or where none is known.
    let nextStart: Day?
    /// Its place among limits and expenses in other currencies, as they came.
    var number: Int64 = 0

    /// The days that count on a day; nil before the first period has begun.
    func running(on day: Day) -> Period? {
        guard let period, let first = period.from else { return .ever }
        return .running(on: day, period, from: first)
    }

    /// The first day of the period after the one that runs on a day.
    func next(after day: Day) -> Day? {
        guard let period else { return nil }
        guard let running = running(on: day) else { return period.from }
        return running.end
    }

    /// Whether a period runs where it is `today`, or has been seen to begin: it does not begin for
    /// everybody at once.
    func hasBegun(_ period: Period, today: Day) -> Bool {
        period == running(on: today) || period.end != nil && period.end == nextStart
    }
}

/// The SQL of limits; each statement names the index that serves it.
enum ThresholdStatements {
    static let insert = Statement<Void>(
        """
        insert into groups.threshold (
            group_id, id, amount, period_every, period_unit, period_from, created_by,
            next_start, next_check_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """
    )

    /// Newest first.
    static let list = Statement(
        by: "threshold_pkey",
        """
        select id, amount, period_every, period_unit, period_from, created_at, next_start,
            number
        from groups.threshold
        where group_id = $1 and id < $2
        order by id desc
        limit $3
        """
    ) { row in try threshold(row) }

    /// Of which a period may have begun, with the zone of who set it.
    static let due = Statement(
        by: "threshold_next_check_idx",
        """
        select t.group_id, t.id, coalesce(p.time_zone, 'UTC')
        from groups.threshold t
        join groups.member m on m.group_id = t.group_id and m.id = t.created_by
        left join groups.person p on p.user_id = m.user_id
        where t.next_check_at <= $1
        order by t.next_check_at
        limit $2
        """
    ) { row in
        (
            group: try row.value(0, as: ID<Group>.self),
            id: try row.value(1, as: ID<Threshold>.self),
            zone: try row.string(2)
        )
    }

    /// Nothing where another replica was faster.
    static let stillDue = Statement(
        by: "threshold_",
        """
        select id, amount, period_every, period_unit, period_from, created_at, next_start,
            number
        from groups.threshold
        where group_id = $1 and id = $2 and next_check_at <= $3
        limit 1
        """
    ) { row in try threshold(row) }

    static let schedule = Statement<Void>(
        by: "threshold_pkey",
        """
        update groups.threshold
        set next_start = $3, next_check_at = $4
        where group_id = $1 and id = $2
        """
    )

    private static func threshold(_ row: borrowing PostgresRow) throws -> ThresholdRow {
        let unit = try row.value(3, as: String?.self).flatMap { PeriodUnit(rawValue: $0) }
        let every = try row.value(2, as: Int32?.self)
        let from = try row.value(4, as: Day?.self)
        return try ThresholdRow(
            id: row.value(0),
            amount: row.int64(1),
            period: unit.map { ThresholdPeriod(every: Int(every ?? 1), unit: $0, from: from) },
            createdAt: row.value(5),
            nextStart: row.value(6),
            number: row.int64(7)
        )
    }

    static let find = Statement(
        by: "threshold_pkey",
        """
        select id, amount, period_every, period_unit, period_from, created_at, next_start,
            number
        from groups.threshold
        where group_id = $1 and id = $2
        limit 1
        """
    ) { row in try threshold(row) }

    static let change = Statement<Void>(
        by: "threshold_pkey",
        """
        update groups.threshold
        set amount = $3, period_every = $4, period_unit = $5, period_from = $6, next_start = $7,
            next_check_at = $8, number = default
        where group_id = $1 and id = $2
        """
    )

    /// Of what a changed limit allows, nobody has been told.
    static let deleteCrossings = Statement<Void>(
        by: "threshold_crossing_pkey",
        """
        delete from groups.threshold_crossing
        where group_id = $1 and threshold_id = $2 and spent <= $3
        """
    )

    static let count = Statement(
        by: "threshold_pkey",
        "select count(*) from groups.threshold where group_id = $1"
    ) { row in try row.int64(0) }

    static let delete = Statement<Void>(
        by: "threshold_pkey",
        "delete from groups.threshold where group_id = $1 and id = $2"
    )

    /// Without a look at the tables: in the group's currency, and what others count as.
    static let spent = Statement(
        by: "expense_spent_idx, foreign_expense_counted_idx, foreign_walk_pkey",
        """
        select (
            select coalesce(sum(amount), 0)
            from groups.expense
            where group_id = $1 and currency = $2 and day >= $3 and day <= $4
                and removed_at is null
        ) + (
            select coalesce(sum(converted), 0)
            from groups.foreign_expense
            where group_id = $1 and day >= $3 and day <= $4 and is_counted
                and converted is not null
                and number >= (select number from groups.foreign_walk where group_id = $1)
        )
        """
    ) { row in try row.value(0, as: Int128.self) }

    /// All of it, whatever the group's history in its own currency.
    static let total = Statement(
        by: "group_total_pkey, foreign_expense_counted_idx, foreign_walk_pkey",
        """
        select coalesce((
            select amount from groups.group_total where group_id = $1 and currency = $2
        ), 0) + (
            select coalesce(sum(converted), 0)
            from groups.foreign_expense
            where group_id = $1 and is_counted and converted is not null
                and number >= (select number from groups.foreign_walk where group_id = $1)
        )
        """
    ) { row in try row.value(0, as: Int128.self) }

    /// Once per period.
    static let insertCrossing = Statement<Void>(
        by: "threshold_crossing_pkey",
        """
        insert into groups.threshold_crossing (
            group_id, threshold_id, period_start, expense_id, spent)
        values ($1, $2, $3, $4, $5)
        on conflict (group_id, threshold_id, period_start) do nothing
        """
    )
}
