/// What has a series of its own in a report over time.
public enum ReportGrouping: String, StringEnum {
    /// Each category at the top, with those below it.
    case category
}

/// What holds of every report's query.
enum ReportRules {
    /// The most that are named of a kind.
    static let anyOfMax = 100
    static let least =
        "The smallest magnitude of a booking, in the report's currency; what has no rate is "
        + "left out."
    static let previous =
        "The period before: of whole months as many, of a month's first days the same of the month "
        + "before, else as many days; none before the calendar's first day."
    static let most = "The largest magnitude of a booking, likewise."
}

/// What a summary is of.
public struct SummaryQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let direction: Direction?
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let accountIDs: [ID<Account>]
    public let categoryIDs: [CategoryID]

    public static let query = QueryFields(
        SummaryQuery.init,
        QueryField("from", \.from, about: "The first day; the month's where left out."),
        QueryField("to", \.to, about: "The last day; today where left out."),
        QueryField("direction", \.direction, about: "One way alone."),
        QueryField("minAmount", \.minAmount, about: ReportRules.least),
        QueryField("maxAmount", \.maxAmount, about: ReportRules.most),
        QueryField(
            "currency",
            \.currency,
            about: "The currency of the totals; the user's where left out."
        ),
        QueryField(
            "accountId",
            \.accountIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these accounts."
        ),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these categories."
        )
    )
}

/// What a report by category is of.
public struct CategoryReportQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let direction: Direction
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let accountIDs: [ID<Account>]
    public let categoryIDs: [CategoryID]

    public static let query = QueryFields(
        CategoryReportQuery.init,
        QueryField("from", \.from, about: "The first day; the month's where left out."),
        QueryField("to", \.to, about: "The last day; today where left out."),
        QueryField("direction", \.direction, default: .outgoing, about: "Which way."),
        QueryField("minAmount", \.minAmount, about: ReportRules.least),
        QueryField("maxAmount", \.maxAmount, about: ReportRules.most),
        QueryField(
            "currency",
            \.currency,
            about: "The currency of the totals; the user's where left out."
        ),
        QueryField(
            "accountId",
            \.accountIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these accounts."
        ),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these categories."
        )
    )
}

/// What a report over time is of.
public struct TrendQuery: QueryObject, Hashable {
    public let interval: ReportInterval
    public let grouping: ReportGrouping?
    public let from: Day?
    public let to: Day?
    public let direction: Direction?
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let accountIDs: [ID<Account>]
    public let categoryIDs: [CategoryID]

    public static let query = QueryFields(
        TrendQuery.init,
        QueryField("interval", \.interval, default: .day, about: "What a point is of."),
        QueryField("by", \.grouping, about: "What has a series each; all has one where left out."),
        QueryField("from", \.from, about: "The first day; the month's where left out."),
        QueryField("to", \.to, about: "The last day; today where left out."),
        QueryField("direction", \.direction, about: "One way alone."),
        QueryField("minAmount", \.minAmount, about: ReportRules.least),
        QueryField("maxAmount", \.maxAmount, about: ReportRules.most),
        QueryField(
            "currency",
            \.currency,
            about: "The currency of the totals; the user's where left out."
        ),
        QueryField(
            "accountId",
            \.accountIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these accounts."
        ),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these categories."
        )
    )
}

/// What a cash flow is of.
public struct CashFlowQuery: QueryObject, Hashable {
    public let interval: ReportInterval
    public let from: Day?
    public let to: Day?
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let accountIDs: [ID<Account>]
    public let categoryIDs: [CategoryID]

    public static let query = QueryFields(
        CashFlowQuery.init,
        QueryField("interval", \.interval, default: .day, about: "What a point is of."),
        QueryField("from", \.from, about: "The first day; the month's where left out."),
        QueryField("to", \.to, about: "The last day; today where left out."),
        QueryField("minAmount", \.minAmount, about: ReportRules.least),
        QueryField("maxAmount", \.maxAmount, about: ReportRules.most),
        QueryField(
            "currency",
            \.currency,
            about: "The currency of the totals; the user's where left out."
        ),
        QueryField(
            "accountId",
            \.accountIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these accounts."
        ),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these categories."
        )
    )
}
