/// Which rates.
public struct RateQuery: QueryObject, Hashable {
    /// What one unit is of.
    public let base: Currency
    /// The day; the newest row on or before it counts.
    public let date: Day?

    /// All of it.
    public init(base: Currency = .eur, date: Day? = nil) {
        self.base = base
        self.date = date
    }

    /// The description.
    public static let query = QueryFields(
        RateQuery.init,
        QueryField("base", \.base, default: .eur),
        QueryField("date", \.date)
    )
}

/// The rates of a day.
public struct RateTable: JSONObject, Hashable {
    /// What one unit is of.
    public let base: Currency
    /// The day that they were published for.
    public let day: Day
    /// Whose rates, such as `ECB`.
    public let source: String
    /// Days from then to the day that was asked for; some are the rule on weekends.
    public let ageDays: Int
    /// Units of each currency for one of the base, to 12 digits.
    public let rates: [String: ExactDecimal]

    /// All of it.
    public init(
        base: Currency,
        day: Day,
        source: String,
        ageDays: Int = 0,
        rates: [String: ExactDecimal]
    ) {
        self.base = base
        self.day = day
        self.source = source
        self.ageDays = ageDays
        self.rates = rates
    }

    /// The description.
    public static let json = Object(
        RateTable.init,
        Field("base", \.base),
        Field("day", \.day),
        Field("source", \.source),
        Field("ageDays", \.ageDays, default: 0),
        Field("rates", \.rates)
    )
}

/// A currency of ISO 4217.
public struct CurrencyView: JSONObject, Hashable {
    /// The three letters.
    public let code: Currency
    /// The three digits.
    public let numeric: String
    /// Digits after the point.
    public let exponent: Int
    /// The English name.
    public let name: String

    /// All of it.
    public init(code: Currency, numeric: String, exponent: Int, name: String) {
        self.code = code
        self.numeric = numeric
        self.exponent = exponent
        self.name = name
    }

    /// The description.
    public static let json = Object(
        CurrencyView.init,
        Field("code", \.code),
        Field("numeric", \.numeric),
        Field("exponent", \.exponent),
        Field("name", \.name)
    )
}

/// Currencies and their rates.
public enum Rates {
    /// The rates of a day.
    public static let get = Endpoint<RateQuery, NoBody, RateTable>(
        "getExchangeRates",
        .get,
        "/v1/exchange-rates",
        of: .ledger,
        for: .anyone,
        errors: [.rateUnavailable],
        summary: "Reference rates of a day"
    )

    /// Every currency.
    public static let currencies = Endpoint<NoQuery, NoBody, Page<CurrencyView>>(
        "listCurrencies",
        .get,
        "/v1/currencies",
        of: .ledger,
        for: .anyone,
        summary: "Every currency"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [get.erased, currencies.erased]
}

extension CurrencyView {
    /// The view of a currency.
    public init(_ currency: Currency) {
        let entry = currency.entry
        let digits = String(entry.numeric)
        self.init(
            code: currency,
            numeric: String(repeating: "0", count: 3 - digits.count) + digits,
            exponent: currency.exponent,
            name: entry.name
        )
    }
}
