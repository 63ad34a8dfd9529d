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
    /// A transfer that comes again.
    case standingOrder
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
    public let accountID: ID<Account>?
    public let folderID: ID<Folder>?
    public let action: AccessAction

    public init(
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        action: AccessAction
    ) {
        self.accountID = accountID
        self.folderID = folderID
        self.action = action
    }

    public static let json = Object(
        AccessChange.init,
        Field("accountId", \.accountID, about: "The wallet, where it is one."),
        Field("folderId", \.folderID, about: "The folder, where it is one."),
        Field("action", \.action, about: "What is to be done.")
    )
}

/// What all calls of a day have put into a category's envelope of a month, in one currency.
public struct AllocationEntry: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let month: Month
    public let date: Day
    public let amount: Total

    public init(categoryID: CategoryID, month: Month, date: Day, amount: Total) {
        self.categoryID = categoryID
        self.month = month
        self.date = date
        self.amount = amount
    }

    public static let json = Object(
        AllocationEntry.init,
        Field("categoryId", \.categoryID, about: "The category."),
        Field("month", \.month, about: "The month."),
        Field(
            "date",
            \.date,
            about: "The day, at whose rate it counts once the user has another currency."
        ),
        Field("amount", \.amount, about: "The sum; minus was taken out.")
    )
}

/// One thing as it is now, under the name of its kind; or when it was deleted.
public struct ChangeItem: JSONObject, Hashable {
    public let kind: ChangeKind
    public let id: ID<Change>
    public var deletedAt: Instant?
    public var access: AccessChange?
    public var folder: FolderView?
    public var category: CategoryView?
    public var recurrence: RecurrenceView?
    public var standingOrder: StandingOrderView?
    public var importRule: ImportRuleView?
    public var allocation: AllocationEntry?
    public var account: AccountView?
    public var transaction: TransactionView?
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
        standingOrder: StandingOrderView? = nil,
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
        self.standingOrder = standingOrder
        self.importRule = importRule
        self.allocation = allocation
        self.account = account
        self.transaction = transaction
        self.attachments = attachments
    }

    public static let json = Object(
        ChangeItem.init,
        Field("kind", \.kind, about: "What it is."),
        Field("id", \.id, about: "Its identifier; of `access` the account's or the folder's."),
        Field(
            "deletedAt",
            \.deletedAt,
            about: "When it was deleted; then nothing else is told of it."
        ),
        Field("access", \.access, about: "Of kind `access`."),
        Field("folder", \.folder, about: "Of kind `folder`."),
        Field("category", \.category, about: "Of kind `category`."),
        Field("recurrence", \.recurrence, about: "Of kind `recurrence`."),
        Field("standingOrder", \.standingOrder, about: "Of kind `standingOrder`."),
        Field("importRule", \.importRule, about: "Of kind `importRule`."),
        Field("allocation", \.allocation, about: "Of kind `allocation`."),
        Field("account", \.account, about: "Of kind `account`."),
        Field("transaction", \.transaction, about: "Of kind `transaction`."),
        Field(
            "attachments",
            \.attachments,
            about: "Of kind `transaction`: all that it has, oldest first."
        )
    )
}

/// A page of what has changed.
public struct ChangePage: JSONObject, Hashable {
    public let items: [ChangeItem]
    public let next: Cursor
    public let more: Bool

    public init(items: [ChangeItem], next: Cursor, more: Bool) {
        self.items = items
        self.next = next
        self.more = more
    }

    public static let json = Object(
        ChangePage.init,
        Field("items", \.items, about: "May be empty though there is more."),
        Field("next", \.next, about: "What to ask with from here on; always there."),
        Field("more", \.more, about: "Whether to ask at once.")
    )
}

/// Which changes.
public struct ChangeQuery: QueryObject, Hashable {
    public let since: Cursor?
    public let limit: Int

    public static let query = QueryFields(
        ChangeQuery.init,
        QueryField("since", \.since, about: "`next` of the last page; everything without it."),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many.")
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
