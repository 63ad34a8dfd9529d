/// What a summary is of.
public struct SummaryQuery: QueryObject, Hashable {
    /// The first day; the month's where left out.
    public let from: Day?
    /// The last day; today where left out.
    public let to: Day?
    /// The currency of the totals; the user's where left out.
    public let currency: Currency?
    /// Any of these accounts.
    public let accountIDs: [ID<Account>]
    /// Any of these categories.
    public let categoryIDs: [CategoryID]

    /// All of it.
    public init(
        from: Day? = nil,
        to: Day? = nil,
        currency: Currency? = nil,
        accountIDs: [ID<Account>] = [],
        categoryIDs: [CategoryID] = []
    ) {
        self.from = from
        self.to = to
        self.currency = currency
        self.accountIDs = accountIDs
        self.categoryIDs = categoryIDs
    }

    /// The description.
    public static let query = QueryFields(
        SummaryQuery.init,
        QueryField("from", \.from),
        QueryField("to", \.to),
        QueryField("currency", \.currency),
        QueryField("accountId", \.accountIDs),
        QueryField("categoryId", \.categoryIDs)
    )
}

/// Income and expenses of a time; transfers between own accounts are neither.
public struct SummaryView: JSONObject, Hashable {
    /// The first day.
    public let from: Day
    /// The last day.
    public let to: Day
    /// The currency of the totals.
    public let currency: Currency
    /// What came in, zero or more.
    public let income: Total
    /// What went out, zero or more.
    public let expenses: Total
    /// Income less expenses.
    public let net: Total
    /// How many transactions.
    public let count: Int
    /// What has no rate and is in no total, one a currency.
    public let unconverted: [Total]

    /// All of it.
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

    /// The description.
    public static let json = Object(
        SummaryView.init,
        Field("from", \.from),
        Field("to", \.to),
        Field("currency", \.currency),
        Field("income", \.income),
        Field("expenses", \.expenses),
        Field("net", \.net),
        Field("count", \.count),
        Field("unconverted", \.unconverted)
    )
}

/// What a report by category is of.
public struct CategoryReportQuery: QueryObject, Hashable {
    /// The first day; the month's where left out.
    public let from: Day?
    /// The last day; today where left out.
    public let to: Day?
    /// Which way.
    public let direction: Direction
    /// The currency of the totals; the user's where left out.
    public let currency: Currency?
    /// Any of these accounts.
    public let accountIDs: [ID<Account>]
    /// Any of these categories.
    public let categoryIDs: [CategoryID]

    /// All of it.
    public init(
        from: Day? = nil,
        to: Day? = nil,
        direction: Direction = .outgoing,
        currency: Currency? = nil,
        accountIDs: [ID<Account>] = [],
        categoryIDs: [CategoryID] = []
    ) {
        self.from = from
        self.to = to
        self.direction = direction
        self.currency = currency
        self.accountIDs = accountIDs
        self.categoryIDs = categoryIDs
    }

    /// The description.
    public static let query = QueryFields(
        CategoryReportQuery.init,
        QueryField("from", \.from),
        QueryField("to", \.to),
        QueryField("direction", \.direction, default: .outgoing),
        QueryField("currency", \.currency),
        QueryField("accountId", \.accountIDs),
        QueryField("categoryId", \.categoryIDs)
    )
}

/// One category of a report.
public struct CategoryShare: JSONObject, Hashable {
    /// The category.
    public let categoryID: CategoryID
    /// Its total, zero or more.
    public let amount: Total
    /// How many transactions.
    public let count: Int
    /// Its part of the whole, one digit after the point; all add to 100.
    public let percent: ExactDecimal

    /// All of it.
    public init(categoryID: CategoryID, amount: Total, count: Int, percent: ExactDecimal) {
        self.categoryID = categoryID
        self.amount = amount
        self.count = count
        self.percent = percent
    }

    /// The description.
    public static let json = Object(
        CategoryShare.init,
        Field("categoryId", \.categoryID),
        Field("amount", \.amount),
        Field("count", \.count),
        Field("percent", \.percent)
    )
}

/// What went where.
public struct CategoryReport: JSONObject, Hashable {
    /// The first day.
    public let from: Day
    /// The last day.
    public let to: Day
    /// The currency of the totals.
    public let currency: Currency
    /// All of it.
    public let total: Total
    /// One a category, the largest first.
    public let items: [CategoryShare]
    /// What has no rate and is in no total, one a currency.
    public let unconverted: [Total]

    /// All of it.
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

    /// The description.
    public static let json = Object(
        CategoryReport.init,
        Field("from", \.from),
        Field("to", \.to),
        Field("currency", \.currency),
        Field("total", \.total),
        Field("items", \.items),
        Field("unconverted", \.unconverted)
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
