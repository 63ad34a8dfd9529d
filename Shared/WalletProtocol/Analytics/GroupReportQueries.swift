/// What a summary of a group is of.
public struct GroupSummaryQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let direction: Direction?
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let categoryIDs: [ID<GroupCategory>]

    public static let query = QueryFields(
        GroupSummaryQuery.init,
        QueryField("from", \.from, about: "The first day; the month's where left out."),
        QueryField("to", \.to, about: "The last day; today where left out."),
        QueryField("direction", \.direction, about: "One way alone."),
        QueryField("minAmount", \.minAmount, about: ReportRules.least),
        QueryField("maxAmount", \.maxAmount, about: ReportRules.most),
        QueryField(
            "currency",
            \.currency,
            about: "The currency of the totals; the group's where left out."
        ),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these categories."
        )
    )
}

/// What a report of a group by category is of.
public struct GroupCategoryReportQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let direction: Direction
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let categoryIDs: [ID<GroupCategory>]

    public static let query = QueryFields(
        GroupCategoryReportQuery.init,
        QueryField("from", \.from, about: "The first day; the month's where left out."),
        QueryField("to", \.to, about: "The last day; today where left out."),
        QueryField("direction", \.direction, default: .outgoing, about: "Which way."),
        QueryField("minAmount", \.minAmount, about: ReportRules.least),
        QueryField("maxAmount", \.maxAmount, about: ReportRules.most),
        QueryField(
            "currency",
            \.currency,
            about: "The currency of the totals; the group's where left out."
        ),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these categories."
        )
    )
}

/// What a report of a group over time is of.
public struct GroupTrendQuery: QueryObject, Hashable {
    public let interval: ReportInterval
    public let grouping: ReportGrouping?
    public let from: Day?
    public let to: Day?
    public let direction: Direction?
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let categoryIDs: [ID<GroupCategory>]

    public static let query = QueryFields(
        GroupTrendQuery.init,
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
            about: "The currency of the totals; the group's where left out."
        ),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these categories."
        )
    )
}

/// What a cash flow of a group is of.
public struct GroupCashFlowQuery: QueryObject, Hashable {
    public let interval: ReportInterval
    public let from: Day?
    public let to: Day?
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let categoryIDs: [ID<GroupCategory>]

    public static let query = QueryFields(
        GroupCashFlowQuery.init,
        QueryField("interval", \.interval, default: .day, about: "What a point is of."),
        QueryField("from", \.from, about: "The first day; the month's where left out."),
        QueryField("to", \.to, about: "The last day; today where left out."),
        QueryField("minAmount", \.minAmount, about: ReportRules.least),
        QueryField("maxAmount", \.maxAmount, about: ReportRules.most),
        QueryField(
            "currency",
            \.currency,
            about: "The currency of the totals; the group's where left out."
        ),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...ReportRules.anyOfMax),
            about: "Any of these categories."
        )
    )
}
