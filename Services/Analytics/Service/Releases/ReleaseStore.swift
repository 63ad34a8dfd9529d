import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Makes releases of everybody's figures.
///
/// Whoever makes one holds the lock of releases until it is committed, and whoever forgets a person
/// takes it last: so nobody who is forgotten comes back by a release that began before.
struct ReleaseStore {
    /// Of whose connections no statement is too long.
    let database: Database
    let rates: RateStore
    let blocking: BlockingPool
    let settings: ReleaseSettings

    /// Makes a release now, after whoever makes one.
    func make(at now: Instant) async throws -> Release {
        while true {
            if let made = try await make(at: now, isPatient: true) { return made }
        }
    }

    /// Makes a release where it is time, and nobody makes one.
    func makeWhereDue(at now: Instant) async throws -> Release? {
        let latest = try await database.queryOne(ReleaseStatements.latest)
        guard settings.isDue(after: latest, at: now) else { return nil }
        return try await make(at: now, isPatient: false)
    }

    private func make(at now: Instant, isPatient: Bool) async throws -> Release? {
        try await numberPeople()
        let last = settings.lastMonth(at: now)
        let days = try await foreignDays(until: last)
        try await rates.ensure(days)
        return try await database.transaction { transaction in
            let lock = isPatient ? ReleaseStatements.lock : ReleaseStatements.tryLock
            guard try await transaction.queryOne(lock) != nil else { return nil }
            let latest = try await transaction.queryOne(ReleaseStatements.latest)
            guard isPatient || settings.isDue(after: latest, at: now) else { return nil }
            let release = Release(
                number: (latest?.number ?? 0) + 1,
                releasedAt: now,
                usersMin: settings.usersMin,
                currencies: settings.currencies
            )
            try await transaction.execute(
                ReleaseStatements.insert,
                release.number,
                release.releasedAt,
                Int64(release.usersMin),
                release.currencies.map(\.code)
            )
            try await transaction.execute(ReleaseStatements.freezeRates, days)
            let isSame =
                latest?.usersMin == release.usersMin && latest?.currencies == release.currencies
            for month in try await transaction.query(ReleaseStatements.months) {
                let work = MonthRelease(
                    month: month.month,
                    release: release,
                    blocking: blocking,
                    transaction: transaction
                )
                let isDue = last.map { month.month <= $0 } ?? false
                try await work.run(isDue: isDue, makesAnew: !isSame)
            }
            return release
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

    /// Up to the last month that is told, which may be later than is told for the first time now.
    private func foreignDays(until last: Month?) async throws -> [Day] {
        let months = try await database.query(ReleaseStatements.months)
        let released = try await database.queryOne(ReleaseStatements.lastReleased)?.month
        guard let first = months.first, let last = [last, released].compactMap({ $0 }).max() else {
            return []
        }
        return try await database.query(
            ReleaseStatements.foreignDays,
            first,
            last.lastDay,
            settings.currencies.map(\.code)
        )
    }
}
