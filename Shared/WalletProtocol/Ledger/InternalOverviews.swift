/// How somebody stands, as who looks after them sees it.
public struct Overview: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let income: [Total]
    public let expenses: [Total]
    public let accounts: [AccountView]
    public let categories: [CategoryView]
    public let budgets: [Envelope]
    public let transactions: [TransactionView]

    public init(
        from: Day,
        to: Day,
        income: [Total],
        expenses: [Total],
        accounts: [AccountView],
        categories: [CategoryView],
        budgets: [Envelope],
        transactions: [TransactionView]
    ) {
        self.from = from
        self.to = to
        self.income = income
        self.expenses = expenses
        self.accounts = accounts
        self.categories = categories
        self.budgets = budgets
        self.transactions = transactions
    }

    /// The newest of which it tells.
    public static let transactionsMax = 20
    /// Accounts, categories and budgets of which it tells.
    public static let thingsMax = 200

    public static let json = Object(
        Overview.init,
        Field("from", \.from, about: "The first day of the last month, up to today."),
        Field("to", \.to, about: "Today, where they are."),
        Field("income", \.income, about: "What came in between, one a currency."),
        Field("expenses", \.expenses, about: "What went out, zero or more, one a currency."),
        Field("accounts", \.accounts, about: "Their open accounts, with balances."),
        Field("categories", \.categories, about: "What the others mean by their categories."),
        Field("budgets", \.budgets, about: "Their envelopes of the running month."),
        Field("transactions", \.transactions, about: "Their newest transactions.")
    )
}

/// What the ledger tells of somebody to those who look after them.
public enum InternalOverviews {
    /// How somebody stands.
    public static let get = Endpoint<NoQuery, NoBody, Overview>(
        "getOverview",
        .get,
        "/internal/overviews/{userId}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound],
        summary: "How somebody stands"
    )
}
