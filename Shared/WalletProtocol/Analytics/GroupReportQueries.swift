/// What a summary of a group is of.
public struct GroupSummaryQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let direction: Direction?
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let categoryIDs: [ID<GroupCategory>]
    public let format: ReportFormat

    public static let query = QueryFields(
        GroupSummaryQuery.init,
        ReportFields.from(\.from),
        ReportFields.to(\.to),
        ReportFields.oneWay(\.direction),
        ReportFields.least(\.minAmount),
        ReportFields.most(\.maxAmount),
        ReportFields.currency(\.currency, of: "group"),
        ReportFields.categories(\.categoryIDs),
        ReportFields.format(\.format)
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
    public let format: ReportFormat

    public static let query = QueryFields(
        GroupCategoryReportQuery.init,
        ReportFields.from(\.from),
        ReportFields.to(\.to),
        ReportFields.way(\.direction),
        ReportFields.least(\.minAmount),
        ReportFields.most(\.maxAmount),
        ReportFields.currency(\.currency, of: "group"),
        ReportFields.categories(\.categoryIDs),
        ReportFields.format(\.format)
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
    public let format: ReportFormat

    public static let query = QueryFields(
        GroupTrendQuery.init,
        ReportFields.interval(\.interval),
        ReportFields.grouping(\.grouping),
        ReportFields.from(\.from),
        ReportFields.to(\.to),
        ReportFields.oneWay(\.direction),
        ReportFields.least(\.minAmount),
        ReportFields.most(\.maxAmount),
        ReportFields.currency(\.currency, of: "group"),
        ReportFields.categories(\.categoryIDs),
        ReportFields.format(\.format)
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
    public let format: ReportFormat

    public static let query = QueryFields(
        GroupCashFlowQuery.init,
        ReportFields.interval(\.interval),
        ReportFields.from(\.from),
        ReportFields.to(\.to),
        ReportFields.least(\.minAmount),
        ReportFields.most(\.maxAmount),
        ReportFields.currency(\.currency, of: "group"),
        ReportFields.categories(\.categoryIDs),
        ReportFields.format(\.format)
    )
}
