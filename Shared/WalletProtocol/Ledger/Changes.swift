/// What a change is of.
public enum ChangeKind: String, StringEnum {
    /// A wallet or folder of somebody else that came to be shared, or is not any more.
    case access
    /// A folder, one's own or shared, as its list has it.
    case folder
    /// A category.
    case category
    /// The schedule behind recurring transactions.
    case recurrence
    /// A rule that names the categories of imported rows.
    case importRule
    /// What was put into an envelope on a day.
    case allocation
    /// An account, its balance with it.
    case account
    /// A transaction, all its attachments with it.
    case transaction
}

/// What is to be done about a wallet or folder that somebody else shares.
public enum AccessAction: String, StringEnum {
    /// Load it, with its transactions: what was there before is in no other change.
    case load
    /// A wallet: forget it and all of its transactions. A folder: only its links.
    case drop
}

/// Access gained or lost.
public struct AccessChange: JSONObject, Hashable {
    /// The wallet, where it is one.
    public let accountID: ID<Account>?
    /// The folder, where it is one.
    public let folderID: ID<Folder>?
    /// What is to be done.
    public let action: AccessAction

    /// All of it.
    public init(
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        action: AccessAction
    ) {
        self.accountID = accountID
        self.folderID = folderID
        self.action = action
    }

    /// The description.
    public static let json = Object(
        AccessChange.init,
        Field("accountId", \.accountID),
        Field("folderId", \.folderID),
        Field("action", \.action)
    )
}

/// What all calls of a day have put into a category's envelope of a month, in one currency.
public struct AllocationEntry: JSONObject, Hashable {
    /// The category.
    public let categoryID: CategoryID
    /// The month.
    public let month: Month
    /// The day, at whose rate it counts once the user has another currency.
    public let date: Day
    /// The sum; minus was taken out.
    public let amount: Total

    /// All of it.
    public init(categoryID: CategoryID, month: Month, date: Day, amount: Total) {
        self.categoryID = categoryID
        self.month = month
        self.date = date
        self.amount = amount
    }

    /// The description.
    public static let json = Object(
        AllocationEntry.init,
        Field("categoryId", \.categoryID),
        Field("month", \.month),
        Field("date", \.date),
        Field("amount", \.amount)
    )
}

/// One thing as it is now, under the name of its kind; or when it was deleted.
public struct ChangeItem: JSONObject, Hashable {
    /// What it is.
    public let kind: ChangeKind
    /// Its identifier; of `access` the account's or the folder's.
    public let id: ID<Change>
    /// When it was deleted; then nothing else is told of it.
    public var deletedAt: Instant?
    /// Of kind `access`.
    public var access: AccessChange?
    /// Of kind `folder`.
    public var folder: FolderView?
    /// Of kind `category`.
    public var category: CategoryView?
    /// Of kind `recurrence`.
    public var recurrence: RecurrenceView?
    /// Of kind `importRule`.
    public var importRule: ImportRuleView?
    /// Of kind `allocation`.
    public var allocation: AllocationEntry?
    /// Of kind `account`.
    public var account: AccountView?
    /// Of kind `transaction`.
    public var transaction: TransactionView?
    /// Of kind `transaction`: all that it has, oldest first.
    public var attachments: [AttachmentView]?

    /// A thing of which nothing is told yet.
    public init(
        kind: ChangeKind,
        id: ID<Change>,
        deletedAt: Instant? = nil,
        access: AccessChange? = nil,
        folder: FolderView? = nil,
        category: CategoryView? = nil,
        recurrence: RecurrenceView? = nil,
        importRule: ImportRuleView? = nil,
        allocation: AllocationEntry? = nil,
        account: AccountView? = nil,
        transaction: TransactionView? = nil,
        attachments: [AttachmentView]? = nil
    ) {
        self.kind = kind
        self.id = id
        self.deletedAt = deletedAt
        self.access = access
        self.folder = folder
        self.category = category
        self.recurrence = recurrence
        self.importRule = importRule
        self.allocation = allocation
        self.account = account
        self.transaction = transaction
        self.attachments = attachments
    }

    /// The description.
    public static let json = Object(
        ChangeItem.init,
        Field("kind", \.kind),
        Field("id", \.id),
        Field("deletedAt", \.deletedAt),
        Field("access", \.access),
        Field("folder", \.folder),
        Field("category", \.category),
        Field("recurrence", \.recurrence),
        Field("importRule", \.importRule),
        Field("allocation", \.allocation),
        Field("account", \.account),
        Field("transaction", \.transaction),
        Field("attachments", \.attachments)
    )
}

/// A page of what has changed.
public struct ChangePage: JSONObject, Hashable {
    /// What has changed; maybe nothing, though there is more.
    public let items: [ChangeItem]
    /// What to ask with from here on.
    public let next: Cursor
    /// Whether to ask at once.
    public let more: Bool

    /// All of it.
    public init(items: [ChangeItem], next: Cursor, more: Bool) {
        self.items = items
        self.next = next
        self.more = more
    }

    /// The description.
    public static let json = Object(
        ChangePage.init,
        Field("items", \.items, about: "May be empty though there is more."),
        Field("next", \.next, about: "What to ask with from here on; always there."),
        Field("more", \.more, about: "Whether to ask at once.")
    )
}

/// Which changes.
public struct ChangeQuery: QueryObject, Hashable {
    /// Where the last page ended; everything where left out.
    public let since: Cursor?
    /// How many.
    public let limit: Int

    /// All of it.
    public init(since: Cursor? = nil, limit: Int = 50) {
        self.since = since
        self.limit = limit
    }

    /// The description.
    public static let query = QueryFields(
        ChangeQuery.init,
        QueryField("since", \.since, about: "`next` of the last page; everything without it."),
        QueryField("limit", \.limit, .range(1...200), default: 50)
    )
}

/// What a client that works offline catches up with.
public enum Changes {
    /// What has changed since.
    public static let list = Endpoint<ChangeQuery, NoBody, ChangePage>(
        "listChanges",
        .get,
        "/v1/changes",
        of: .ledger,
        for: .user,
        errors: [.resyncRequired],
        summary: "What has changed",
        description: """
            Everything of yours that changed behind a cursor, each thing as it is now; what was \
            deleted has `deletedAt`; a folder that is deleted takes the `folderId` off what was \
            in it. Others' transactions in a folder are read by \
            `GET /v1/transactions?folderId=`. Misses nothing, whenever it was committed, and may \
            repeat a row. Ask with `next` again: at once while there is `more`, else when you \
            like. 409 `resync-required`: forget the copy and begin without a cursor.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [list.erased]
}
