import WalletProtocol

/// Converts what a report shows, half to even; each rate is looked up once.
struct ReportRates {
    let currency: Currency
    private let history: RateHistory?
    private var rates: [Place: ExchangeRate?] = [:]

    private struct Place: Hashable {
        let currency: Currency
        let day: Day
    }

    /// - Parameter history: nil where there is no other currency.
    init(to currency: Currency, _ history: RateHistory?) {
        (self.currency, self.history) = (currency, history)
    }

    /// In the report's currency at a day's rate; nil without one.
    mutating func shown(_ amount: Int128, _ source: Currency, on day: Day) -> Int128? {
        if source == currency { return amount }
        let place = Place(currency: source, day: day)
        let rate = rates[place] ?? history?.rate(from: source, to: currency, on: day)
        rates[place] = rate
        return rate.flatMap { try? $0.shown(amount) }
    }
}

/// A sum in the report's currency, and what has no rate by currency.
struct ReportSum {
    private(set) var sum: Total
    private var apart: [Currency: Total] = [:]

    init(_ currency: Currency) { sum = .zero(currency) }

    /// - Throws: `MoneyError.overflow` beyond 128 bits.
    mutating func add(_ amount: Int128) throws(MoneyError) {
        sum = try sum.adding(Total(minorUnits: amount, sum.currency))
    }

    /// Adds what has no rate.
    mutating func add(apart amount: Int128, _ currency: Currency) throws(MoneyError) {
        let amount = Total(minorUnits: amount, currency)
        apart[currency] = try (apart[currency] ?? .zero(currency)).adding(amount)
    }

    /// Adds an amount at a day's rate, or beside the sum where there is none.
    mutating func add(
        _ amount: Int128,
        _ currency: Currency,
        on day: Day,
        _ rates: inout ReportRates
    ) throws(MoneyError) {
        if let shown = rates.shown(amount, currency, on: day) {
            try add(shown)
        } else {
            try add(apart: amount, currency)
        }
    }

    /// What has no rate, by currency.
    var unconverted: [Total] {
        apart.values.filter { !$0.isZero }.sorted { $0.currency < $1.currency }
    }
}
