import Postgres
import ServiceKit
import WalletProtocol

/// Reads one user's figures.
struct ReportStore {
    let database: Database
    let rates: RateStore

    /// The scope of a report, with what the user left out: the month up to their today, and their
    /// currency.
    func scope(
        of user: ID<User>,
        from: Day?,
        to: Day?,
        currency: Currency?,
        accounts: [ID<Account>],
        categories: [CategoryID]
    ) async throws -> ReportScope {
        let settings =
            try await database.queryOne(PeopleStatements.settings, user) ?? .unknown
        let today = Period.today(at: .now(), in: settings.timeZone)
        return ReportScope(
            user: user,
            period: try .ofReport(from: from, to: to, today: today),
            currency: currency ?? settings.currency,
            accounts: accounts,
            categories: categories
        )
    }

    func summary(_ scope: ReportScope) async throws -> SummaryView {
        try await rates.ensure(try await database.query(ReportStatements.foreignDays(scope)))
        let rows = try await database.query(ReportStatements.summary(scope))
        let totals = rows.first { $0.currency == nil }
        let income = Total(minorUnits: totals?.income ?? 0, scope.currency)
        let expenses = Total(minorUnits: totals?.expenses ?? 0, scope.currency)
        return SummaryView(
            from: scope.period.from,
            to: scope.period.to,
            currency: scope.currency,
            income: income,
            expenses: expenses,
            net: try income.subtracting(expenses),
            count: Int(rows.reduce(0) { $0 + $1.count }),
            unconverted: try rows.compactMap { row in
                try row.currency.map { currency in
                    try Total(minorUnits: row.income, currency)
                        .subtracting(Total(minorUnits: row.expenses, currency))
                }
            }
        )
    }

    func categories(
        _ scope: ReportScope,
        _ direction: Direction
    ) async throws -> CategoryReport {
        try await rates.ensure(try await database.query(ReportStatements.foreignDays(scope)))
        let rows = try await database.query(ReportStatements.byCategory(scope, direction))
        let items = rows.filter { $0.currency == nil }
        let percents = try Percentages.of(items.map(\.amount))
        let shares = zip(items, percents).compactMap { item, percent in
            item.category.map {
                CategoryShare(
                    categoryID: $0,
                    amount: Total(minorUnits: item.amount, scope.currency),
                    count: Int(item.count),
                    percent: percent
                )
            }
        }
        return CategoryReport(
            from: scope.period.from,
            to: scope.period.to,
            currency: scope.currency,
            total: try Total.sum(shares.map(\.amount), in: scope.currency),
            items: shares,
            unconverted: rows.compactMap { row in
                row.currency.map { Total(minorUnits: row.amount, $0) }
            }
        )
    }
}
