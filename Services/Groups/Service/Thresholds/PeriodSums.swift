import Postgres
import ServiceKit
import WalletProtocol

/// What a group has spent in periods, in its currency; each is summed once, however many limits
/// have it.
struct PeriodSums {
    let group: ID<Group>
    let currency: Currency
    private var known: [Period: Total] = [:]
    private var open: [Period: [Total]] = [:]

    init(group: ID<Group>, currency: Currency) {
        self.group = group
        self.currency = currency
    }

    /// Other currencies as they were converted.
    mutating func spent(in period: Period, _ database: some Querying) async throws -> Total {
        if let sum = known[period] { return sum }
        let sum =
            if period == .ever {
                try await database.queryOne(ThresholdStatements.total, group, currency)
            } else {
                try await database.queryOne(
                    ThresholdStatements.spent,
                    group,
                    currency,
                    period.start,
                    period.last
                )
            }
        let total = Total(minorUnits: sum ?? 0, currency)
        known[period] = total
        return total
    }

    /// What of other currencies is not converted, by currency.
    mutating func unconverted(
        in period: Period,
        _ database: some Querying
    ) async throws -> [Total] {
        if let totals = open[period] { return totals }
        let totals = try await database.query(
            ForeignExpenseStatements.open,
            group,
            period.start,
            period.last
        )
        open[period] = totals
        return totals
    }
}
