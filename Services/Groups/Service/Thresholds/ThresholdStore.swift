import Messaging
import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// An expense as limits see it.
struct SpentExpense: Sendable, Hashable {
    let id: ID<Expense>
    let amount: Money
    let day: Day
}

/// By how much a change has raised what a group has spent on a day; below zero, lowered it.
struct SpendingRise: Sendable, Hashable {
    let day: Day
    let amount: Int128
}

/// Sets limits, reads them with what has been spent, and tells of those that are crossed.
///
/// A limit is compared with the group's expenses in the group's currency. Those in others count as
/// what they were worth on their day, from when they have been converted and for good: a limit that
/// moved with rates could be crossed by nobody's expense.
final class ThresholdStore {
    private let database: Database

    /// Each is looked at by each expense.
    static let countMax = 100

    init(database: Database) {
        self.database = database
    }

    func make(
        _ body: NewThreshold,
        for group: ID<Group>,
        by user: ID<User>,
        today: Day,
        zone: String = "UTC",
        in transaction: Transaction
    ) async throws -> ThresholdView {
        let id = ID<Threshold>.new()
        let from = body.period.map { $0.from ?? today }
        let made = ThresholdRow(
            id: id,
            amount: body.amount.minorUnits,
            period: body.period.map { ThresholdPeriod(every: $0.every, unit: $0.unit, from: from) },
            createdAt: .now(),
            nextStart: nil
        )
        let next = made.next(after: today)
        let membership = try await Membership.lock(user, in: group, to: .write, transaction)
        try Self.check(body.amount, in: membership.group)
        let count = try await transaction.queryOne(ThresholdStatements.count, group)
        guard count ?? 0 < Self.countMax else {
            throw APIError.field("", .tooMany, "a group has at most \(Self.countMax) limits")
        }
        if count == 0 {
            try await transaction.execute(ForeignWalkStatements.begin, group, today)
        }
        try await transaction.execute(
            ThresholdStatements.insert,
            group,
            id,
            body.amount.minorUnits,
            body.period.map(\.every).map { Int32(clamping: $0) },
            body.period?.unit.rawValue,
            from,
            membership.member,
            next,
            next.flatMap { $0.start(in: zone) }
        )
        return try await Self.view(id, of: membership.group, today: today, transaction)
    }

    private static func check(_ amount: Money, in group: GroupRow) throws(APIError) {
        guard amount.currency == group.currency else {
            throw APIError.field(
                "/amount/currency",
                .currencyMismatch,
                "must be the group's currency, \(group.currency)"
            )
        }
    }

    /// Another amount or period; nobody is told of what is above it already.
    func change(
        _ id: ID<Threshold>,
        of group: ID<Group>,
        _ change: ThresholdChange,
        by person: Person,
        today: Day,
        ifMatch wanted: EntityTags? = nil
    ) async throws -> ThresholdView {
        try await database.transaction { transaction in
            let user = person.id
            let membership = try await Membership.lock(user, in: group, to: .write, transaction)
            guard let old = try await transaction.queryOne(ThresholdStatements.find, group, id)
            else { throw APIError.notFound }
            try wanted.check(ThresholdView.tag(old.amount, old.period))
            let amount = change.amount.applied(
                to: Money(minorUnits: old.amount, membership.group.currency)
            )
            try Self.check(amount, in: membership.group)
            let period = change.period.applied(to: old.period).map {
                ThresholdPeriod(every: $0.every, unit: $0.unit, from: $0.from ?? today)
            }
            let new = ThresholdRow(
                id: id,
                amount: amount.minorUnits,
                period: period,
                createdAt: old.createdAt,
                nextStart: nil
            )
            let next = new.next(after: today)
            try await transaction.execute(
                ThresholdStatements.change,
                group,
                id,
                new.amount,
                period.map { Int32(clamping: $0.every) },
                period?.unit.rawValue,
                period?.from,
                next,
                next.flatMap { $0.start(in: person.timeZone) }
            )
            try await transaction.execute(
                ThresholdStatements.deleteCrossings,
                group,
                id,
                new.amount
            )
            return try await Self.view(id, of: membership.group, today: today, transaction)
        }
    }

    private static func view(
        _ id: ID<Threshold>,
        of group: GroupRow,
        today: Day,
        _ transaction: Transaction
    ) async throws -> ThresholdView {
        guard let row = try await transaction.queryOne(ThresholdStatements.find, group.id, id)
        else { throw APIError(.internalError) }
        var sums = PeriodSums(group: group.id, currency: group.currency)
        return try await view(row, today: today, &sums, transaction)
    }

    func list(
        _ query: PageQuery,
        of group: ID<Group>,
        for user: ID<User>,
        today: Day
    ) async throws -> Page<ThresholdView> {
        let membership = try await Membership.find(user, in: group, database)
        let before = try query.cursor?.decode(ID<Threshold>.self) ?? ID(high: .max, low: .max)
        // As of one moment: what is being converted is either spent or not converted.
        let options = TransactionOptions(isolation: .repeatableRead, readOnly: true)
        let views = try await database.transaction(options) { transaction in
            let rows = try await transaction.query(
                ThresholdStatements.list,
                group,
                before,
                query.limit + 1
            )
            var views: [ThresholdView] = []
            var sums = PeriodSums(group: group, currency: membership.group.currency)
            for row in rows {
                views.append(try await Self.view(row, today: today, &sums, transaction))
            }
            return views
        }
        return Page(rows: views, limit: query.limit) { Cursor($0.id) }
    }

    func remove(
        _ id: ID<Threshold>,
        from group: ID<Group>,
        by user: ID<User>,
        ifMatch wanted: EntityTags? = nil
    ) async throws {
        try await database.transaction { transaction in
            _ = try await Membership.lock(user, in: group, to: .write, transaction)
            guard let old = try await transaction.queryOne(ThresholdStatements.find, group, id)
            else { throw APIError.notFound }
            try wanted.check(ThresholdView.tag(old.amount, old.period))
            try await transaction.execute(ThresholdStatements.delete, group, id)
            if try await transaction.queryOne(ThresholdStatements.count, group) == 0 {
                try await transaction.execute(ForeignWalkStatements.begin, group, Day?.none)
            }
        }
    }

    /// A limit with what has been spent in its running period.
    private static func view(
        _ row: ThresholdRow,
        today: Day,
        _ sums: inout PeriodSums,
        _ database: some Querying
    ) async throws -> ThresholdView {
        var spent = Total.zero(sums.currency)
        var unconverted: [Total] = []
        if let running = row.running(on: today) {
            spent = try await sums.spent(in: running, database)
            unconverted = try await sums.unconverted(in: running, database)
        }
        return ThresholdView(
            id: row.id,
            groupID: sums.group,
            amount: Money(minorUnits: row.amount, sums.currency),
            period: row.period,
            spent: spent,
            unconverted: unconverted,
            isCrossed: spent.minorUnits > row.amount,
            resetsAt: row.next(after: today),
            createdAt: row.createdAt
        )
    }

    // MARK: Crossings

    /// Tells every member of each limit that an expense, just written, takes the group above.
    ///
    /// The caller holds the group's row, so that of expenses at the same time one is the one that
    /// crosses; the key of `threshold_crossing` keeps a second from telling again in the period,
    /// also where an expense was removed and another takes its place. What is dated in a period
    /// that has not begun is told of when it begins, by `PeriodStore`; what is in another currency,
    /// when it is converted, by `ForeignExpenseStore`.
    static func announceCrossings(
        by expense: SpentExpense,
        replacing old: SpentExpense? = nil,
        in group: GroupRow,
        today: Day,
        telling users: [ID<User>],
        in transaction: Transaction
    ) async throws {
        let rows = try await transaction.query(
            ThresholdStatements.list,
            group.id,
            ID<Threshold>(high: .max, low: .max),
            countMax
        )
        guard !rows.isEmpty else { return }
        let counted = try await ForeignExpenses.count(
            expense,
            replacing: old,
            in: group,
            today: today,
            transaction
        )
        var rises = [SpendingRise(day: expense.day, amount: counted.now)]
        if let old { rises.append(SpendingRise(day: old.day, amount: -counted.before)) }
        try await announceCrossings(
            of: rows,
            by: (expense.id, rises),
            in: group,
            today: today,
            telling: users,
            in: transaction
        )
    }

    /// The same of what was just removed: without money that came back a group has spent more.
    static func announceCrossings(
        byRemovalOf expenses: [SpentExpense],
        in group: GroupRow,
        telling users: [ID<User>],
        in transaction: Transaction
    ) async throws {
        let rises = try await ForeignExpenses.release(expenses, in: group, transaction)
        guard let last = expenses.last, rises.contains(where: { $0.amount > 0 }) else { return }
        let rows = try await transaction.query(
            ThresholdStatements.list,
            group.id,
            ID<Threshold>(high: .max, low: .max),
            countMax
        )
        try await announceCrossings(
            of: rows,
            by: (last.id, rises),
            in: group,
            today: Person.day(at: .now(), in: "UTC"),
            telling: users,
            in: transaction
        )
    }

    private static func announceCrossings(
        of rows: [ThresholdRow],
        by cause: (expense: ID<Expense>, rises: [SpendingRise]),
        in group: GroupRow,
        today: Day,
        telling users: [ID<User>],
        in transaction: Transaction
    ) async throws {
        var sums = PeriodSums(group: group.id, currency: group.currency)
        for row in rows {
            for (period, rises) in Dictionary(
                grouping: cause.rises,
                by: { row.running(on: $0.day) }
            ) {
                let rise = rises.reduce(0) { $0 + $1.amount }
                guard rise > 0, let period, row.hasBegun(period, today: today) else { continue }
                let spent = try await sums.spent(in: period, transaction)
                guard spent.minorUnits - rise <= row.amount, spent.minorUnits > row.amount else {
                    continue
                }
                try await announce(
                    Crossing(
                        threshold: row,
                        period: period,
                        spent: spent,
                        expense: cause.expense
                    ),
                    of: group.id,
                    telling: users,
                    in: transaction
                )
            }
        }
    }

    /// Tells of a limit that is crossed, where nobody was told in the period.
    static func announce(
        _ crossing: Crossing,
        of group: ID<Group>,
        telling users: [ID<User>],
        in transaction: Transaction
    ) async throws {
        let (row, period) = (crossing.threshold, crossing.period)
        let inserted = try await transaction.execute(
            ThresholdStatements.insertCrossing,
            group,
            row.id,
            period.start,
            crossing.expense,
            crossing.spent.minorUnits
        )
        guard inserted == 1 else { return }
        try await Outbox.append(
            GroupThresholdCrossed(
                thresholdID: row.id,
                groupID: group,
                amount: Money(minorUnits: row.amount, crossing.spent.currency),
                spent: crossing.spent,
                periodStart: row.period == nil ? nil : period.start,
                userIDs: users
            ),
            of: group.aggregate,
            in: transaction
        )
    }
}

extension ThresholdView {
    /// Names what is set, whatever was spent since.
    var tag: String { Self.tag(amount.minorUnits, period) }

    static func tag(_ amount: Int64, _ period: ThresholdPeriod?) -> String {
        guard let period else { return String(amount) }
        return "\(amount)-\(period.every)-\(period.unit.rawValue)-\(period.from?.text ?? "")"
    }
}

/// A limit with more spent in a period than it allows.
struct Crossing: Sendable, Hashable {
    let threshold: ThresholdRow
    let period: Period
    let spent: Total
    /// Which one took the group above; none where the period began so.
    let expense: ID<Expense>?
}
