/// What a period before came to.
public struct PreviousFlow: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let income: Total
    public let expenses: Total
    public let net: Total

    public init(from: Day, to: Day, income: Total, expenses: Total, net: Total) {
        self.from = from
        self.to = to
        self.income = income
        self.expenses = expenses
        self.net = net
    }

    public static let json = Object(
        PreviousFlow.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("income", \.income, about: "What came in, zero or more."),
        Field("expenses", \.expenses, about: "What went out, zero or more."),
        Field("net", \.net, about: "Income less expenses.")
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
    public let previous: PreviousFlow?

    public init(
        from: Day,
        to: Day,
        currency: Currency,
        income: Total,
        expenses: Total,
        net: Total,
        count: Int,
        unconverted: [Total],
        previous: PreviousFlow?
    ) {
        self.from = from
        self.to = to
        self.currency = currency
        self.income = income
        self.expenses = expenses
        self.net = net
        self.count = count
        self.unconverted = unconverted
        self.previous = previous
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
        ),
        Field(
            "previous",
            \.previous,
            about: ReportFields.previous
        )
    )
}

/// What of a category at the top is booked on it, or on one below it.
public struct CategoryPart: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let amount: Total
    public let net: Total
    public let count: Int
    public let percent: ExactDecimal
    public let previous: Total

    public init(
        categoryID: CategoryID,
        amount: Total,
        net: Total,
        count: Int,
        percent: ExactDecimal,
        previous: Total
    ) {
        self.categoryID = categoryID
        self.amount = amount
        self.net = net
        self.count = count
        self.percent = percent
        self.previous = previous
    }

    public static let json = Object(
        CategoryPart.init,
        Field("categoryId", \.categoryID, about: "The category."),
        Field("amount", \.amount, about: "Its total, zero or more."),
        Field("net", \.net, about: ReportFields.net),
        Field("count", \.count, about: "How many bookings."),
        Field(
            "percent",
            \.percent,
            about: "Its part of the whole; all parts of a category add to the category's."
        ),
        Field("previous", \.previous, about: "Its total in the period before.")
    )
}

/// One category of a report, with those below it.
public struct CategoryShare: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let amount: Total
    public let net: Total
    public let count: Int
    public let percent: ExactDecimal
    public let previous: Total
    public let parts: [CategoryPart]

    public init(
        categoryID: CategoryID,
        amount: Total,
        net: Total,
        count: Int,
        percent: ExactDecimal,
        previous: Total,
        parts: [CategoryPart] = []
    ) {
        self.categoryID = categoryID
        self.amount = amount
        self.net = net
        self.count = count
        self.percent = percent
        self.previous = previous
        self.parts = parts
    }

    public static let json = Object(
        CategoryShare.init,
        Field("categoryId", \.categoryID, about: "The category: one at the top."),
        Field("amount", \.amount, about: "Its total, zero or more."),
        Field("net", \.net, about: ReportFields.net),
        Field(
            "count",
            \.count,
            about: "How many bookings: transactions, or lines of those that are split."
        ),
        Field(
            "percent",
            \.percent,
            about: "Its part of the whole, one digit after the point; all add to 100."
        ),
        Field("previous", \.previous, about: "Its total in the period before."),
        Field(
            "parts",
            \.parts,
            default: [],
            about: "What is booked on which, the largest first; none where nothing is below it."
        )
    )
}

/// What a period before came to, one way.
public struct PreviousTotal: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let total: Total

    public init(from: Day, to: Day, total: Total) {
        self.from = from
        self.to = to
        self.total = total
    }

    public static let json = Object(
        PreviousTotal.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("total", \.total, about: "All of it.")
    )
}

/// What went where.
public struct CategoryReport: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let currency: Currency
    public let total: Total
    public let net: Total
    public let items: [CategoryShare]
    public let unconverted: [Total]
    public let previous: PreviousTotal?

    public init(
        from: Day,
        to: Day,
        currency: Currency,
        total: Total,
        net: Total,
        items: [CategoryShare],
        unconverted: [Total],
        previous: PreviousTotal?
    ) {
        self.from = from
        self.to = to
        self.currency = currency
        self.total = total
        self.net = net
        self.items = items
        self.unconverted = unconverted
        self.previous = previous
    }

    public static let json = Object(
        CategoryReport.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("currency", \.currency, about: "The currency of the totals."),
        Field("total", \.total, about: "All of it."),
        Field("net", \.net, about: ReportFields.net),
        Field("items", \.items, about: "One a category at the top, the largest first."),
        Field(
            "unconverted",
            \.unconverted,
            about: "What has no rate and is in no total, one a currency."
        ),
        Field(
            "previous",
            \.previous,
            about: ReportFields.previous
        )
    )
}

/// What a day, a week or more came to.
public struct TrendPoint: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let income: Total
    public let expenses: Total
    public let net: Total

    public init(from: Day, to: Day, income: Total, expenses: Total, net: Total) {
        self.from = from
        self.to = to
        self.income = income
        self.expenses = expenses
        self.net = net
    }

    public static let json = Object(
        TrendPoint.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("income", \.income, about: "What came in, zero or more."),
        Field("expenses", \.expenses, about: "What went out, zero or more."),
        Field("net", \.net, about: "Income less expenses.")
    )
}

/// Points from the first day to the last, without a gap.
public struct TrendSeries: JSONObject, Hashable {
    public let categoryID: CategoryID?
    public let income: Total
    public let expenses: Total
    public let net: Total
    public let points: [TrendPoint]

    public init(
        categoryID: CategoryID?,
        income: Total,
        expenses: Total,
        net: Total,
        points: [TrendPoint]
    ) {
        self.categoryID = categoryID
        self.income = income
        self.expenses = expenses
        self.net = net
        self.points = points
    }

    public static let json = Object(
        TrendSeries.init,
        Field(
            "categoryId",
            \.categoryID,
            about: "The category at the top, where each has a series."
        ),
        Field("income", \.income, about: "What came in, zero or more."),
        Field("expenses", \.expenses, about: "What went out, zero or more."),
        Field("net", \.net, about: "Income less expenses."),
        Field(
            "points",
            \.points,
            about: "Each interval, the first and the last cut to the period; with zeros "
                + "where nothing was."
        )
    )
}

/// Income and expenses over time.
public struct TrendReport: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let currency: Currency
    public let interval: ReportInterval
    public let series: [TrendSeries]
    public let unconverted: [Total]
    public let previous: PreviousFlow?

    public init(
        from: Day,
        to: Day,
        currency: Currency,
        interval: ReportInterval,
        series: [TrendSeries],
        unconverted: [Total],
        previous: PreviousFlow?
    ) {
        self.from = from
        self.to = to
        self.currency = currency
        self.interval = interval
        self.series = series
        self.unconverted = unconverted
        self.previous = previous
    }

    public static let json = Object(
        TrendReport.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("currency", \.currency, about: "The currency of the totals."),
        Field("interval", \.interval, about: "What a point is of."),
        Field("series", \.series, about: "One, or one a category, the largest first."),
        Field(
            "unconverted",
            \.unconverted,
            about: "What has no rate and is in no total, one a currency."
        ),
        Field(
            "previous",
            \.previous,
            about: ReportFields.previous
        )
    )
}

/// What flowed in a day, a week or more.
public struct CashFlowPoint: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let inflow: Total
    public let outflow: Total
    public let net: Total
    public let cumulative: Total

    public init(from: Day, to: Day, inflow: Total, outflow: Total, net: Total, cumulative: Total) {
        self.from = from
        self.to = to
        self.inflow = inflow
        self.outflow = outflow
        self.net = net
        self.cumulative = cumulative
    }

    public static let json = Object(
        CashFlowPoint.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("inflow", \.inflow, about: "What came in, zero or more."),
        Field("outflow", \.outflow, about: "What went out, zero or more."),
        Field("net", \.net, about: "What came in less what went out."),
        Field("cumulative", \.cumulative, about: "The net of all points so far.")
    )
}

/// What came in and what went out; transfers between own accounts are neither.
public struct CashFlowReport: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let currency: Currency
    public let interval: ReportInterval
    public let inflow: Total
    public let outflow: Total
    public let net: Total
    public let points: [CashFlowPoint]
    public let unconverted: [Total]
    public let previous: PreviousFlow?

    public init(
        from: Day,
        to: Day,
        currency: Currency,
        interval: ReportInterval,
        inflow: Total,
        outflow: Total,
        net: Total,
        points: [CashFlowPoint],
        unconverted: [Total],
        previous: PreviousFlow?
    ) {
        self.from = from
        self.to = to
        self.currency = currency
        self.interval = interval
        self.inflow = inflow
        self.outflow = outflow
        self.net = net
        self.points = points
        self.unconverted = unconverted
        self.previous = previous
    }

    public static let json = Object(
        CashFlowReport.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("currency", \.currency, about: "The currency of the totals."),
        Field("interval", \.interval, about: "What a point is of."),
        Field("inflow", \.inflow, about: "What came in, zero or more."),
        Field("outflow", \.outflow, about: "What went out, zero or more."),
        Field("net", \.net, about: "What came in less what went out."),
        Field(
            "points",
            \.points,
            about: "Each interval, the first and the last cut to the period; with zeros "
                + "where nothing was."
        ),
        Field(
            "unconverted",
            \.unconverted,
            about: "What has no rate and is in no total, one a currency."
        ),
        Field(
            "previous",
            \.previous,
            about: ReportFields.previous
        )
    )
}
