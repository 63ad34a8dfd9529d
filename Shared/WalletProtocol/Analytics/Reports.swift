/// What a summary is of.
public struct SummaryQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let currency: Currency?
    public let accountIDs: [ID<Account>]
    public let categoryIDs: [CategoryID]

    public static let query = QueryFields(
        SummaryQuery.init,
        QueryField("from", \.from, about: "The first day; the month's where left out."),
        QueryField("to", \.to, about: "The last day; today where left out."),
        QueryField(
            "currency",
            \.currency,
            about: "The currency of the totals; the user's where left out."
        ),
        QueryField("accountId", \.accountIDs, about: "Any of these accounts."),
        QueryField("categoryId", \.categoryIDs, about: "Any of these categories.")
    )
}

/// Income and expenses of a time; transfers between own accounts are neither.
public struct SummaryView: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let currency: Currency
    public let income: Total
    public let expenses: Total
    public let net: Total
    public let count: Int
    public let unconverted: [Total]

    public init(
        from: Day,
        to: Day,
        currency: Currency,
        income: Total,
        expenses: Total,
        net: Total,
        count: Int,
        unconverted: [Total]
    ) {
        self.from = from
        self.to = to
        self.currency = currency
        self.income = income
        self.expenses = expenses
        self.net = net
        self.count = count
        self.unconverted = unconverted
    }

    public static let json = Object(
        SummaryView.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("currency", \.currency, about: "The currency of the totals."),
        Field("income", \.income, about: "What came in, zero or more."),
        Field("expenses", \.expenses, about: "What went out, zero or more."),
        Field("net", \.net, about: "Income less expenses."),
        Field("count", \.count, about: "How many transactions."),
        Field(
            "unconverted",
            \.unconverted,
            about: "What has no rate and is in no total, one a currency."
        )
    )
}

/// What a report by category is of.
public struct CategoryReportQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let direction: Direction
    public let currency: Currency?
    public let accountIDs: [ID<Account>]
    public let categoryIDs: [CategoryID]

    public static let query = QueryFields(
        CategoryReportQuery.init,
        QueryField("from", \.from, about: "The first day; the month's where left out."),
        QueryField("to", \.to, about: "The last day; today where left out."),
        QueryField("direction", \.direction, default: .outgoing, about: "Which way."),
        QueryField(
            "currency",
            \.currency,
            about: "The currency of the totals; the user's where left out."
        ),
        QueryField("accountId", \.accountIDs, about: "Any of these accounts."),
        QueryField("categoryId", \.categoryIDs, about: "Any of these categories.")
    )
}

/// One category of a report.
public struct CategoryShare: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let amount: Total
    public let count: Int
    public let percent: ExactDecimal

    public init(categoryID: CategoryID, amount: Total, count: Int, percent: ExactDecimal) {
        self.categoryID = categoryID
        self.amount = amount
        self.count = count
        self.percent = percent
    }

    public static let json = Object(
        CategoryShare.init,
        Field("categoryId", \.categoryID, about: "The category."),
        Field("amount", \.amount, about: "Its total, zero or more."),
        Field("count", \.count, about: "How many transactions."),
        Field(
            "percent",
            \.percent,
            about: "Its part of the whole, one digit after the point; all add to 100."
        )
    )
}

/// What went where.
public struct CategoryReport: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let currency: Currency
    public let total: Total
    public let items: [CategoryShare]
    public let unconverted: [Total]

    public init(
        from: Day,
        to: Day,
        currency: Currency,
        total: Total,
        items: [CategoryShare],
        unconverted: [Total]
    ) {
        self.from = from
        self.to = to
        self.currency = currency
        self.total = total
        self.items = items
        self.unconverted = unconverted
    }

    public static let json = Object(
        CategoryReport.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("currency", \.currency, about: "The currency of the totals."),
        Field("total", \.total, about: "All of it."),
        Field("items", \.items, about: "One a category, the largest first."),
        Field(
            "unconverted",
            \.unconverted,
            about: "What has no rate and is in no total, one a currency."
        )
    )
}

/// Figures of one's own.
public enum Reports {
    /// Income and expenses.
    public static let summary = Endpoint<SummaryQuery, NoBody, SummaryView>(
        "getSummary",
        .get,
        "/v1/reports/summary",
        of: .analytics,
        for: .user,
        summary: "Income and expenses"
    )

    /// By category.
    public static let categories = Endpoint<CategoryReportQuery, NoBody, CategoryReport>(
        "getCategoryReport",
        .get,
        "/v1/reports/categories",
        of: .analytics,
        for: .user,
        summary: "Expenses or income by category"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [summary.erased, categories.erased]
}
