import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// What is told with a release beside its months, and is called what where it fails.
struct ReleasePart {
    let name: String
    let make: (Release, LeasedConnection) async throws -> Void
}

/// Makes releases of everybody's figures.
///
/// Whoever makes one holds a lock of the session until it is made or the connection is lost, and
/// for each month in turn the lock that whoever forgets people takes, too: so nobody who is
/// forgotten comes back by a month that was at work.
struct ReleaseStore {
    /// Of whose connections no statement is too long.
    let database: Database
    let rates: RateStore
    let blocking: BlockingPool
    let settings: ReleaseSettings
    /// What else is told with a release, before it is whole.
    let also: [ReleasePart]
    /// Notes a part that a release was made without, and why: the next one makes it.
    let note: (String, any Error) -> Void

    /// Makes a release, after whoever makes one.
    /// - Parameter now: what time it is, asked for whenever something is read that says so.
    func make(at now: @autoclosure () -> Instant) async throws -> Release {
        while true {
            if let made = try await make(at: now, isPatient: true) { return made }
        }
    }

    /// Makes a release where it is time, and nobody makes one.
    func makeWhereDue(at now: @autoclosure () -> Instant) async throws -> Release? {
        let latest = try await database.queryOne(ReleaseStatements.latest)
        guard settings.isDue(after: latest, at: now()) else { return nil }
        return try await make(at: now, isPatient: false)
    }

    private func make(at clock: () -> Instant, isPatient: Bool) async throws -> Release? {
        try await numberPeople()
        let begun = clock()
        guard let today = Day(utc: begun) else { throw APIError(.internalError) }
        let last = settings.lastMonth(at: begun)
        let days = try await daysOfRates(until: last, today)
        try await rates.ensure(days)
        return try await database.lease { connection in
            if isPatient {
                try await connection.execute(ReleaseStatements.begin)
            } else {
                let isOurs = try await connection.queryOne(ReleaseStatements.tryBegin)
                guard isOurs == true else { return nil }
            }
            let latest = try await connection.queryOne(ReleaseStatements.latest)
            // Who waited for another release is later than that.
            let now = clock()
            guard isPatient || settings.isDue(after: latest, at: now) else { return nil }
            let release = Release(
                number: (latest?.number ?? 0) + 1,
                releasedAt: now,
                usersMin: settings.usersMin,
                currencies: settings.currencies
            )
            try await begin(release, days, on: connection)
            for month in try await connection.query(ReleaseStatements.months) {
                let work = MonthRelease(
                    month: month.month,
                    release: release,
                    base: settings.base,
                    blocking: blocking,
                    connection: connection,
                    now: clock(),
                    ratedUntil: today
                )
                try await attempt(month.month.text) {
                    try await work.run(isDue: last.map { month.month <= $0 } ?? false)
                }
            }
            for part in also {
                try await attempt(part.name) { try await part.make(release, connection) }
            }
            try await connection.execute(ReleaseStatements.finish, release.number)
            return release
        }
    }

    /// Makes a part of a release: one that cannot be made keeps no other from being told.
    /// - Throws: what would keep each part from being made, and passes by itself.
    private func attempt(_ part: String, _ make: () async throws -> Void) async throws {
        do { try await make() } catch {
            guard !Task.isCancelled, !(error is BlockingPoolFull) else { throw error }
            switch error as? DatabaseError {
            case .connectionLost, .unavailable, .deadline, .cancelled: throw error
            case .server, .decoding, .rolledBack, .misuse, nil: note(part, error)
            }
        }
    }

    private func begin(
        _ release: Release,
        _ days: [Day],
        on connection: LeasedConnection
    ) async throws {
        try await connection.transaction { transaction in
            try await transaction.execute(
                ReleaseStatements.insert,
                release.number,
                release.releasedAt,
                Int64(release.usersMin),
                release.currencies.map(\.code)
            )
            try await transaction.execute(ReleaseStatements.freezeRates, days)
        }
    }

    /// Forgets what is booked under the numbers of erased people, unless a month is at work.
    func forgetGone() async throws {
        guard try await database.queryOne(BookingStatements.someGone) != nil else { return }
        try await database.transaction { transaction in
            guard try await transaction.queryOne(ReleaseStatements.tryLock) != nil else { return }
            try await transaction.execute(BookingStatements.forgetGone)
        }
    }

    /// Gives everybody who has booked something a number, a few at a time: each is a lock.
    private func numberPeople() async throws {
        var after = ExportPart.firstID
        while true {
            let some = try await database.query(ReleaseStatements.someUsers, after)
            guard let last = some.last else { return }
            try await database.execute(ReleaseStatements.number, some)
            after = last.text
        }
    }

    /// The days until today of which rates are still to be released, up to the last month that is
    /// told, which may be later than is told for the first time now.
    ///
    /// Figures in other currencies than a month's own need those of each of its days.
    private func daysOfRates(until last: Month?, _ today: Day) async throws -> [Day] {
        let months = try await database.query(ReleaseStatements.months)
        let released = try await database.queryOne(ReleaseStatements.lastReleased)?.month
        guard let first = months.first, let last = [last, released].compactMap({ $0 }).max() else {
            return []
        }
        var days = Set(
            try await database.query(
                ReleaseStatements.foreignDays,
                first,
                min(last.lastDay, today),
                settings.base.code
            )
        )
        for month in months where month <= last.lastDay {
            let ofMonth = month.month.days(until: today)
            let isRated = try await database.queryOne(
                ReleaseStatements.isRated,
                month,
                ofMonth.last ?? month,
                Int64(ofMonth.count),
                settings.currencies.map(\.code),
                settings.base.code
            )
            if isRated != true { days.formUnion(ofMonth) }
        }
        return days.sorted()
    }
}
