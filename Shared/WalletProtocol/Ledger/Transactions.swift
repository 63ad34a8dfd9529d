/// What is recorded.
public struct NewTransaction: JSONObject, Hashable {
    public let amount: Money
    public let accountID: ID<Account>?
    public let name: String?
    public let date: Day?
    public let categoryID: CategoryID?
    public let lines: [TransactionLine]?
    public let description: String?
    public let location: TransactionLocation?
    public let folderID: ID<Folder>?
    public let tags: [String]?
    public let recurrence: RecurrenceRule?

    public static let json = Object(
        NewTransaction.init,
        Field(
            "amount",
            \.amount,
            .sent,
            about: "Signed, minus is money out; in the account's currency."
        ),
        Field("accountId", \.accountID, about: "The account; the oldest open one where left out."),
        Field(
            "name",
            \.name,
            .line(1...140),
            about: "What it was; the category's name where left out."
        ),
        Field("date", \.date, about: "The day; today in the user's time zone where left out."),
        Field(
            "categoryId",
            \.categoryID,
            about: "The category; «Others» where left out. Not beside `lines`."
        ),
        Field(
            "lines",
            \.lines,
            .count(1...TransactionLine.countMax),
            about: """
                In place of a category: one payment over several. Distinct categories; the amounts \
                sum to the transaction's.
                """
        ),
        Field("description", \.description, .text(0...2_000), about: "More about it."),
        Field("location", \.location, about: "Where it was."),
        Field("folderId", \.folderID, about: "The folder that it goes into."),
        Field("tags", \.tags, .tags, about: "Words to find it by."),
        Field("recurrence", \.recurrence, about: "How often it comes again, counted from its day.")
    )
}

/// A transaction as its owner sees it.
public struct TransactionView: JSONObject, Hashable {
    public let id: ID<MoneyTransaction>
    public let accountID: ID<Account>
    public let amount: Money
    public let name: String
    public let date: Day
    public let categoryID: CategoryID
    public var lines: [TransactionLine]?
    public var description: String?
    public var location: TransactionLocation?
    public var folderID: ID<Folder>?
    public var tags: [String]
    public var transferID: ID<Transfer>?
    public var importID: ID<StatementImport>?
    public var recurrenceID: ID<Recurrence>?
    public let version: Int
    public let createdAt: Instant
    public var budgetRemaining: Total?
    public var alerts: [BudgetAlert]?
    public var group: String?
    public var category: CategoryView?
    public var bookedFor: ID<User>?
    public var converted: ConvertedAmount?
    public var receivable: Money?
    public var settles: Money?

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
                converted: ConvertedAmount?,
                receivable: Money?,
                settles: Money?
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
            (view.receivable, view.settles) = (receivable, settles)
            return view
        },
        Field("id", \.id, about: "The identifier."),
        Field("accountId", \.accountID, about: "The account."),
        Field("amount", \.amount, about: "Signed; minus is money out."),
        Field("name", \.name, about: "What it was."),
        Field("date", \.date, about: "The day."),
        Field(
            "categoryId",
            \.categoryID,
            about: "The category; of one that is split, its first line's."
        ),
        Field("lines", \.lines, about: "Where it is split: its parts."),
        Field("description", \.description, about: "More about it."),
        Field("location", \.location, about: "Where it was."),
        Field("folderId", \.folderID, about: "The folder that it is in."),
        Field("tags", \.tags, about: "Words to find it by."),
        Field("transferId", \.transferID, about: "The transfer, where it is one side of one."),
        Field("importId", \.importID, about: "The import that brought it."),
        Field("recurrenceId", \.recurrenceID, about: "The recurrence that it is an occurrence of."),
        Field("version", \.version, about: "Counts its changes, from 1."),
        Field("createdAt", \.createdAt, about: "When it was recorded."),
        Field(
            "budgetRemaining",
            \.budgetRemaining,
            about: "What is left of its category's budget, where it was recorded just now."
        ),
        Field("alerts", \.alerts, about: "What recording it has set off."),
        Field(
            "group",
            \.group,
            about: "In a list by groups: the key of the one under which it stands here."
        ),
        Field("category", \.category, about: "The category, where it was asked for."),
        Field(
            "bookedFor",
            \.bookedFor,
            about: """
                In whose categories and budgets it counts, where that is another who uses the \
                wallet or has put it into the folder.
                """
        ),
        Field(
            "converted",
            \.converted,
            about: "The amount in the user's currency, where it was asked for and has a rate."
        ),
        Field(
            "receivable",
            \.receivable,
            about: """
                The part that others owe the user, of a shared expense; minus. It is in the amount \
                and in none of the lines: of such a one they are what the user has spent.
                """
        ),
        Field(
            "settles",
            \.settles,
            about: "The part of the amount that clears what others owed the user: no income."
        )
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
        errors: [
            .insufficientFunds, .limitExceeded, .approvalRequired, .accountClosed, .balanceOverflow,
            .tooManyRecurrences,
        ],
        isTagged: true,
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
        errors: [
            .insufficientFunds, .limitExceeded, .approvalRequired, .accountClosed, .balanceOverflow,
            .tooManyRecurrences,
        ],
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
        response: .jsonOr(TransactionFormat.others),
        errors: [.currencyMismatch],
        summary: "List transactions",
        description: """
            `format=csv` and `format=journal` return all rows that the filter leaves, with names \
            in place of ids. They ignore `limit` and `expand`, and take no `cursor` and no \
            `groupBy`. A CSV has a row for each part of a split transaction. A text that a \
            spreadsheet would run as a formula begins with an apostrophe. A journal is in the \
            order of days. Without other filters than `from`, `to` and `accountId` it begins with \
            the balance of each account before the first day, so that its balances are those of \
            the accounts.
            """
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, TransactionView>(
        "getTransaction",
        .get,
        "/v1/transactions/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        isTagged: true,
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
            .notFound, .partOfTransfer, .insufficientFunds, .limitExceeded, .approvalRequired,
            .accountClosed,
            .balanceOverflow, .currencyMismatch, .preconditionFailed,
        ],
        isTagged: true,
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
            .notFound, .partOfTransfer, .insufficientFunds, .limitExceeded, .approvalRequired,
            .accountClosed, .preconditionFailed,
        ],
        summary: "Delete a transaction",
        description: """
            A child who deletes what a parent has paid in takes it out of the account: it counts \
            against limits as any purchase.
            """
    )

    /// Deletes many.
    public static let removeMany = Endpoint<NoQuery, NewDeletion, DeletionView>(
        "deleteTransactions",
        .post,
        "/v1/transactions/deletions",
        of: .ledger,
        for: .user,
        statuses: [201],
        errors: [
            .partOfTransfer, .insufficientFunds, .limitExceeded, .approvalRequired, .accountClosed,
        ],
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
        errors: [
            .notFound, .undoExpired, .insufficientFunds, .limitExceeded, .approvalRequired,
            .accountClosed,
        ],
        summary: "Undo a deletion"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        record.erased, recordMany.erased, list.erased, positions.erased, get.erased,
        change.erased, history.erased, remove.erased, removeMany.erased, undo.erased,
    ]
}
