/// What a report of budgets is of.
public struct BudgetReportQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let categoryIDs: [CategoryID]
    public let format: ReportFormat

    public init(
        from: Day? = nil,
        to: Day? = nil,
        categoryIDs: [CategoryID] = [],
        format: ReportFormat = .json
    ) {
        self.from = from
        self.to = to
        self.categoryIDs = categoryIDs
        self.format = format
    }

    public static let query = QueryFields(
        BudgetReportQuery.init,
        QueryField("from", \.from, about: "A day of the first month; of the last where left out."),
        QueryField("to", \.to, about: "A day of the last month; today where left out."),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...TransactionQuery.anyOfMax),
            about: "These categories; all where left out."
        ),
        QueryField("format", \.format, default: .json, about: ReportTexts.format)
    )
}

/// What all the envelopes of a report come to in a month.
public struct BudgetMonth: JSONObject, Hashable {
    public let month: Month
    public let from: Day
    public let to: Day
    public let rolledOver: Total
    public let allocated: Total
    public let spent: Total
    public let available: Total
    public let percent: Nullable<ExactDecimal>

    public init(
        month: Month,
        from: Day,
        to: Day,
        rolledOver: Total,
        allocated: Total,
        spent: Total,
        available: Total,
        percent: Nullable<ExactDecimal>
    ) {
        self.month = month
        self.from = from
        self.to = to
        self.rolledOver = rolledOver
        self.allocated = allocated
        self.spent = spent
        self.available = available
        self.percent = percent
    }

    public static let json = Object(
        BudgetMonth.init,
        Field("month", \.month, about: "The month, by its first day's."),
        Field("from", \.from, about: "Its first day."),
        Field("to", \.to, about: "Its last day."),
        Field("rolledOver", \.rolledOver, about: "What the months before have left or overspent."),
        Field("allocated", \.allocated, about: "What was allocated to the month."),
        Field("spent", \.spent, about: "What was spent in it, less what came back."),
        Field("available", \.available, about: "`rolledOver` and `allocated` without `spent`."),
        Field(
            "percent",
            \.percent,
            about: """
                `spent` of `rolledOver` and `allocated`, to one digit; null where these are not \
                above 0.
                """
        )
    )
}

/// How the envelope of a category was used, month by month.
public struct BudgetUse: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let name: String
    public let months: [Envelope]
    public let spent: Total
    public let previous: Total

    public init(
        categoryID: CategoryID,
        name: String,
        months: [Envelope],
        spent: Total,
        previous: Total
    ) {
        self.categoryID = categoryID
        self.name = name
        self.months = months
        self.spent = spent
        self.previous = previous
    }

    public static let json = Object(
        BudgetUse.init,
        Field("categoryId", \.categoryID, about: "The category."),
        Field("name", \.name, about: "Its name."),
        Field("months", \.months, about: "One for each month of the report, in their order."),
        Field("spent", \.spent, about: "What was spent in all of them, less what came back."),
        Field("previous", \.previous, about: "The same of as many months before.")
    )
}

/// How envelopes were used over time.
public struct BudgetReport: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let currency: Currency
    public let months: [BudgetMonth]
    public let items: [BudgetUse]
    public let spent: Total
    public let previous: Total

    public init(
        from: Day,
        to: Day,
        currency: Currency,
        months: [BudgetMonth],
        items: [BudgetUse],
        spent: Total,
        previous: Total
    ) {
        self.from = from
        self.to = to
        self.currency = currency
        self.months = months
        self.items = items
        self.spent = spent
        self.previous = previous
    }

    /// The most months.
    public static let monthsMax = 60

    public static let json = Object(
        BudgetReport.init,
        Field("from", \.from, about: "The first day of the first month."),
        Field("to", \.to, about: "The last day of the last month."),
        Field("currency", \.currency, about: "The user's, which envelopes are kept in."),
        Field("months", \.months, about: "All envelopes together, month by month."),
        Field("items", \.items, about: "One for each category, by their names."),
        Field("spent", \.spent, about: "What was spent in all, less what came back."),
        Field("previous", \.previous, about: "The same of as many months before.")
    )
}
