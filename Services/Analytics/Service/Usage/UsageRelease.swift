import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Works out how the suite was used in the months that have ended since the last release.
///
/// Each is worked out once (0016_usage_releases.sql): with the first release from the third day
/// after its end on that has seen a day after it. Where events are late that is a later release.
struct UsageRelease {
    let release: Release
    let blocking: BlockingPool
    /// That of the release.
    let connection: LeasedConnection

    func run() async throws {
        var failure: (any Error)?
        let usersMin = Int64(release.usersMin)
        for day in try await connection.query(UsageReleaseStatements.raised, usersMin) {
            do { try await narrow(day.month) } catch { failure = failure ?? error }
        }
        try await runNew()
        // A month that cannot be decided anew keeps no other from being told.
        if let failure { throw failure }
    }

    private func narrow(_ month: Month) async throws {
        try await connection.transaction { transaction in
            let narrowing = UsageNarrowing(
                month: month,
                usersMin: release.usersMin,
                blocking: blocking,
                transaction: transaction
            )
            try await narrowing.run()
        }
    }

    private func runNew() async throws {
        guard let last = Self.lastMonth(at: release.releasedAt) else { return }
        for day in try await connection.query(UsageReleaseStatements.months, last.firstDay) {
            try await connection.transaction { transaction in
                try await run(of: day.month, in: transaction)
            }
        }
        guard let kept = last.adding(-Self.monthsKept) else { return }
        for statement in UsageReleaseStatements.forget {
            while try await connection.execute(statement, kept.firstDay, Self.chunk) > 0 {}
        }
    }

    /// How long days and files of people are kept, though no figure is made of them any more.
    private static let monthsKept = 25
    private static let chunk: Int32 = 5_000

    /// The last month whose end is three days ago; a running one is never told.
    static func lastMonth(at now: Instant) -> Month? {
        ReleaseSettings(usersMin: 0, currencies: []).lastMonth(at: now)
    }

    private func run(of month: Month, in transaction: Transaction) async throws {
        let (first, last) = (month.firstDay, month.lastDay)
        try await transaction.execute(UsageReleaseStatements.settleCohort, first, last)
        let sizes = try await transaction.query(UsageReleaseStatements.sizes, first)
        let weeks = ActiveDays.weeks(of: month)
        let active = try await transaction.query(
            UsageReleaseStatements.active,
            first,
            weeks.map(\.days),
            weeks.map(\.length)
        )
        let imports = try await files(.import, first, last, transaction)
        let exports = try await files(.export, first, last, transaction)
        let usersMin = release.usersMin
        let made = try await blocking.run {
            Self.cells(of: month, sizes, active, (imports, exports), usersMin: usersMin)
        }
        for cells in made { try await keep(cells, of: first, in: transaction) }
        try await transaction.execute(
            UsageReleaseStatements.insertMonth,
            first,
            release.number,
            Int64(usersMin)
        )
        guard let before = month.adding(-1) else { return }
        try await runFunnel(of: before, until: last, in: transaction)
    }

    private func files(
        _ kind: UsedFileKind,
        _ first: Day,
        _ last: Day,
        _ transaction: Transaction
    ) async throws -> [UsageRow] {
        try await transaction.query(UsageReleaseStatements.files, first, last, kind.rawValue)
    }

    /// Of a month that was worked out before, under what decided of those that registered in it.
    private func runFunnel(
        of month: Month,
        until last: Day,
        in transaction: Transaction
    ) async throws {
        let first = month.firstDay
        guard
            let usersMin = try await transaction.queryOne(UsageReleaseStatements.usersMin, first)
        else { return }
        let steps = try await transaction.query(UsageReleaseStatements.steps, first, last)
        let kept = try await transaction.query(
            UsageReleaseStatements.kept,
            UsageKind.cohort.rawValue,
            first
        )
        let cells = try await blocking.run {
            let cohort = UsageCells(.cohort, kept: kept).told
            return UsageCells(.funnel, steps, under: cohort, usersMin: Int(usersMin))
        }
        try await keep(cells, of: first, in: transaction)
    }

    /// Whoever takes a file in or out is there.
    static func present(_ activity: UsageCells) -> [UsageCells.Place: UsageFigures] {
        activity.figures.filter { $0.key[0].isEmpty }
    }

    /// What is told of a month beside the funnel.
    /// - Parameter sizes: of every cohort up to the month's.
    static func cells(
        of month: Month,
        _ sizes: [UsageRow],
        _ active: [UsageRow],
        _ files: (imports: [UsageRow], exports: [UsageRow]),
        usersMin: Int
    ) -> [UsageCells] {
        let own = sizes.filter { $0.path == [month.text] }.map { $0.on([]) }
        let activity = UsageCells(
            .activity,
            active,
            partOf: UsageCells.sums(of: sizes),
            usersMin: usersMin
        )
        let present = present(activity)
        return [
            UsageCells(.cohort, own, usersMin: usersMin), activity,
            UsageCells(.imports, files.imports, partOf: present, usersMin: usersMin),
            UsageCells(.exports, files.exports, partOf: present, usersMin: usersMin),
        ]
    }

    private func keep(
        _ cells: UsageCells,
        of month: Day,
        in transaction: Transaction
    ) async throws {
        var place = 0
        var rest = cells.rows[...]
        while !rest.isEmpty {
            let rows = Array(rest.prefix(2_000))
            rest = rest.dropFirst(2_000)
            try await transaction.execute(
                UsageReleaseStatements.insertCells,
                cells.kind.rawValue,
                month,
                place,
                rows.map { UsageCells.code($0.place.map(\.count)) },
                rows.map { $0.place[0].joined(separator: "/") },
                rows.map(\.place[1].first),
                rows.map { $0.place[1].count == 2 ? $0.place[1].last : nil },
                rows.map(\.place[2].first),
                rows.map(\.place[3].first),
                rows.map(\.isTold),
                rows.map(\.figures.users),
                rows.map(\.figures.days),
                rows.map(\.figures.weekDays),
                rows.map(\.figures.times)
            )
            place += rows.count
        }
    }
}
