import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// Tells of limits whose period begins with more in it than they allow, by expenses dated ahead.
///
/// A timer is a row: of each limit with periods the day of the next one, and the instant when it
/// begins where the limit was set. Whoever claims it holds the group's row, as whatever changes
/// money does; a group that is in use is left for the next round.
final class PeriodStore {
    private let database: Database
    private let effects: KeyedEffects

    init(database: Database, effects: KeyedEffects) {
        self.database = database
        self.effects = effects
    }

    /// How many are looked at in a round.
    static let countMax: Int64 = 100

    /// Looks at the limits of which a period has begun.
    /// - Returns: of how many; the rest waits for the next round.
    /// - Throws: the last of what failed, after all have been looked at.
    func announceBegun(at now: Instant) async throws -> Int64 {
        var count: Int64 = 0
        var failure: (any Error)?
        for due in try await database.query(ThresholdStatements.due, now, Self.countMax) {
            let today = Person.day(at: now, in: due.zone)
            do {
                try await effects.run { transaction in
                    guard
                        let currency = try await transaction.queryOne(
                            GroupStatements.lockFree,
                            due.group
                        ),
                        let row = try await transaction.queryOne(
                            ThresholdStatements.stillDue,
                            due.group,
                            due.id,
                            now
                        )
                    else { return }
                    try await begin(row, of: (due.group, currency), today: today, in: transaction)
                    let next = row.next(after: today)
                    try await transaction.execute(
                        ThresholdStatements.schedule,
                        due.group,
                        due.id,
                        next,
                        next.flatMap { $0.start(in: due.zone) }
                    )
                    count += 1
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
        return count
    }

    /// Tells of one that begins crossed.
    private func begin(
        _ row: ThresholdRow,
        of group: (id: ID<Group>, currency: Currency),
        today: Day,
        in transaction: Transaction
    ) async throws {
        // Not of the period in which it was set, which only an expense crosses.
        guard let awaited = row.nextStart, today >= awaited, let period = row.running(on: today)
        else { return }
        var sums = PeriodSums(group: group.id, currency: group.currency)
        let spent = try await sums.spent(in: period, transaction)
        guard spent.minorUnits > row.amount else { return }
        let members = try await transaction.query(GroupStatements.present, group.id)
        try await ThresholdStore.announce(
            Crossing(
                threshold: row,
                period: period,
                spent: spent,
                expense: nil
            ),
            of: group.id,
            telling: members.compactMap(\.user),
            in: transaction
        )
    }
}
