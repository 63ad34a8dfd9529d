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
    public let categoryID: CategoryID?
    /// In place of a category: one payment over several.
    public let lines: [TransactionLine]?
    /// More about it.
    public let description: String?
    /// Where it was.
    public let location: TransactionLocation?
    /// The folder that it goes into.
    public let folderID: ID<Folder>?
    /// Words to find it by.
    public let tags: [String]?
    /// How often it comes again, counted from its day.
    public let recurrence: RecurrenceRule?

    /// All of it.
    public init(
        amount: Money,
        accountID: ID<Account>? = nil,
        name: String? = nil,
        date: Day? = nil,
        categoryID: CategoryID? = nil,
        lines: [TransactionLine]? = nil,
        description: String? = nil,
        location: TransactionLocation? = nil,
        folderID: ID<Folder>? = nil,
        tags: [String]? = nil,
        recurrence: RecurrenceRule? = nil
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
        self.recurrence = recurrence
    }

    /// The description.
    public static let json = Object(
        NewTransaction.init,
        Field("amount", \.amount, .sent),
        Field("accountId", \.accountID),
        Field("name", \.name, .line(1...140)),
        Field("date", \.date),
        Field("categoryId", \.categoryID, about: "Not beside `lines`."),
        Field(
            "lines",
            \.lines,
            .count(1...TransactionLine.countMax),
            about: "Distinct categories; the amounts sum to the transaction's."
        ),
        Field("description", \.description, .text(0...2_000)),
        Field("location", \.location),
        Field("folderId", \.folderID),
        Field("tags", \.tags, .tags),
        Field("recurrence", \.recurrence)
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
    /// The category; of one that is split, its first line's.
    public let categoryID: CategoryID
    /// Where it is split: its parts.
    public var lines: [TransactionLine]?
    /// More about it.
    public var description: String?
    /// Where it was.
    public var location: TransactionLocation?
    /// The folder that it is in.
    public var folderID: ID<Folder>?
    /// Words to find it by.
    public var tags: [String]
    /// The transfer, where it is one side of one.
    public var transferID: ID<Transfer>?
    /// The import that brought it.
    public var importID: ID<StatementImport>?
    /// The recurrence that it is an occurrence of.
    public var recurrenceID: ID<Recurrence>?
    /// Counts its changes, from 1.
    public let version: Int
    /// When it was recorded.
    public let createdAt: Instant
    /// What is left of its category's budget, where it was recorded just now.
    public var budgetRemaining: Total?
    /// What recording it has set off.
    public var alerts: [BudgetAlert]?
    /// In a list by groups: the key of the one under which it stands here.
    public var group: String?
    /// The category, where it was asked for.
    public var category: CategoryView?
    /// In whose categories and budgets it counts, where that is another who uses the wallet or has
    /// put it into the folder.
    public var bookedFor: ID<User>?
    /// The amount in the user's currency, where it was asked for and has a rate.
    public var converted: ConvertedAmount?

    /// What everybody sees of it; the rest is set where there is any.
    public init(
        id: ID<MoneyTransaction>,
        accountID: ID<Account>,
        amount: Money,
        name: String,
        date: Day,
        categoryID: CategoryID,
        tags: [String] = [],
        version: Int,
        createdAt: Instant
    ) {
        self.id = id
        self.accountID = accountID
        self.amount = amount
        self.name = name
        self.date = date
        self.categoryID = categoryID
        self.tags = tags
        self.version = version
        self.createdAt = createdAt
    }

    /// The description.
    public static let json = Object(
        {
            @Sendable (
                id: ID<MoneyTransaction>,
                accountID: ID<Account>,
                amount: Money,
                name: String,
                date: Day,
                categoryID: CategoryID,
                lines: [TransactionLine]?,
                description: String?,
                location: TransactionLocation?,
                folderID: ID<Folder>?,
                tags: [String],
                transferID: ID<Transfer>?,
                importID: ID<StatementImport>?,
                recurrenceID: ID<Recurrence>?,
                version: Int,
                createdAt: Instant,
                budgetRemaining: Total?,
                alerts: [BudgetAlert]?,
                group: String?,
                category: CategoryView?,
                bookedFor: ID<User>?,
                converted: ConvertedAmount?
            ) -> TransactionView in
            var view = TransactionView(
                id: id,
                accountID: accountID,
                amount: amount,
                name: name,
                date: date,
                categoryID: categoryID,
                tags: tags,
                version: version,
                createdAt: createdAt
            )
            (view.lines, view.description, view.location) = (lines, description, location)
            (view.folderID, view.transferID, view.importID) = (folderID, transferID, importID)
            (view.recurrenceID, view.budgetRemaining) = (recurrenceID, budgetRemaining)
            (view.alerts, view.group) = (alerts, group)
            (view.category, view.bookedFor) = (category, bookedFor)
            view.converted = converted
            return view
        },
        Field("id", \.id),
        Field("accountId", \.accountID),
        Field("amount", \.amount),
        Field("name", \.name),
        Field("date", \.date),
        Field("categoryId", \.categoryID),
        Field("lines", \.lines),
        Field("description", \.description),
        Field("location", \.location),
        Field("folderId", \.folderID),
        Field("tags", \.tags),
        Field("transferId", \.transferID),
        Field("importId", \.importID),
        Field("recurrenceId", \.recurrenceID),
        Field("version", \.version),
        Field("createdAt", \.createdAt),
        Field("budgetRemaining", \.budgetRemaining),
        Field("alerts", \.alerts),
        Field("group", \.group),
        Field("category", \.category),
        Field("bookedFor", \.bookedFor),
        Field("converted", \.converted)
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
        errors: [.insufficientFunds, .accountClosed, .balanceOverflow, .tooManyRecurrences],
        summary: "Record a transaction"
    )

    /// Records many.
    public static let recordMany = Endpoint<NoQuery, TransactionBatch, TransactionBatchView>(
        "recordTransactions",
        .post,
        "/v1/transactions/batches",
        of: .ledger,
        for: .user,
        idempotency: .required,
        bodyLimit: 1 << 20,
        statuses: [201],
        errors: [.insufficientFunds, .accountClosed, .balanceOverflow, .tooManyRecurrences],
        summary: "Record many transactions, all or nothing",
        description: "In the order given. What is wrong is named by its index: /transactions/17."
    )

    /// Those that a filter leaves.
    public static let list = Endpoint<TransactionQuery, NoBody, TransactionPage>(
        "listTransactions",
        .get,
        "/v1/transactions",
        of: .ledger,
        for: .user,
        errors: [.currencyMismatch],
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

    /// Changes one: its words alone, or what was booked, which is taken back and booked anew.
    public static let change = Endpoint<NoQuery, TransactionChange, TransactionView>(
        "changeTransaction",
        .patch,
        "/v1/transactions/{id}",
        of: .ledger,
        for: .user,
        errors: [
            .notFound, .partOfTransfer, .insufficientFunds, .accountClosed, .balanceOverflow,
            .currencyMismatch, .preconditionFailed,
        ],
        summary: "Change a transaction",
        description: """
            Of one side of a transfer: name, description, category and tags. A category alone, of \
            one that is split, takes the place of its lines.
            """
    )

    /// What became of one, version by version.
    public static let history = Endpoint<PageQuery, NoBody, Page<TransactionHistoryItem>>(
        "getTransactionHistory",
        .get,
        "/v1/transactions/{id}/history",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        summary: "Who changed a transaction, when and how",
        description: "The newest first; of one that was deleted, too."
    )

    /// Deletes one: a reversal in the journal.
    public static let remove = Endpoint<NoQuery, NoBody, DeletionView>(
        "deleteTransaction",
        .delete,
        "/v1/transactions/{id}",
        of: .ledger,
        for: .user,
        errors: [
            .notFound, .partOfTransfer, .insufficientFunds, .accountClosed, .preconditionFailed,
        ],
        summary: "Delete a transaction"
    )

    /// Deletes many.
    public static let removeMany = Endpoint<NoQuery, NewDeletion, DeletionView>(
        "deleteTransactions",
        .post,
        "/v1/transactions/deletions",
        of: .ledger,
        for: .user,
        statuses: [201],
        errors: [.partOfTransfer, .insufficientFunds, .accountClosed],
        summary: "Delete many transactions, all or nothing",
        description: "What is wrong is named by its index: /ids/3."
    )

    /// Has a deletion back.
    public static let undo = Endpoint<NoQuery, NoBody, DeletionView>(
        "undoDeletion",
        .post,
        "/v1/transactions/deletions/{id}/undo",
        of: .ledger,
        for: .user,
        errors: [.notFound, .undoExpired, .insufficientFunds, .accountClosed],
        summary: "Undo a deletion"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        record.erased, recordMany.erased, list.erased, positions.erased, get.erased,
        change.erased, history.erased, remove.erased, removeMany.erased, undo.erased,
    ]
}
