/// Which rates.
public struct RateQuery: QueryObject, Hashable {
    public let base: Currency
    public let date: Day?

    public init(base: Currency = .eur, date: Day? = nil) {
        self.base = base
        self.date = date
    }

    public static let query = QueryFields(
        RateQuery.init,
        QueryField("base", \.base, default: .eur, about: "What one unit is of."),
        QueryField("date", \.date, about: "The day; the newest row on or before it counts.")
    )
}

/// The rates of a day.
public struct RateTable: JSONObject, Hashable {
    public let base: Currency
    public let day: Day
    public let source: String
    public let ageDays: Int
    public let rates: [String: ExactDecimal]

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

    public static let json = Object(
        RateTable.init,
        Field("base", \.base, about: "What one unit is of."),
        Field("day", \.day, about: "The day that they were published for."),
        Field("source", \.source, about: "Whose rates, such as `ECB`."),
        Field(
            "ageDays",
            \.ageDays,
            default: 0,
            about: "Days from then to the day that was asked for; some are the rule on weekends."
        ),
        Field("rates", \.rates, about: "Units of each currency for one of the base, to 12 digits.")
    )
}

/// A currency of ISO 4217.
public struct CurrencyView: JSONObject, Hashable {
    public let code: Currency
    public let numeric: String
    public let exponent: Int
    public let name: String

    public init(code: Currency, numeric: String, exponent: Int, name: String) {
        self.code = code
        self.numeric = numeric
        self.exponent = exponent
        self.name = name
    }

    public static let json = Object(
        CurrencyView.init,
        Field("code", \.code, about: "The three letters."),
        Field("numeric", \.numeric, about: "The three digits."),
        Field("exponent", \.exponent, about: "Digits after the point."),
        Field("name", \.name, about: "The English name.")
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
