import Postgres
import ServiceKit
import WalletProtocol

/// A limit as its row has it, in the group's currency.
struct ThresholdRow: Sendable, Hashable {
    let id: ID<Threshold>
    let amount: Int64
    let period: ThresholdPeriod?
    let createdAt: Instant

    /// The days that count on a day; nil before the first period has begun.
    func running(on day: Day) -> Period? {
        guard let period, let first = period.from else { return .ever }
        return .running(on: day, period, from: first)
    }
}

/// The SQL of limits; each statement names the index that serves it.
enum ThresholdStatements {
    /// By threshold_pkey.
    static let insert = Statement<Void>(
        """
        insert into groups.threshold (
            group_id, id, amount, period_every, period_unit, period_from, created_by)
        values ($1, $2, $3, $4, $5, $6, $7)
        """
    )

    /// By threshold_pkey, newest first.
    static let list = Statement(
        """
        select id, amount, period_every, period_unit, period_from, created_at
        from groups.threshold
        where group_id = $1 and id < $2
        order by id desc
        limit $3
        """
    ) { row in
        let unit = try row.value(3, as: String?.self).flatMap { PeriodUnit(rawValue: $0) }
        let every = try row.value(2, as: Int32?.self)
        let from = try row.value(4, as: Day?.self)
        return try ThresholdRow(
            id: row.value(0),
            amount: row.int64(1),
            period: unit.map { ThresholdPeriod(every: Int(every ?? 1), unit: $0, from: from) },
            createdAt: row.value(5)
        )
    }

    /// By threshold_pkey.
    static let count = Statement(
        "select count(*) from groups.threshold where group_id = $1"
    ) { row in try row.int64(0) }

    /// By threshold_pkey.
    static let delete = Statement<Void>(
        "delete from groups.threshold where group_id = $1 and id = $2"
    )

    /// By expense_spent_idx, without a look at the table.
    static let spent = Statement(
        """
        select coalesce(sum(amount), 0)::bigint
        from groups.expense
        where group_id = $1 and currency = $2 and day >= $3 and day <= $4 and removed_at is null
        """
    ) { row in try row.int64(0) }

    /// By threshold_crossing_pkey: once per period.
    static let insertCrossing = Statement<Void>(
        """
        insert into groups.threshold_crossing (
            group_id, threshold_id, period_start, expense_id, spent)
        values ($1, $2, $3, $4, $5)
        on conflict (group_id, threshold_id, period_start) do nothing
        """
    )
}
