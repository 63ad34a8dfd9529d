import Postgres
import ServiceKit
import WalletProtocol

/// Reads how the suite is used, as releases have told it.
struct UsageStore {
    let database: Database
    let settings: ReleaseSettings

    /// A table with more cells than this is not answered.
    static let cellsMax = 50_000

    /// Answers a query of somebody who may ask; nothing of one person is in the answer.
    func insights(_ query: UsageQuery, by user: ID<User>) async throws -> UsageInsights {
        let person = try await database.queryOne(PeopleStatements.settings, user) ?? .unknown
        let today = Period.today(at: .now(), in: person.timeZone)
        let scope = try UsageScope(query, today: today)
        let options = TransactionOptions(isolation: .repeatableRead, readOnly: true)
        let read = try await database.transaction(options) { transaction in
            try await self.read(scope, transaction)
        }
        let table = UsageTable(scope: scope, asked: read.asked, released: read.released)
        let answer = table.cells(read.tables)
        return UsageInsights(
            measure: scope.measure,
            from: scope.period.from,
            to: scope.period.to,
            asOf: read.asOf,
            months: read.asked,
            usersMin: read.usersMin ?? settings.usersMin,
            cells: answer.cells,
            isUnlisted: answer.isWhole ? nil : true
        )
    }

    private func read(
        _ scope: UsageScope,
        _ transaction: Transaction
    ) async throws -> Read {
        let first = scope.period.from.month
        let months = try await transaction.query(UsageAnswerStatements.months, first.firstDay)
        let released = months.map(\.month)
        let asked = scope.months.filter { released.contains($0) }
        let parts = UsageTable.parts(of: scope, asked, released)
        let read = Set(parts.flatMap(\.months))
        var tables: [UsageTable.Part] = []
        for part in parts {
            let cells = try await transaction.query(
                UsageAnswerStatements.cells,
                part.kind.rawValue,
                part.months.map(\.firstDay),
                UsageCells.code([part.level] + scope.levels),
                part.paths,
                Self.cellsMax + 1
            )
            tables.append(part.with(cells))
        }
        guard tables.reduce(0, { $0 + $1.cells.count }) <= Self.cellsMax else {
            throw APIError.query("groupBy", .tooMany, "would make too many cells")
        }
        return Read(
            usersMin: months.filter { read.contains($0.month) }.map(\.usersMin).min(),
            asOf: try await transaction.queryOne(ReleaseStatements.latestWhole),
            asked: asked,
            released: released,
            tables: tables
        )
    }

    /// What an answer is made of.
    private struct Read {
        /// How many people a figure is of at least.
        let usersMin: Int?
        /// Of the newest release that has been gone through: usage is made last.
        let asOf: Instant?
        /// Of the months that are asked for those that are told.
        let asked: [Month]
        /// Those that are told, from the first that is asked for on.
        let released: [Month]
        let tables: [UsageTable.Part]
    }
}
