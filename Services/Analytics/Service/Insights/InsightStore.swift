import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Reads the figures of everybody, as the newest release has them.
struct InsightStore {
    let database: Database
    let blocking: BlockingPool
    let settings: ReleaseSettings

    /// Answers a query of somebody who may ask; nothing of one person is in the answer, and nothing
    /// of what has been booked since the release.
    ///
    /// What has no rate is suppressed as the figures are, as a table by currency. Figures of many
    /// months or filters are put together on the blocking pool, for it may take a moment.
    func spending(_ query: SpendingQuery, by user: ID<User>) async throws -> SpendingInsights {
        let person = try await database.queryOne(PeopleStatements.settings, user) ?? .unknown
        let today = Period.today(at: .now(), in: person.timeZone)
        let scope = try InsightScope(query, today: today)
        guard settings.currencies.contains(scope.currency) else {
            let list = settings.currencies.map(\.code).joined(separator: ", ")
            throw APIError.query("in", .unknownValue, "figures are had in \(list)")
        }
        let ofCurrencies = scope.grouped(by: [.currency])
        let read = try await database.transaction(
            TransactionOptions(isolation: .repeatableRead, readOnly: true)
        ) { transaction in
            let reader = InsightReader(transaction: transaction)
            return (
                asOf: try await transaction.queryOne(ReleaseStatements.latestWhole),
                figures: try await reader.months(scope, isConverted: true),
                sums: try await reader.months(ofCurrencies, isConverted: false)
            )
        }
        let answer = try await blocking.run {
            (
                figures: try InsightTable(scope: scope, merged: read.figures.merged)
                    .cells(told: Disclosure(scope, read.figures.months).told()),
                sums: InsightTable(scope: ofCurrencies, merged: [])
                    .sums(told: Disclosure(ofCurrencies, read.sums.months).told())
            )
        }
        return SpendingInsights(
            from: scope.period.from,
            to: scope.period.to,
            direction: scope.direction,
            currency: scope.currency,
            asOf: read.asOf,
            months: read.figures.months.map(\.released),
            merged: read.figures.merged,
            usersMin: read.figures.months.map(\.usersMin).min() ?? settings.usersMin,
            cells: answer.figures.cells,
            unconverted: answer.sums,
            unconvertedMonths: read.sums.months.map(\.released),
            isUnlisted: answer.figures.isWhole ? nil : true
        )
    }
}
