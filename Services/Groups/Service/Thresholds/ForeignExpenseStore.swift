import Postgres
import ServiceKit
import WalletProtocol

/// Converts expenses in other currencies than their group's, and tells of limits that they cross.
///
/// Whoever adds one waits neither for the ledger nor for this: rates are asked for outside of any
/// transaction, and written under the group's row, where what has become another meanwhile waits
/// for its own rate. A group that is in use is left for the next round.
final class ForeignExpenseStore {
    let database: Database
    private let effects: KeyedEffects
    private let rates: RateLedger

    init(database: Database, effects: KeyedEffects, rates: RateLedger) {
        self.database = database
        self.effects = effects
        self.rates = rates
    }

    /// How many are looked at in a round.
    static let countMax = 500
    /// After how long somebody looks again for a rate that there was not.
    static let putOffSeconds: Int64 = 3_600

    /// One with what it is in the group's currency; nil without a rate.
    private typealias Outcome = (expense: ForeignExpense, converted: ConvertedAmount?)

    /// After how long somebody tries again what failed, and what somebody else was at.
    static let failedSeconds: Int64 = 10
    static let inUseSeconds: Int64 = 1

    /// Converts those that wait; what fails comes behind the others, by currency and by group.
    /// - Returns: how many were looked at; the rest waits for the next round.
    /// - Throws: the last of what failed, after all have been looked at.
    func convertSome(at now: Instant) async throws -> Int {
        struct Pair: Hashable {
            let source: Currency
            let target: Currency
        }
        let due = try await database.query(ForeignExpenseStatements.due, now, Self.countMax)
        var outcomes: [Outcome] = []
        var failure: (any Error)?
        let byPair = Dictionary(grouping: due) {
            Pair(source: $0.amount.currency, target: $0.target)
        }
        for (pair, expenses) in byPair {
            do {
                let converted = try await rates.convert(
                    expenses.map { Total($0.amount) },
                    expenses.map(\.day),
                    pair.target
                )
                outcomes += zip(expenses, converted).map { (expense: $0, converted: $1) }
            } catch {
                failure = error
                try await postpone(expenses, to: now.adding(seconds: Self.failedSeconds))
            }
        }
        for (group, outcomes) in Dictionary(grouping: outcomes, by: \.expense.group) {
            var pause = Self.inUseSeconds
            do {
                let isDone = try await effects.run { transaction in
                    try await write(outcomes, of: group, at: now, in: transaction)
                }
                if isDone { continue }
            } catch {
                (failure, pause) = (error, Self.failedSeconds)
            }
            try await postpone(outcomes.map(\.expense), to: now.adding(seconds: pause))
        }
        if let failure { throw failure }
        return due.count
    }

    private func postpone(_ expenses: [ForeignExpense], to moment: Instant) async throws {
        try await database.execute(
            ForeignExpenseStatements.postpone,
            expenses.map(\.group),
            expenses.map(\.id),
            moment
        )
    }

    /// - Returns: false where the group is in use, or has another currency by now.
    private func write(
        _ outcomes: [Outcome],
        of group: ID<Group>,
        at now: Instant,
        in transaction: Transaction
    ) async throws -> Bool {
        guard let currency = outcomes.first?.expense.target,
            try await transaction.queryOne(GroupStatements.lockFree, group) == currency
        else { return false }
        try await transaction.execute(
            ForeignExpenseStatements.putOff,
            group,
            outcomes.filter { $0.converted?.rate == nil }.map(\.expense.id),
            now.adding(seconds: Self.putOffSeconds)
        )
        let found = outcomes.compactMap { outcome in
            outcome.converted.flatMap { converted in
                converted.rate.map { (of: outcome.expense, is: converted.amount, by: $0) }
            }
        }
        let counted = try await transaction.query(
            ForeignExpenseStatements.convert,
            group,
            found.map(\.of.id),
            found.map(\.of.amount.minorUnits),
            found.map(\.of.amount.currency),
            found.map(\.of.day),
            found.map(\.is.minorUnits),
            found.map(\.by.value.text),
            found.map(\.by.source),
            found.map(\.by.day)
        )
        try await announceCrossings(
            by: counted.sorted { $0.number < $1.number },
            of: (group, currency),
            in: transaction
        )
        return true
    }

    /// Tells of each limit that was set before, which they take the group above in a period that
    /// ran when they were written, or runs now.
    private func announceCrossings(
        by counted: [CountedExpense],
        of group: (id: ID<Group>, currency: Currency),
        in transaction: Transaction
    ) async throws {
        guard !counted.isEmpty else { return }
        let rows = try await transaction.query(
            ThresholdStatements.list,
            group.id,
            ID<Threshold>(high: .max, low: .max),
            ThresholdStore.countMax
        )
        let users = try await transaction.query(GroupStatements.present, group.id)
            .compactMap(\.user)
        var sums = PeriodSums(group: group.id, currency: group.currency)
        for row in rows {
            for (period, expenses) in row.periods(of: counted) {
                let spent = try await sums.spent(in: period, transaction)
                var sum = expenses.reduce(spent.minorUnits) { $0 - $1.amount }
                guard sum <= row.amount, spent.minorUnits > row.amount else { continue }
                let crossing = expenses.first { expense in
                    sum += expense.amount
                    return sum > row.amount
                }
                try await ThresholdStore.announce(
                    Crossing(threshold: row, period: period, spent: spent, expense: crossing?.id),
                    of: group.id,
                    telling: users,
                    in: transaction
                )
            }
        }
    }
}

extension ThresholdRow {
    /// Those of which it tells, in their order, by the periods in which they count.
    fileprivate func periods(of counted: [CountedExpense]) -> [Period: [CountedExpense]] {
        var periods: [Period: [CountedExpense]] = [:]
        for expense in counted where expense.number > number {
            guard let period = running(on: expense.day),
                hasBegun(period, today: expense.writtenOn)
            else { continue }
            periods[period, default: []].append(expense)
        }
        return periods
    }
}
