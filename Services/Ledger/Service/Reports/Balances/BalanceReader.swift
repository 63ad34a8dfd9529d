import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Reads balances over time.
struct BalanceReader {
    let database: Database
    let rates: RateStore
    let blocking: BlockingPool
    /// From how many lines on an account's sums are kept.
    var linesMin = KeptSums.linesMin

    func report(
        _ query: BalanceReportQuery,
        of subject: ReportSubject
    ) async throws -> BalanceReport {
        let (periods, series) = try await database.transaction(BudgetReader.options) {
            try await read(query, of: subject, $0)
        }
        let currency = query.currency ?? subject.person.currency
        let isForeign = series.contains { $0.account.currency != currency }
        var rates = ReportRates(
            to: currency,
            isForeign ? try await self.rates.history(on: blocking) : nil
        )
        let currencies = try Self.byCurrency(series, periods.count)
        let eve = periods[0].from.adding(days: -1) ?? periods[0].from
        var points: [BalancePoint] = []
        for (index, period) in ([ReportPeriod(eve, eve)] + periods).enumerated() {
            var sum = ReportSum(currency)
            for one in currencies {
                let balance = index == 0 ? one.opening : one.balances[index - 1]
                try sum.add(balance.minorUnits, one.currency, on: period.to, &rates)
            }
            points.append(
                BalancePoint(
                    from: period.from,
                    to: period.to,
                    balance: sum.sum,
                    unconverted: sum.unconverted
                )
            )
        }
        return BalanceReport(
            from: periods[0].from,
            to: periods[periods.count - 1].to,
            interval: query.interval,
            currency: currency,
            opening: points[0],
            points: Array(points.dropFirst()),
            currencies: currencies,
            accounts: series.map(\.view)
        )
    }

    /// The report's periods, one at least, and the accounts' balances at their ends.
    /// - Throws: 400 `invalid-query` with all that is wrong.
    private func read(
        _ query: BalanceReportQuery,
        of subject: ReportSubject,
        _ transaction: Transaction
    ) async throws -> (periods: [ReportPeriod], series: [BalanceSeries]) {
        var errors: [FieldError] = []
        let period = ReportPeriod(
            from: query.from,
            to: query.to,
            today: subject.today,
            noting: &errors
        )
        let isPeriod = errors.isEmpty
        let parts = query.interval.parts(of: period, most: BalanceReport.pointsMax)
        if isPeriod, parts == nil {
            let most = "has more than \(BalanceReport.pointsMax) points"
            errors.note("interval", .tooMany, "\(most): ask for a longer one, or fewer days")
        }
        let scope = try await ReportScope.read(
            subject,
            accounts: query.accountIDs,
            categories: [],
            transaction,
            noting: &errors
        )
        let accounts = scope.held
        if let parts, accounts.count * parts.count > BalanceReport.balancesMax {
            let most = "come to more than \(BalanceReport.balancesMax) balances"
            errors.note("accountId", .tooMany, "\(most): choose some, or a longer interval")
        }
        try errors.check()
        guard let periods = parts, !periods.isEmpty else { throw APIError(.internalError) }
        let behind = period.to.adding(days: 1).map { [$0] } ?? []
        let kept =
            period.from < subject.today.month.firstDay
            ? try await KeptSums.read(accounts, of: subject, from: linesMin, transaction)
            : KeptSums()
        let rows = try await transaction.query(
            ReportStatements.balances,
            accounts.map(\.id),
            periods.map(\.from) + behind,
            period.from,
            accounts.map { kept.closedBefore[$0.id] ?? period.from }
        )
        let series = try BalanceSeries.of(accounts, rows, periods: periods.count)
        // A closed one is told of where it held something, or where it is asked for.
        return (
            periods, scope.isChosen ? series : series.filter { !$0.account.isClosed || !$0.isEmpty }
        )
    }

    private static func byCurrency(
        _ series: [BalanceSeries],
        _ periods: Int
    ) throws(MoneyError) -> [CurrencyBalances] {
        var totals: [CurrencyBalances] = []
        let grouped = Dictionary(grouping: series, by: \.account.currency)
        for (currency, own) in grouped.sorted(by: { $0.key < $1.key }) {
            var balances = [Total](repeating: .zero(currency), count: periods)
            var opening = Total.zero(currency)
            for one in own {
                opening = try opening.adding(Total(minorUnits: one.opening, currency))
                for (index, balance) in one.balances.enumerated() {
                    balances[index] = try balances[index].adding(
                        Total(minorUnits: balance, currency)
                    )
                }
            }
            totals.append(
                CurrencyBalances(currency: currency, opening: opening, balances: balances)
            )
        }
        return totals
    }
}

extension BalanceSeries {
    fileprivate var view: AccountBalances {
        let currency = account.currency
        return AccountBalances(
            accountID: account.id,
            name: account.name,
            opening: Total(minorUnits: opening, currency),
            balances: balances.map { Total(minorUnits: $0, currency) }
        )
    }
}
