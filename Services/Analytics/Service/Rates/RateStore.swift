import Postgres
import ServiceKit
import WalletProtocol

/// The exchange rates of the days that reports need, asked of the ledger once and kept.
final class RateStore {
    /// The rates of one euro on a day, as the ledger answers.
    typealias Load = (Day) async throws(APIError) -> RateTable
    private let database: Database
    private let load: Load

    /// A rate is published within a week of its day, or never.
    static let finalAfterDays = 7

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
        let isFinal =
            table.map { $0.day == day || day.days(to: today) > Self.finalAfterDays } ?? false
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
