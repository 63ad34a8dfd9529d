/// What a forecast is of.
public struct ForecastQuery: QueryObject, Hashable {
    public let currency: Currency?
    public let accountIDs: [ID<Account>]
    public let categoryIDs: [CategoryID]
    public let format: ReportFormat

    public init(
        currency: Currency? = nil,
        accountIDs: [ID<Account>] = [],
        categoryIDs: [CategoryID] = [],
        format: ReportFormat = .json
    ) {
        self.currency = currency
        self.accountIDs = accountIDs
        self.categoryIDs = categoryIDs
        self.format = format
    }

    public static let query = QueryFields(
        ForecastQuery.init,
        QueryField("currency", \.currency, about: ReportTexts.currency),
        QueryField(
            "accountId",
            \.accountIDs,
            .count(0...TransactionQuery.anyOfMax),
            about: ReportTexts.accounts
        ),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...TransactionQuery.anyOfMax),
            about: "Income and expenses of these categories; balances are whole."
        ),
        QueryField("format", \.format, default: .json, about: ReportTexts.format)
    )
}

/// What there is, and what is still to come.
public struct ForecastSum: JSONObject, Hashable {
    public let booked: Total
    public let expected: Total
    public let total: Total

    public init(booked: Total, expected: Total, total: Total) {
        self.booked = booked
        self.expected = expected
        self.total = total
    }

    public static let json = Object(
        ForecastSum.init,
        Field("booked", \.booked, about: "What is booked on the month's days, later ones as well."),
        Field("expected", \.expected, about: "What is scheduled, and not booked yet."),
        Field("total", \.total, about: "Both.")
    )
}

/// What an account holds, and what it will.
public struct ForecastBalance: JSONObject, Hashable {
    public let accountID: ID<Account>
    public let name: String
    public let today: Total
    public let expected: Total

    public init(accountID: ID<Account>, name: String, today: Total, expected: Total) {
        self.accountID = accountID
        self.name = name
        self.today = today
        self.expected = expected
    }

    public static let json = Object(
        ForecastBalance.init,
        Field("accountId", \.accountID, about: "The account."),
        Field("name", \.name, about: "Its name."),
        Field("today", \.today, about: "Its balance at the end of today, as it is booked."),
        Field("expected", \.expected, about: "Its balance at the month's end.")
    )
}

/// What a schedule will still bring in the month.
public struct ForecastItem: JSONObject, Hashable {
    public let recurrenceID: ID<Recurrence>?
    public let standingOrderID: ID<StandingOrder>?
    public let name: String?
    public let accountID: ID<Account>
    public let amount: Money
    public let dates: [Day]

    public init(
        recurrenceID: ID<Recurrence>? = nil,
        standingOrderID: ID<StandingOrder>? = nil,
        name: String?,
        accountID: ID<Account>,
        amount: Money,
        dates: [Day]
    ) {
        self.recurrenceID = recurrenceID
        self.standingOrderID = standingOrderID
        self.name = name
        self.accountID = accountID
        self.amount = amount
        self.dates = dates
    }

    public static let json = Object(
        ForecastItem.init,
        Field("recurrenceId", \.recurrenceID, about: "The transaction that comes again."),
        Field("standingOrderId", \.standingOrderID, about: "The transfer that comes again."),
        Field("name", \.name, about: "What it is called, or who gets it."),
        Field("accountId", \.accountID, about: "The account that it is of."),
        Field("amount", \.amount, about: "Each time; minus is money out."),
        Field("dates", \.dates, about: "The days that are still to be booked, the next first.")
    )
}

/// How the running month will end.
public struct Forecast: JSONObject, Hashable {
    public let from: Day
    public let today: Day
    public let to: Day
    public let currency: Currency
    public let income: ForecastSum
    public let expenses: ForecastSum
    public let net: ForecastSum
    public let previous: SummaryBefore
    public let balance: BalanceOutlook
    public let accounts: [ForecastBalance]
    public let items: [ForecastItem]
    public let unconverted: [Total]

    public init(
        from: Day,
        today: Day,
        to: Day,
        currency: Currency,
        income: ForecastSum,
        expenses: ForecastSum,
        net: ForecastSum,
        previous: SummaryBefore,
        balance: BalanceOutlook,
        accounts: [ForecastBalance],
        items: [ForecastItem],
        unconverted: [Total]
    ) {
        self.from = from
        self.today = today
        self.to = to
        self.currency = currency
        self.income = income
        self.expenses = expenses
        self.net = net
        self.previous = previous
        self.balance = balance
        self.accounts = accounts
        self.items = items
        self.unconverted = unconverted
    }

    public static let json = Object(
        Forecast.init,
        Field("from", \.from, about: "The first day of the running calendar month."),
        Field("today", \.today, about: "Today, where the user is."),
        Field("to", \.to, about: "The month's last day."),
        Field("currency", \.currency, about: "The currency of the totals."),
        Field("income", \.income, about: "What comes in, zero or more."),
        Field("expenses", \.expenses, about: "What goes out, zero or more."),
        Field("net", \.net, about: "Income less expenses."),
        Field("previous", \.previous, about: "The whole month before."),
        Field("balance", \.balance, about: "All the accounts together."),
        Field("accounts", \.accounts, about: "Each account that is open."),
        Field("items", \.items, about: "What is still to come, by schedule."),
        Field("unconverted", \.unconverted, about: ReportTexts.unconverted)
    )
}

/// Income and expenses of a month that is over.
public struct SummaryBefore: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let income: Total
    public let expenses: Total
    public let unconverted: [Total]

    public init(from: Day, to: Day, income: Total, expenses: Total, unconverted: [Total]) {
        self.from = from
        self.to = to
        self.income = income
        self.expenses = expenses
        self.unconverted = unconverted
    }

    public static let json = Object(
        SummaryBefore.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("income", \.income, about: "What came in, zero or more."),
        Field("expenses", \.expenses, about: "What went out, zero or more."),
        Field("unconverted", \.unconverted, about: ReportTexts.unconverted)
    )
}

/// What accounts hold together, and what they will, at today's rates.
public struct BalanceOutlook: JSONObject, Hashable {
    public let today: Total
    public let expected: Total
    public let unconverted: [Total]

    public init(today: Total, expected: Total, unconverted: [Total]) {
        self.today = today
        self.expected = expected
        self.unconverted = unconverted
    }

    public static let json = Object(
        BalanceOutlook.init,
        Field("today", \.today, about: "At the end of today, as it is booked."),
        Field("expected", \.expected, about: "At the month's end."),
        Field(
            "unconverted",
            \.unconverted,
            about: "What of the month's end has no rate and is in neither, one a currency."
        )
    )
}
