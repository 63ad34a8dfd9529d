import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Releases one month in a transaction of its own: takes up of each of its cubes what its bookings
/// are now, where people enough have changed something, and works out what is told of them.
struct MonthRelease {
    let month: Month
    let release: Release
    /// The currency of a month that is due for the first time.
    let base: Currency
    let blocking: BlockingPool
    let connection: LeasedConnection
    let now: Instant
    /// The last day of which rates were looked for.
    let ratedUntil: Day

    /// - Parameter isDue: whether it may be told for the first time.
    func run(isDue: Bool) async throws {
        var waiting: [CubeWay] = []
        while true {
            do {
                return try await connection.transaction { transaction in
                    try await run(isDue, except: waiting, in: transaction)
                }
            } catch let failure as TooDear {
                // Nothing of the month is taken up yet: this one waits, and the others anew.
                waiting.append(failure.way)
            }
        }
    }

    private func run(
        _ isDue: Bool,
        except waiting: [CubeWay],
        in transaction: Transaction
    ) async throws {
        _ = try await transaction.queryOne(ReleaseStatements.lock)
        try await transaction.execute(BookingStatements.forgetGone)
        if isDue {
            try await transaction.execute(ReleaseStatements.chooseBase, month.firstDay, base.code)
        }
        guard let base = try await transaction.queryOne(ReleaseStatements.base, month.firstDay)
        else { return }
        let changes = try await transaction.query(
            BookingStatements.takeUp,
            month.firstDay,
            month.lastDay,
            release.number,
            Int64(release.usersMin),
            isDue,
            waiting.map(\.code),
            base.code
        )
        try await rate(in: transaction)
        for way in CubeWay.all {
            let work = CubeRelease(
                month: month,
                way: way,
                release: release,
                base: base,
                now: now,
                blocking: blocking,
                transaction: transaction
            )
            // What was never taken up has nothing to keep, and leaves no trace of its people.
            if let change = changes.first(where: { $0.way == way && $0.isTakenUp }) {
                try await work.takeUp(people: change.people)
            } else {
                try await work.keep()
            }
        }
    }

    private func rate(in transaction: Transaction) async throws {
        let days = month.days(until: ratedUntil)
        try await transaction.execute(
            ReleaseStatements.rateMonth,
            month.firstDay,
            days.last ?? month.firstDay,
            Int64(days.count),
            release.currencies.map(\.code)
        )
    }
}

extension Month {
    /// Its days, those until one.
    func days(until last: Day) -> [Day] {
        (0..<max(0, firstDay.days(to: min(lastDay, last)) + 1)).compactMap {
            firstDay.adding(days: $0)
        }
    }
}

/// What was told of a cube is worth more than what has changed since.
struct TooDear: Error {
    let way: CubeWay
}
