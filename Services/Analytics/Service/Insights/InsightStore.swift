import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Reads the figures of everybody.
struct InsightStore {
    let database: Database
    let rates: RateStore
    let blocking: BlockingPool
    /// Figures of fewer users are suppressed.
    let usersMin: Int

    /// Answers a query of somebody who may ask; nothing of one person is in the answer.
    ///
    /// What has no rate is suppressed as the figures are, as a table by currency. Figures and what
    /// is suppressed of them come of one snapshot. What is suppressed is found on
    /// the blocking pool, for it may take a moment.
    func spending(_ query: SpendingQuery, by user: ID<User>) async throws -> SpendingInsights {
        let settings = try await database.queryOne(PeopleStatements.settings, user) ?? .unknown
        let today = Period.today(at: .now(), in: settings.timeZone)
        let scope = try InsightScope(query, today: today)
        try await rates.ensure(try await database.query(InsightStatements.foreignDays(scope)))
        let table = InsightTable(scope: scope, usersMin: usersMin)
        let ofCurrencies = scope.grouped(by: [.currency])
        let read = try await database.transaction(
            TransactionOptions(isolation: .repeatableRead, readOnly: true)
        ) { transaction in
            let users = try await transaction.query(InsightStatements.cube(scope, of: .converted))
            let figures = try await transaction.query(InsightStatements.figures(scope))
            let sums = try await transaction.query(InsightStatements.unconverted(scope))
            let usersOfSums =
                sums.isEmpty
                ? []
                : try await transaction.query(
                    InsightStatements.cube(ofCurrencies, of: .unconverted)
                )
            return (users: users, figures: figures, sums: sums, usersOfSums: usersOfSums)
        }
        guard max(read.users.count, read.usersOfSums.count) <= InsightStatements.cellsMax else {
            throw APIError.query("groupBy", .tooMany, "would make too many cells")
        }
        let answer = try await blocking.run {
            let ofSums = InsightTable(scope: ofCurrencies, usersMin: table.usersMin)
            return (
                cells: try table.cells(users: read.users, figures: read.figures),
                sums: ofSums.told(read.sums, users: read.usersOfSums)
            )
        }
        return SpendingInsights(
            from: scope.period.from,
            to: scope.period.to,
            direction: scope.direction,
            currency: scope.currency,
            usersMin: usersMin,
            cells: answer.cells,
            unconverted: answer.sums
        )
    }
}
