/// Figures of oneself, of a group and of a child, by amounts and days alone: what needs words,
/// places, plans or balances is the ledger's.
public enum Reports {
    /// The most points of a series.
    public static let pointsMax = 400

    /// How a report comes in other forms than JSON.
    private static let forms = """
        As CSV with the names of categories, where they are; as PDF with charts and tables in the \
        reader's language; as SVG or PNG the chart alone: a pie of categories, bars of a cash flow \
        and of a summary, lines of what is over time. A chart of nothing is grey and has no \
        labels. Without an answer from whoever has the categories 503.
        """

    /// The most points of all series of a report: some 400 kB of JSON.
    public static let allPointsMax = 2_000

    /// The most bookings of a period that a report looks at one by one: with bounds of amounts
    /// all, else those in other currencies than its own.
    public static let bookingsMax = 250_000

    /// The most cells, each of a month, an account, a category and one way, that a report tells
    /// apart by day.
    public static let cellsMax = 50_000

    /// Income and expenses.
    public static let summary = Endpoint<SummaryQuery, NoBody, SummaryView>(
        "getSummary",
        .get,
        "/v1/reports/summary",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        summary: "Income and expenses",
        description: forms
    )

    /// Expenses or income by category.
    public static let categories = Endpoint<CategoryReportQuery, NoBody, CategoryReport>(
        "getCategoryReport",
        .get,
        "/v1/reports/categories",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        summary: "Expenses or income by category",
        description: forms
    )

    /// Income and expenses over time.
    public static let trends = Endpoint<TrendQuery, NoBody, TrendReport>(
        "getTrends",
        .get,
        "/v1/reports/trends",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        summary: "Income and expenses over time",
        description: forms
    )

    /// What came in and what went out over time.
    public static let cashFlow = Endpoint<CashFlowQuery, NoBody, CashFlowReport>(
        "getCashFlow",
        .get,
        "/v1/reports/cash-flow",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        summary: "What came in and what went out over time",
        description: forms
    )

    /// Income and expenses of a group.
    public static let groupSummary = Endpoint<GroupSummaryQuery, NoBody, SummaryView>(
        "getGroupSummary",
        .get,
        "/v1/reports/groups/{id}/summary",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "Income and expenses of a group",
        description: forms
    )

    /// Expenses or income by category of a group.
    public static let groupCategories = Endpoint<GroupCategoryReportQuery, NoBody, CategoryReport>(
        "getGroupCategoryReport",
        .get,
        "/v1/reports/groups/{id}/categories",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "Expenses or income by category of a group",
        description: forms
    )

    /// Income and expenses over time of a group.
    public static let groupTrends = Endpoint<GroupTrendQuery, NoBody, TrendReport>(
        "getGroupTrends",
        .get,
        "/v1/reports/groups/{id}/trends",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "Income and expenses over time of a group",
        description: forms
    )

    /// What came in and what went out over time of a group.
    public static let groupCashFlow = Endpoint<GroupCashFlowQuery, NoBody, CashFlowReport>(
        "getGroupCashFlow",
        .get,
        "/v1/reports/groups/{id}/cash-flow",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "What came in and what went out over time of a group",
        description: forms
    )

    /// Income and expenses of a child.
    public static let childSummary = Endpoint<SummaryQuery, NoBody, SummaryView>(
        "getChildSummary",
        .get,
        "/v1/reports/children/{id}/summary",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "Income and expenses of a child",
        description: forms
    )

    /// Expenses or income by category of a child.
    public static let childCategories = Endpoint<CategoryReportQuery, NoBody, CategoryReport>(
        "getChildCategoryReport",
        .get,
        "/v1/reports/children/{id}/categories",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "Expenses or income by category of a child",
        description: forms
    )

    /// Income and expenses over time of a child.
    public static let childTrends = Endpoint<TrendQuery, NoBody, TrendReport>(
        "getChildTrends",
        .get,
        "/v1/reports/children/{id}/trends",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "Income and expenses over time of a child",
        description: forms
    )

    /// What came in and what went out over time of a child.
    public static let childCashFlow = Endpoint<CashFlowQuery, NoBody, CashFlowReport>(
        "getChildCashFlow",
        .get,
        "/v1/reports/children/{id}/cash-flow",
        of: .analytics,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "What came in and what went out over time of a child",
        description: forms
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        summary.erased, categories.erased, trends.erased, cashFlow.erased, groupSummary.erased,
        groupCategories.erased, groupTrends.erased, groupCashFlow.erased, childSummary.erased,
        childCategories.erased, childTrends.erased, childCashFlow.erased,
    ]
}
