/// What is recorded.
public struct NewTransaction: JSONObject, Hashable {
    /// Signed, minus is money out; in the account's currency.
    public let amount: Money
    /// The account; the oldest open one where left out.
    public let accountID: ID<Account>?
    /// What it was; the category's name where left out.
    public let name: String?
    /// The day; today in the user's time zone where left out.
    public let date: Day?
    /// The category; «Others» where left out.
    public let categoryID: ID<Category>?
    /// More about it.
    public let description: String?

    /// All of it.
    public init(
        amount: Money,
        accountID: ID<Account>? = nil,
        name: String? = nil,
        date: Day? = nil,
        categoryID: ID<Category>? = nil,
        description: String? = nil
    ) {
        self.amount = amount
        self.accountID = accountID
        self.name = name
        self.date = date
        self.categoryID = categoryID
        self.description = description
    }

    /// The description.
    public static let json = Object(
        NewTransaction.init,
        Field("amount", \.amount),
        Field("accountId", \.accountID),
        Field("name", \.name, .line(1...140)),
        Field("date", \.date),
        Field("categoryId", \.categoryID),
        Field("description", \.description, .text(0...2_000))
    )
}

/// A transaction as its owner sees it.
public struct TransactionView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<MoneyTransaction>
    /// The account.
    public let accountID: ID<Account>
    /// Signed; minus is money out.
    public let amount: Money
    /// What it was.
    public let name: String
    /// The day.
    public let date: Day
    /// The category.
    public let categoryID: ID<Category>
    /// More about it.
    public let description: String?
    /// The transfer, where it is one side of one.
    public let transferID: ID<Transfer>?
    /// The import that brought it.
    public let importID: ID<StatementImport>?
    /// Counts its changes, from 1.
    public let version: Int
    /// When it was recorded.
    public let createdAt: Instant

    /// All of it.
    public init(
        id: ID<MoneyTransaction>,
        accountID: ID<Account>,
        amount: Money,
        name: String,
        date: Day,
        categoryID: ID<Category>,
        description: String? = nil,
        transferID: ID<Transfer>? = nil,
        importID: ID<StatementImport>? = nil,
        version: Int,
        createdAt: Instant
    ) {
        self.id = id
        self.accountID = accountID
        self.amount = amount
        self.name = name
        self.date = date
        self.categoryID = categoryID
        self.description = description
        self.transferID = transferID
        self.importID = importID
        self.version = version
        self.createdAt = createdAt
    }

    /// The description.
    public static let json = Object(
        TransactionView.init,
        Field("id", \.id),
        Field("accountId", \.accountID),
        Field("amount", \.amount),
        Field("name", \.name),
        Field("date", \.date),
        Field("categoryId", \.categoryID),
        Field("description", \.description),
        Field("transferId", \.transferID),
        Field("importId", \.importID),
        Field("version", \.version),
        Field("createdAt", \.createdAt)
    )
}

/// Which way money goes.
public enum Direction: String, StringEnum {
    /// Towards the user.
    case incoming = "in"
    /// Away from the user.
    case outgoing = "out"
}

/// The orders of a list of transactions.
public enum TransactionOrder: String, StringEnum {
    /// By day, the last first.
    case newestFirst = "-date"
    /// By day, the first first.
    case oldestFirst = "date"
    /// By signed amount, the largest first: incomes before expenses.
    case largestFirst = "-amount"
    /// By signed amount, the smallest first: expenses before incomes.
    case smallestFirst = "amount"
}

/// Which transactions.
public struct TransactionQuery: QueryObject, Hashable {
    /// The first day.
    public let from: Day?
    /// The last day.
    public let to: Day?
    /// The smallest magnitude; needs one currency.
    public let minAmount: ExactDecimal?
    /// The largest magnitude; needs one currency.
    public let maxAmount: ExactDecimal?
    /// Any of these categories.
    public let categoryIDs: [ID<Category>]
    /// Any of these accounts.
    public let accountIDs: [ID<Account>]
    /// Which way.
    public let direction: Direction?
    /// Words in name or description.
    public let words: String?
    /// The order; by amount needs one currency.
    public let sort: TransactionOrder
    /// How many.
    public let limit: Int
    /// Where the page begins.
    public let cursor: Cursor?

    /// All of it.
    public init(
        from: Day? = nil,
        to: Day? = nil,
        minAmount: ExactDecimal? = nil,
        maxAmount: ExactDecimal? = nil,
        categoryIDs: [ID<Category>] = [],
        accountIDs: [ID<Account>] = [],
        direction: Direction? = nil,
        words: String? = nil,
        sort: TransactionOrder = .newestFirst,
        limit: Int = 50,
        cursor: Cursor? = nil
    ) {
        self.from = from
        self.to = to
        self.minAmount = minAmount
        self.maxAmount = maxAmount
        self.categoryIDs = categoryIDs
        self.accountIDs = accountIDs
        self.direction = direction
        self.words = words
        self.sort = sort
        self.limit = limit
        self.cursor = cursor
    }

    /// The description.
    public static let query = QueryFields(
        TransactionQuery.init,
        QueryField("from", \.from),
        QueryField("to", \.to),
        QueryField("minAmount", \.minAmount),
        QueryField("maxAmount", \.maxAmount),
        QueryField("categoryId", \.categoryIDs),
        QueryField("accountId", \.accountIDs),
        QueryField("direction", \.direction),
        QueryField("query", \.words, .line(1...100)),
        QueryField("sort", \.sort, default: .newestFirst),
        QueryField("limit", \.limit, .range(1...200), default: 50),
        QueryField("cursor", \.cursor)
    )
}

/// What was deleted, and until when it can be had back.
public struct DeletionView: JSONObject, Hashable {
    /// The deletion.
    public let id: ID<Deletion>
    /// How long it can be undone.
    public let undoUntil: Instant

    /// All of it.
    public init(id: ID<Deletion>, undoUntil: Instant) {
        self.id = id
        self.undoUntil = undoUntil
    }

    /// The description.
    public static let json = Object(
        DeletionView.init,
        Field("id", \.id),
        Field("undoUntil", \.undoUntil)
    )
}

/// What has been earned and spent.
public enum Transactions {
    /// Records one.
    public static let record = Endpoint<NoQuery, NewTransaction, TransactionView>(
        "recordTransaction",
        .post,
        "/v1/transactions",
        of: .ledger,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [.insufficientFunds, .accountClosed, .balanceOverflow],
        summary: "Record a transaction"
    )

    /// Those that a filter leaves.
    public static let list = Endpoint<TransactionQuery, NoBody, Page<TransactionView>>(
        "listTransactions",
        .get,
        "/v1/transactions",
        of: .ledger,
        for: .user,
        summary: "List transactions"
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, TransactionView>(
        "getTransaction",
        .get,
        "/v1/transactions/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        summary: "Read a transaction"
    )

    /// Deletes one: a reversal in the journal.
    public static let remove = Endpoint<NoQuery, NoBody, DeletionView>(
        "deleteTransaction",
        .delete,
        "/v1/transactions/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .partOfTransfer, .insufficientFunds, .preconditionFailed],
        summary: "Delete a transaction"
    )

    /// Has a deletion back.
    public static let undo = Endpoint<NoQuery, NoBody, DeletionView>(
        "undoDeletion",
        .post,
        "/v1/transactions/deletions/{id}/undo",
        of: .ledger,
        for: .user,
        errors: [.notFound, .undoExpired, .insufficientFunds],
        summary: "Undo a deletion"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        record.erased, list.erased, get.erased, remove.erased, undo.erased,
    ]
}
