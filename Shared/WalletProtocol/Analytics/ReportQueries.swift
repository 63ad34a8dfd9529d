/// What has a series of its own in a report over time.
public enum ReportGrouping: String, StringEnum {
    /// Each category at the top, with those below it.
    case category
}

/// What reports are asked with, whosever they are.
enum ReportFields {
    /// The most that are named of a kind.
    private static let anyOfMax = 100
    /// What stands beside a report's own figures.
    static let previous =
        "The period before: of whole months as many, of a month's first days the same of the month "
        + "before, else as many days; none before the calendar's first day."
    /// What stands beside one way's figures.
    static let net =
        "Income less expenses, whichever of the two the report lists: below zero where more went "
        + "out than came in."

    static func format<Query>(
        _ path: any KeyPath<Query, ReportFormat> & Sendable
    ) -> QueryField<Query, ReportFormat> {
        QueryField("format", path, default: .json, about: "The form of the answer.")
    }

    static func from<Query>(
        _ path: any KeyPath<Query, Day?> & Sendable
    ) -> QueryField<Query, Day?> {
        QueryField("from", path, about: "The first day; the month's where left out.")
    }

    static func to<Query>(
        _ path: any KeyPath<Query, Day?> & Sendable
    ) -> QueryField<Query, Day?> {
        QueryField("to", path, about: "The last day; today where left out.")
    }

    static func oneWay<Query>(
        _ path: any KeyPath<Query, Direction?> & Sendable
    ) -> QueryField<Query, Direction?> {
        QueryField("direction", path, about: "One way alone.")
    }

    static func way<Query>(
        _ path: any KeyPath<Query, Direction> & Sendable
    ) -> QueryField<Query, Direction> {
        QueryField("direction", path, default: .outgoing, about: "Which way.")
    }

    static func least<Query>(
        _ path: any KeyPath<Query, ExactDecimal?> & Sendable
    ) -> QueryField<Query, ExactDecimal?> {
        let about =
            "The smallest magnitude of a booking, in the report's currency; what has no rate is "
            + "left out."
        return QueryField("minAmount", path, about: about)
    }

    static func most<Query>(
        _ path: any KeyPath<Query, ExactDecimal?> & Sendable
    ) -> QueryField<Query, ExactDecimal?> {
        QueryField("maxAmount", path, about: "The largest magnitude of a booking, likewise.")
    }

    static func interval<Query>(
        _ path: any KeyPath<Query, ReportInterval> & Sendable
    ) -> QueryField<Query, ReportInterval> {
        QueryField("interval", path, default: .day, about: "What a point is of.")
    }

    static func grouping<Query>(
        _ path: any KeyPath<Query, ReportGrouping?> & Sendable
    ) -> QueryField<Query, ReportGrouping?> {
        QueryField("by", path, about: "What has a series each; all has one where left out.")
    }

    /// - Parameter whose: of whom it is where left out.
    static func currency<Query>(
        _ path: any KeyPath<Query, Currency?> & Sendable,
        of whose: String
    ) -> QueryField<Query, Currency?> {
        let about = "The currency of the totals; the \(whose)'s where left out."
        return QueryField("currency", path, about: about)
    }

    static func accounts<Query>(
        _ path: any KeyPath<Query, [ID<Account>]> & Sendable
    ) -> QueryField<Query, [ID<Account>]> {
        QueryField("accountId", path, .count(0...anyOfMax), about: "Any of these accounts.")
    }

    static func categories<Query, Category: QueryValue>(
        _ path: any KeyPath<Query, [Category]> & Sendable
    ) -> QueryField<Query, [Category]> {
        QueryField("categoryId", path, .count(0...anyOfMax), about: "Any of these categories.")
    }
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
    public let format: ReportFormat

    public static let query = QueryFields(
        SummaryQuery.init,
        ReportFields.from(\.from),
        ReportFields.to(\.to),
        ReportFields.oneWay(\.direction),
        ReportFields.least(\.minAmount),
        ReportFields.most(\.maxAmount),
        ReportFields.currency(\.currency, of: "user"),
        ReportFields.accounts(\.accountIDs),
        ReportFields.categories(\.categoryIDs),
        ReportFields.format(\.format)
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
    public let format: ReportFormat

    public static let query = QueryFields(
        CategoryReportQuery.init,
        ReportFields.from(\.from),
        ReportFields.to(\.to),
        ReportFields.way(\.direction),
        ReportFields.least(\.minAmount),
        ReportFields.most(\.maxAmount),
        ReportFields.currency(\.currency, of: "user"),
        ReportFields.accounts(\.accountIDs),
        ReportFields.categories(\.categoryIDs),
        ReportFields.format(\.format)
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
    public let format: ReportFormat

    public static let query = QueryFields(
        TrendQuery.init,
        ReportFields.interval(\.interval),
        ReportFields.grouping(\.grouping),
        ReportFields.from(\.from),
        ReportFields.to(\.to),
        ReportFields.oneWay(\.direction),
        ReportFields.least(\.minAmount),
        ReportFields.most(\.maxAmount),
        ReportFields.currency(\.currency, of: "user"),
        ReportFields.accounts(\.accountIDs),
        ReportFields.categories(\.categoryIDs),
        ReportFields.format(\.format)
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
    public let format: ReportFormat

    public static let query = QueryFields(
        CashFlowQuery.init,
        ReportFields.interval(\.interval),
        ReportFields.from(\.from),
        ReportFields.to(\.to),
        ReportFields.least(\.minAmount),
        ReportFields.most(\.maxAmount),
        ReportFields.currency(\.currency, of: "user"),
        ReportFields.accounts(\.accountIDs),
        ReportFields.categories(\.categoryIDs),
        ReportFields.format(\.format)
    )
}
