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
    /// Figures and what is suppressed of them come of one snapshot. What is suppressed is found on
    /// the blocking pool, for it may take a moment.
    func spending(_ query: SpendingQuery, by user: ID<User>) async throws -> SpendingInsights {
        let settings = try await database.queryOne(PeopleStatements.settings, user) ?? .unknown
        let today = Period.today(at: .now(), in: settings.timeZone)
        let scope = try InsightScope(query, today: today)
        try await rates.ensure(try await database.query(InsightStatements.foreignDays(scope)))
        let usersMin = usersMin
        let read = try await database.transaction(
            TransactionOptions(isolation: .repeatableRead, readOnly: true)
        ) { transaction in
            let users = try await transaction.query(InsightStatements.cube(scope))
            let figures = try await transaction.query(InsightStatements.figures(scope))
            let unconverted = try await transaction.query(
                InsightStatements.unconverted(scope, usersMin: usersMin)
            )
            return (users: users, figures: figures, unconverted: unconverted)
        }
        guard read.users.count <= InsightStatements.cellsMax else {
            throw APIError.query("groupBy", .tooMany, "would make too many cells")
        }
        let table = InsightTable(scope: scope, usersMin: usersMin)
        let (users, figures) = (read.users, read.figures)
        let cells = try await blocking.run { table.cells(users: users, figures: figures) }
        return SpendingInsights(
            from: scope.period.from,
            to: scope.period.to,
            direction: scope.direction,
            currency: scope.currency,
            usersMin: usersMin,
            cells: cells,
            unconverted: read.unconverted.map { Money(minorUnits: $0.amount, $0.currency) }
        )
    }
}
