/// What changes of a transaction; what is left out stays.
public struct TransactionChange: JSONObject, Hashable {
    /// Another amount, in the account's currency.
    public let amount: Replace<Money>
    /// Another account.
    public let accountID: Replace<ID<Account>>
    /// Another name; `null`: the category's.
    public let name: Patch<String>
    /// Another day.
    public let date: Replace<Day>
    /// Another category; `null`: «Others».
    public let categoryID: Patch<CategoryID>
    /// Other parts; `null`: none, and the first one's category.
    public let lines: Patch<[TransactionLine]>
    /// More about it.
    public let description: Patch<String>
    /// Where it was.
    public let location: Patch<TransactionLocation>
    /// Another folder.
    public let folderID: Patch<ID<Folder>>
    /// Other words to find it by.
    public let tags: Patch<[String]>

    /// All of it.
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

    /// The description.
    public static let json = Object(
        TransactionChange.init,
        Field("amount", \.amount, .sent),
        Field("accountId", \.accountID),
        Field("name", \.name, .line(1...140)),
        Field("date", \.date),
        Field("categoryId", \.categoryID),
        Field("lines", \.lines, .count(1...TransactionLine.countMax)),
        Field("description", \.description, .text(0...2_000)),
        Field("location", \.location),
        Field("folderId", \.folderID),
        Field("tags", \.tags, .tags)
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
    /// The version that it made, or took back.
    public let version: Int
    /// What happened.
    public let action: TransactionAction
    /// When.
    public let at: Instant
    /// Who did it; absent where the service did by itself.
    public let userID: ID<User>?
    /// The names of the fields that are another than in the version before.
    public let changed: [String]
    /// The transaction in this version.
    public let transaction: TransactionView

    /// All of it.
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

    /// The description.
    public static let json = Object(
        TransactionHistoryItem.init,
        Field("version", \.version),
        Field("action", \.action),
        Field("at", \.at),
        Field("userId", \.userID),
        Field("changed", \.changed),
        Field("transaction", \.transaction)
    )
}

/// Transactions that are recorded together.
public struct TransactionBatch: JSONObject, Hashable {
    /// In their order.
    public let transactions: [NewTransaction]

    /// The most at once.
    public static let countMax = 1_000

    /// All of it.
    public init(transactions: [NewTransaction]) {
        self.transactions = transactions
    }

    /// The description.
    public static let json = Object(
        { @Sendable in TransactionBatch(transactions: $0) },
        Field("transactions", \.transactions, .count(1...countMax))
    )
}

/// Transactions that were recorded together.
public struct TransactionBatchView: JSONObject, Hashable {
    /// In the order in which they were given.
    public let items: [TransactionView]

    /// All of it.
    public init(items: [TransactionView]) {
        self.items = items
    }

    /// The description.
    public static let json = Object(
        { @Sendable in TransactionBatchView(items: $0) },
        Field("items", \.items)
    )
}

/// Transactions that are deleted together.
public struct NewDeletion: JSONObject, Hashable {
    /// Which, each once.
    public let ids: [ID<MoneyTransaction>]

    /// The most at once.
    public static let countMax = 1_000

    /// All of it.
    public init(ids: [ID<MoneyTransaction>]) {
        self.ids = ids
    }

    /// The description.
    public static let json = Object(
        { @Sendable in NewDeletion(ids: $0) },
        Field("ids", \.ids, .count(1...countMax))
    )
}

/// What was deleted, and until when it can be had back.
public struct DeletionView: JSONObject, Hashable {
    /// The deletion.
    public let id: ID<Deletion>
    /// How long it can be undone.
    public let undoUntil: Instant
    /// How many transactions it took.
    public let count: Int

    /// All of it.
    public init(id: ID<Deletion>, undoUntil: Instant, count: Int) {
        self.id = id
        self.undoUntil = undoUntil
        self.count = count
    }

    /// The description.
    public static let json = Object(
        DeletionView.init,
        Field("id", \.id),
        Field("undoUntil", \.undoUntil),
        Field("count", \.count)
    )
}
