import Postgres
import ServiceKit
import WalletProtocol

/// The exchange rates of the days that reports need, asked of the ledger once and kept.
final class RateStore {
    /// The rates of one euro on a day, as the ledger answers.
    typealias Load = (Day) async throws(APIError) -> RateTable
    private let database: Database
    private let load: Load

    /// Whether the answer for a day will be the same tomorrow.
    ///
    /// It is where it is the day's own row, or that of a few days before (a weekend, holidays) and
    /// the day is past. A row from long before is that of a ledger that has not fetched for long.
    static func isFinal(_ published: Day?, for day: Day, today: Day) -> Bool {
        guard let published else { return day.days(to: today) > 30 }
        let gap = published.days(to: day)
        return gap == 0 || (gap <= 7 && day.days(to: today) > 7)
    }

    init(database: Database, load: @escaping Load) {
        self.database = database
        self.load = load
    }

    /// Sees to it that the rates of these days are in the table, where there are any.
    ///
    /// What was loaded stays: a request that runs into its deadline is nearer the end next time.
    /// - Throws: `.unavailable`, `.gatewayTimeout` while the ledger does not answer.
    func ensure(_ days: [Day]) async throws {
        guard !days.isEmpty else { return }
        let known = Set(try await database.query(RateStatements.known, days))
        for day in days where !known.contains(day) {
            let table: RateTable?
            do throws(APIError) { table = try await load(day) } catch {
                guard error.code == .rateUnavailable || error.code == .notFound else { throw error }
                table = nil
            }
            try await keep(table, of: day)
        }
    }

    private func keep(_ table: RateTable?, of day: Day) async throws {
        let today = Day(utc: .now()) ?? day
        let isFinal = Self.isFinal(table?.day, for: day, today: today)
        var units: [Currency: ExactDecimal] = [:]
        for (code, rate) in table?.rates ?? [:] {
            if let currency = Currency(code), rate.coefficient > 0 { units[currency] = rate }
        }
        if table != nil { units[.eur] = ExactDecimal(coefficient: 1, scale: 0) }
        let currencies = units.keys.sorted()
        // Rate times 10 to the currency's exponent, as a numeric's text.
        let texts = currencies.map { currency in
            (units[currency]?.text ?? "1") + "e\(currency.exponent)"
        }
        try await database.transaction { transaction in
            try await transaction.execute(RateStatements.upsertDay, day, isFinal)
            try await transaction.execute(
                RateStatements.upsertRates,
                day,
                currencies.map(\.code),
                texts
            )
        }
    }
}
