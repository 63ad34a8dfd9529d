import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// An expense as limits see it.
struct SpentExpense: Sendable, Hashable {
    let id: ID<Expense>
    let amount: Money
    let day: Day
}

/// Sets limits, reads them with what has been spent, and tells of those that are crossed.
///
/// A limit is compared with the group's expenses in the group's currency: amounts in others would
/// need a rate of the day, and a limit that moved with rates could be crossed by nobody's expense.
final class ThresholdStore {
    private let database: Database
    private let effects: KeyedEffects

    /// Each is looked at by each expense.
    static let countMax = 100

    init(database: Database, effects: KeyedEffects) {
        self.database = database
        self.effects = effects
    }

    func make(
        _ body: NewThreshold,
        for group: ID<Group>,
        by user: ID<User>,
        today: Day,
        key: IdempotencyScope?
    ) async throws -> KeyedOutcome<ThresholdView> {
        let id = ID<Threshold>.new()
        return try await effects.run(key) { transaction in
            let place = try await Place.lock(user, in: group, transaction)
            guard body.amount.currency == place.group.currency else {
                throw APIError.field(
                    "/amount/currency",
                    .currencyMismatch,
                    "must be the group's currency, \(place.group.currency)"
                )
            }
            let count = try await transaction.queryOne(ThresholdStatements.count, group)
            guard count ?? 0 < Self.countMax else {
                throw APIError.field("", .tooMany, "a group has at most \(Self.countMax) limits")
            }
            try await transaction.execute(
                ThresholdStatements.insert,
                group,
                id,
                body.amount.minorUnits,
                body.period.map(\.every).map { Int32(clamping: $0) },
                body.period?.unit.rawValue,
                body.period.map { $0.from ?? today },
                place.member
            )
            return id
        } load: { id, transaction in
            let place = try await Place.find(user, in: group, transaction)
            let above = ID<Threshold>(high: id.high, low: id.low &+ 1)
            let rows = try await transaction.query(ThresholdStatements.list, group, above, 1)
            guard let row = rows.first, row.id == id else { return nil }
            return try await Self.view(row, of: place.group, today: today, transaction)
        }
    }

    func list(
        _ query: PageQuery,
        of group: ID<Group>,
        for user: ID<User>,
        today: Day
    ) async throws -> Page<ThresholdView> {
        let place = try await Place.find(user, in: group, database)
        let before = try query.cursor?.decode(ID<Threshold>.self) ?? ID(high: .max, low: .max)
        let rows = try await database.query(
            ThresholdStatements.list,
            group,
            before,
            query.limit + 1
        )
        var views: [ThresholdView] = []
        for row in rows {
            views.append(try await Self.view(row, of: place.group, today: today, database))
        }
        return Page(rows: views, limit: query.limit) { Cursor($0.id) }
    }

    func remove(_ id: ID<Threshold>, from group: ID<Group>, by user: ID<User>) async throws {
        try await database.transaction { transaction in
            _ = try await Place.lock(user, in: group, transaction)
            let removed = try await transaction.execute(ThresholdStatements.delete, group, id)
            guard removed > 0 else { throw APIError.notFound }
        }
    }

    /// A limit with what has been spent in its running period.
    private static func view(
        _ row: ThresholdRow,
        of group: GroupRow,
        today: Day,
        _ database: some Querying
    ) async throws -> ThresholdView {
        let running = row.running(on: today)
        var spent: Int64 = 0
        if let running { spent = try await Self.spent(running, in: group, database) }
        return ThresholdView(
            id: row.id,
            groupID: group.id,
            amount: Money(minorUnits: row.amount, group.currency),
            period: row.period,
            spent: Money(minorUnits: spent, group.currency),
            isCrossed: spent > row.amount,
            resetsAt: running == nil ? row.period?.from : running?.end,
            createdAt: row.createdAt
        )
    }

    private static func spent(
        _ period: Period,
        in group: GroupRow,
        _ database: some Querying
    ) async throws -> Int64 {
        try await database.queryOne(
            ThresholdStatements.spent,
            group.id,
            group.currency,
            period.start,
            period.last
        ) ?? 0
    }

    /// Tells every member of each limit that an expense, just written, takes the group above.
    ///
    /// The caller holds the group's row, so that of expenses at the same time one is the one that
    /// crosses; the key of `threshold_crossing` keeps a second from telling again in the period,
    /// also where an expense was removed and another takes its place.
    static func announceCrossings(
        by expense: SpentExpense,
        in group: GroupRow,
        today: Day,
        telling users: [ID<User>],
        in transaction: Transaction
    ) async throws {
        guard expense.amount.currency == group.currency else { return }
        let rows = try await transaction.query(
            ThresholdStatements.list,
            group.id,
            ID<Threshold>(high: .max, low: .max),
            countMax
        )
        var sums: [Period: Int64] = [:]
        for row in rows {
            guard let period = row.running(on: today), period.contains(expense.day) else {
                continue
            }
            let spent: Int64
            if let known = sums[period] {
                spent = known
            } else {
                spent = try await Self.spent(period, in: group, transaction)
                sums[period] = spent
            }
            let before = spent - expense.amount.minorUnits
            guard before <= row.amount, spent > row.amount else { continue }
            let inserted = try await transaction.execute(
                ThresholdStatements.insertCrossing,
                group.id,
                row.id,
                period.start,
                expense.id,
                spent
            )
            guard inserted == 1 else { continue }
            try await Outbox.append(
                GroupThresholdCrossed(
                    thresholdID: row.id,
                    groupID: group.id,
                    amount: Money(minorUnits: row.amount, group.currency),
                    spent: Money(minorUnits: spent, group.currency),
                    periodStart: row.period == nil ? nil : period.start,
                    userIDs: users
                ),
                of: group.aggregate,
                in: transaction
            )
        }
    }
}
