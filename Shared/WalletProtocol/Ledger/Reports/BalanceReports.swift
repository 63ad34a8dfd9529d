/// What a report of balances is of.
public struct BalanceReportQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let interval: ReportInterval
    public let currency: Currency?
    public let accountIDs: [ID<Account>]
    public let format: ReportFormat

    public init(
        from: Day? = nil,
        to: Day? = nil,
        interval: ReportInterval = .day,
        currency: Currency? = nil,
        accountIDs: [ID<Account>] = [],
        format: ReportFormat = .json
    ) {
        self.from = from
        self.to = to
        self.interval = interval
        self.currency = currency
        self.accountIDs = accountIDs
        self.format = format
    }

    public static let query = QueryFields(
        BalanceReportQuery.init,
        QueryField("from", \.from, about: ReportTexts.from),
        QueryField("to", \.to, about: ReportTexts.to),
        QueryField("interval", \.interval, default: .day, about: "How long a point lasts."),
        QueryField("currency", \.currency, about: ReportTexts.currency),
        QueryField(
            "accountId",
            \.accountIDs,
            .count(0...TransactionQuery.anyOfMax),
            about: "These accounts; all of one's own where left out."
        ),
        QueryField("format", \.format, default: .json, about: ReportTexts.format)
    )
}

/// What all the accounts of a report came to at the end of some days.
public struct BalancePoint: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let balance: Total
    public let unconverted: [Total]

    public init(from: Day, to: Day, balance: Total, unconverted: [Total]) {
        self.from = from
        self.to = to
        self.balance = balance
        self.unconverted = unconverted
    }

    public static let json = Object(
        BalancePoint.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day, at whose end and rates it is."),
        Field("balance", \.balance, about: "All of it in the report's currency."),
        Field("unconverted", \.unconverted, about: ReportTexts.unconverted)
    )
}

/// What the accounts of one currency came to.
public struct CurrencyBalances: JSONObject, Hashable {
    public let currency: Currency
    public let opening: Total
    public let balances: [Total]

    public init(currency: Currency, opening: Total, balances: [Total]) {
        self.currency = currency
        self.opening = opening
        self.balances = balances
    }

    public static let json = Object(
        CurrencyBalances.init,
        Field("currency", \.currency, about: "The currency."),
        Field("opening", \.opening, about: "At the end of the day before the first."),
        Field("balances", \.balances, about: "One for each of `points`, in their order.")
    )
}

/// What one account came to.
public struct AccountBalances: JSONObject, Hashable {
    public let accountID: ID<Account>
    public let name: String
    public let opening: Total
    public let balances: [Total]

    public init(accountID: ID<Account>, name: String, opening: Total, balances: [Total]) {
        self.accountID = accountID
        self.name = name
        self.opening = opening
        self.balances = balances
    }

    public static let json = Object(
        AccountBalances.init,
        Field("accountId", \.accountID, about: "The account."),
        Field("name", \.name, about: "Its name."),
        Field("opening", \.opening, about: "At the end of the day before the first."),
        Field("balances", \.balances, about: "One for each of `points`, in their order.")
    )
}

/// Balances over time: together, by currency, and by account.
public struct BalanceReport: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let interval: ReportInterval
    public let currency: Currency
    public let opening: BalancePoint
    public let points: [BalancePoint]
    public let currencies: [CurrencyBalances]
    public let accounts: [AccountBalances]

    public init(
        from: Day,
        to: Day,
        interval: ReportInterval,
        currency: Currency,
        opening: BalancePoint,
        points: [BalancePoint],
        currencies: [CurrencyBalances],
        accounts: [AccountBalances]
    ) {
        self.from = from
        self.to = to
        self.interval = interval
        self.currency = currency
        self.opening = opening
        self.points = points
        self.currencies = currencies
        self.accounts = accounts
    }

    /// The most points.
    public static let pointsMax = 1_000
    /// The most balances in all, points times accounts: some 300 kB of JSON.
    public static let balancesMax = 5_000

    public static let json = Object(
        BalanceReport.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("interval", \.interval, about: "How long a point lasts."),
        Field("currency", \.currency, about: "The currency of `points`."),
        Field("opening", \.opening, about: "The day before the first: the end of what was before."),
        Field(
            "points",
            \.points,
            about: "One for each interval, the first and the last cut to the report's days."
        ),
        Field("currencies", \.currencies, about: "By currency, each in its own."),
        Field("accounts", \.accounts, about: "By account, in the order in which they were opened.")
    )
}
