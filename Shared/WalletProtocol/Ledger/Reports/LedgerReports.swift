/// Figures of what the ledger alone has: words, places, plans and balances; exact, and of this
/// moment.
public enum LedgerReports {
    private static let outlook = """
        The rule: income and expenses are what is booked on the days of the running calendar \
        month, also on those to come, and what active recurrences and standing orders have yet \
        to bring up to its last day, as if none of it was refused. Nothing is guessed from \
        habits. A standing order to somebody else is an expense of the category «Others»; one \
        between own accounts moves balances alone. Balances are those of the chosen accounts at \
        the end of today and of the month's last day. What is to come counts at the newest \
        rates, what is booked at its day's. What others schedule on a shared wallet, and what \
        groups schedule, is not in it.
        """
    private static let overTime = """
        Every day's balance is what the account holds less what is booked on later days: what a \
        wallet was opened with counts as before all of them. A point is at the end of its last \
        day; other currencies count at that day's rate. Closed accounts are told of where they \
        held something. At most 1,000 points, and 20,000 balances in all.
        """
    private static let envelopes = """
        Each envelope as `GET /v1/budgets` tells it, for every month that a day of the period is \
        in; months begin on the user's `monthStart`. At most 60 months.
        """

    /// Balances over time.
    public static let balances = Endpoint<BalanceReportQuery, NoBody, BalanceReport>(
        "getBalanceReport",
        .get,
        "/v1/reports/balances",
        of: .ledger,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        summary: "Balances over time, of chosen accounts and of all",
        description: overTime
    )

    /// How envelopes were used.
    public static let budgets = Endpoint<BudgetReportQuery, NoBody, BudgetReport>(
        "getBudgetReport",
        .get,
        "/v1/reports/budgets",
        of: .ledger,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        summary: "How envelopes were used, by category and month",
        description: envelopes
    )

    /// By place.
    public static let places = Endpoint<FlowReportQuery, NoBody, PlaceReport>(
        "getPlaceReport",
        .get,
        "/v1/reports/places",
        of: .ledger,
        for: .user,
        response: .jsonAs("application/geo+json", or: ReportFormat.others),
        summary: "Expenses or income by place, as GeoJSON",
        description: ReportTexts.counted
    )

    /// By payee.
    public static let payees = Endpoint<FlowReportQuery, NoBody, PayeeReport>(
        "getPayeeReport",
        .get,
        "/v1/reports/payees",
        of: .ledger,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        summary: "Expenses or income by payee",
        description: ReportTexts.counted
    )

    /// How the month will end.
    public static let forecast = Endpoint<ForecastQuery, NoBody, Forecast>(
        "getForecast",
        .get,
        "/v1/reports/forecast",
        of: .ledger,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        summary: "How the running month will end by what is scheduled",
        description: outlook
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        balances.erased, budgets.erased, places.erased, payees.erased, forecast.erased,
        childBalances.erased, childBudgets.erased, childPlaces.erased, childPayees.erased,
        childForecast.erased,
    ]
}

// The same of a child, for the parents of its family: what is on the child's own accounts.
extension LedgerReports {
    private static let ofChild = """
        For the parents of the child's family, as it is now, in the child's time zone and \
        currency. Of the child's own accounts alone; envelopes are whole, as the child's \
        dashboard has them.
        """

    /// A child's balances over time.
    public static let childBalances = Endpoint<BalanceReportQuery, NoBody, BalanceReport>(
        "getChildBalanceReport",
        .get,
        "/v1/reports/children/{id}/balances",
        of: .ledger,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "A child's balances over time",
        description: ofChild
    )

    /// How a child's envelopes were used.
    public static let childBudgets = Endpoint<BudgetReportQuery, NoBody, BudgetReport>(
        "getChildBudgetReport",
        .get,
        "/v1/reports/children/{id}/budgets",
        of: .ledger,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "How a child's envelopes were used",
        description: ofChild
    )

    /// A child's, by place.
    public static let childPlaces = Endpoint<FlowReportQuery, NoBody, PlaceReport>(
        "getChildPlaceReport",
        .get,
        "/v1/reports/children/{id}/places",
        of: .ledger,
        for: .user,
        response: .jsonAs("application/geo+json", or: ReportFormat.others),
        errors: [.notFound],
        summary: "A child's expenses or income by place, as GeoJSON",
        description: ofChild
    )

    /// A child's, by payee.
    public static let childPayees = Endpoint<FlowReportQuery, NoBody, PayeeReport>(
        "getChildPayeeReport",
        .get,
        "/v1/reports/children/{id}/payees",
        of: .ledger,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "A child's expenses or income by payee",
        description: ofChild
    )

    /// How a child's month will end.
    public static let childForecast = Endpoint<ForecastQuery, NoBody, Forecast>(
        "getChildForecast",
        .get,
        "/v1/reports/children/{id}/forecast",
        of: .ledger,
        for: .user,
        response: .jsonOr(ReportFormat.others),
        errors: [.notFound],
        summary: "How a child's running month will end by what is scheduled",
        description: ofChild
    )
}
