/// What changes of a transaction; what is left out stays.
public struct TransactionChange: JSONObject, Hashable {
    public let amount: Replace<Money>
    public let accountID: Replace<ID<Account>>
    public let name: Patch<String>
    public let date: Replace<Day>
    public let categoryID: Patch<CategoryID>
    public let lines: Patch<[TransactionLine]>
    public let description: Patch<String>
    public let location: Patch<TransactionLocation>
    public let folderID: Patch<ID<Folder>>
    public let tags: Patch<[String]>

    public init(
        amount: Replace<Money> = .unchanged,
        accountID: Replace<ID<Account>> = .unchanged,
        name: Patch<String> = .unchanged,
        date: Replace<Day> = .unchanged,
        categoryID: Patch<CategoryID> = .unchanged,
        lines: Patch<[TransactionLine]> = .unchanged,
        description: Patch<String> = .unchanged,
        location: Patch<TransactionLocation> = .unchanged,
        folderID: Patch<ID<Folder>> = .unchanged,
        tags: Patch<[String]> = .unchanged
    ) {
        self.amount = amount
        self.accountID = accountID
        self.name = name
        self.date = date
        self.categoryID = categoryID
        self.lines = lines
        self.description = description
        self.location = location
        self.folderID = folderID
        self.tags = tags
    }

    public static let json = Object(
        TransactionChange.init,
        Field("amount", \.amount, .sent, about: "Another amount, in the account's currency."),
        Field("accountId", \.accountID, about: "Another account."),
        Field("name", \.name, .line(1...140), about: "Another name; `null`: the category's."),
        Field("date", \.date, about: "Another day."),
        Field("categoryId", \.categoryID, about: "Another category; `null`: «Others»."),
        Field(
            "lines",
            \.lines,
            .count(1...TransactionLine.countMax),
            about: "Other parts; `null`: none, and the first one's category."
        ),
        Field("description", \.description, .text(0...2_000), about: "More about it."),
        Field("location", \.location, about: "Where it was."),
        Field("folderId", \.folderID, about: "Another folder."),
        Field("tags", \.tags, .tags, about: "Other words to find it by.")
    )
}

/// What happened to a transaction.
public enum TransactionAction: String, StringEnum {
    /// It was recorded.
    case recorded
    /// It was changed.
    case changed
    /// It was deleted.
    case deleted
    /// Its deletion was undone.
    case restored
}

/// One thing that happened to a transaction.
public struct TransactionHistoryItem: JSONObject, Hashable {
    public let version: Int
    public let action: TransactionAction
    public let at: Instant
    public let userID: ID<User>?
    public let changed: [String]
    public let transaction: TransactionView

    public init(
        version: Int,
        action: TransactionAction,
        at: Instant,
        userID: ID<User>?,
        changed: [String],
        transaction: TransactionView
    ) {
        self.version = version
        self.action = action
        self.at = at
        self.userID = userID
        self.changed = changed
        self.transaction = transaction
    }

    public static let json = Object(
        TransactionHistoryItem.init,
        Field("version", \.version, about: "The version that it made, or took back."),
        Field("action", \.action, about: "What happened."),
        Field("at", \.at, about: "When."),
        Field("userId", \.userID, about: "Who did it; absent where the service did by itself."),
        Field(
            "changed",
            \.changed,
            about: "The names of the fields that are another than in the version before."
        ),
        Field("transaction", \.transaction, about: "The transaction in this version.")
    )
}

/// Transactions that are recorded together.
public struct TransactionBatch: JSONObject, Hashable {
    public let transactions: [NewTransaction]

    /// The most at once.
    public static let countMax = 1_000

    public init(transactions: [NewTransaction]) {
        self.transactions = transactions
    }

    public static let json = Object(
        { @Sendable in TransactionBatch(transactions: $0) },
        Field("transactions", \.transactions, .count(1...countMax), about: "In their order.")
    )
}

/// Transactions that were recorded together.
public struct TransactionBatchView: JSONObject, Hashable {
    public let items: [TransactionView]

    public init(items: [TransactionView]) {
        self.items = items
    }

    public static let json = Object(
        { @Sendable in TransactionBatchView(items: $0) },
        Field("items", \.items, about: "In the order in which they were given.")
    )
}

/// Transactions that are deleted together.
public struct NewDeletion: JSONObject, Hashable {
    public let ids: [ID<MoneyTransaction>]

    /// The most at once.
    public static let countMax = 1_000

    public init(ids: [ID<MoneyTransaction>]) {
        self.ids = ids
    }

    public static let json = Object(
        { @Sendable in NewDeletion(ids: $0) },
        Field("ids", \.ids, .count(1...countMax), about: "Which, each once.")
    )
}

/// What was deleted, and until when it can be had back.
public struct DeletionView: JSONObject, Hashable {
    public let id: ID<Deletion>
    public let undoUntil: Instant
    public let count: Int

    public init(id: ID<Deletion>, undoUntil: Instant, count: Int) {
        self.id = id
        self.undoUntil = undoUntil
        self.count = count
    }

    public static let json = Object(
        DeletionView.init,
        Field("id", \.id, about: "The deletion."),
        Field("undoUntil", \.undoUntil, about: "How long it can be undone."),
        Field("count", \.count, about: "How many transactions it took.")
    )
}
