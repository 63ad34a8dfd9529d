/// What one member owes another.
public struct Debt: JSONObject, Hashable {
    public let fromMemberID: ID<Member>
    public let toMemberID: ID<Member>
    public let amount: Money
    public let expenseIDs: [ID<Expense>]?
    public let nextCursor: Cursor?

    public init(
        fromMemberID: ID<Member>,
        toMemberID: ID<Member>,
        amount: Money,
        expenseIDs: [ID<Expense>]? = nil,
        nextCursor: Cursor? = nil
    ) {
        self.fromMemberID = fromMemberID
        self.toMemberID = toMemberID
        self.amount = amount
        self.expenseIDs = expenseIDs
        self.nextCursor = nextCursor
    }

    public static let json = Object(
        Debt.init,
        Field("fromMemberId", \.fromMemberID, about: "Who owes."),
        Field("toMemberId", \.toMemberID, about: "Who is owed."),
        Field("amount", \.amount, about: "How much."),
        Field("expenseIds", \.expenseIDs, about: "The expenses that explain it, newest first."),
        Field(
            "nextCursor",
            \.nextCursor,
            about: "More explain it than are here: `listDebtExpenses` goes on with it."
        )
    )
}

/// Which debt, and where a page of what explains it begins.
public struct DebtExpenseQuery: QueryObject, Hashable {
    public let fromMemberID: ID<Member>
    public let toMemberID: ID<Member>
    public let currency: Currency
    public let limit: Int
    public let cursor: Cursor?

    public init(
        fromMemberID: ID<Member>,
        toMemberID: ID<Member>,
        currency: Currency,
        limit: Int = 50,
        cursor: Cursor? = nil
    ) {
        self.fromMemberID = fromMemberID
        self.toMemberID = toMemberID
        self.currency = currency
        self.limit = limit
        self.cursor = cursor
    }

    public static let query = QueryFields(
        DebtExpenseQuery.init,
        QueryField("fromMemberId", \.fromMemberID, about: "Who owes."),
        QueryField("toMemberId", \.toMemberID, about: "Who is owed."),
        QueryField("currency", \.currency, about: "In which currency."),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}

/// One of the expenses that explain a debt.
public struct DebtExpense: JSONObject, Hashable {
    public let expenseID: ID<Expense>
    public let amount: Money

    public init(expenseID: ID<Expense>, amount: Money) {
        self.expenseID = expenseID
        self.amount = amount
    }

    public static let json = Object(
        DebtExpense.init,
        Field("expenseId", \.expenseID, about: "The expense."),
        Field(
            "amount",
            \.amount,
            about: "What it made the one owe the other; of the oldest a part may be paid back."
        )
    )
}
