/// What a line of the feed tells of.
public enum NotificationKind: String, StringEnum {
    /// A group has spent more than its limit.
    case thresholdCrossed = "threshold-crossed"
    /// Somebody invites.
    case invitationReceived = "invitation-received"
    /// Somebody has answered an invitation.
    case invitationAnswered = "invitation-answered"
    /// A shared expense was added.
    case expenseAdded = "expense-added"
    /// A debt was paid back.
    case settlementRecorded = "settlement-recorded"
    /// More was spent of a category than was set aside for it.
    case budgetExceeded = "budget-exceeded"
    /// A recurring transaction was refused.
    case recurrenceSkipped = "recurrence-skipped"
}

/// A line of the feed.
public struct NotificationView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<FeedNotification>
    /// What it tells of.
    public let kind: NotificationKind
    /// In the user's language.
    public let title: String
    /// In the user's language.
    public let text: String
    /// The group, where it is of one.
    public let groupID: ID<Group>?
    /// The account, where it is of one.
    public let accountID: ID<Account>?
    /// Which folder, where it is about one.
    public let folderID: ID<Folder>?
    /// The category, where it is of one.
    public let categoryID: CategoryID?
    /// The recurrence, where it is of one.
    public let recurrenceID: ID<Recurrence>?
    /// The amount, where it is of one.
    public let amount: Total?
    /// When.
    public let createdAt: Instant
    /// When it was read.
    public let readAt: Instant?

    /// All of it.
    public init(
        id: ID<FeedNotification>,
        kind: NotificationKind,
        title: String,
        text: String,
        groupID: ID<Group>? = nil,
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        categoryID: CategoryID? = nil,
        recurrenceID: ID<Recurrence>? = nil,
        amount: Total? = nil,
        createdAt: Instant,
        readAt: Instant? = nil
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.text = text
        self.groupID = groupID
        self.accountID = accountID
        self.folderID = folderID
        self.categoryID = categoryID
        self.recurrenceID = recurrenceID
        self.amount = amount
        self.createdAt = createdAt
        self.readAt = readAt
    }

    /// The description.
    public static let json = Object(
        NotificationView.init,
        Field("id", \.id),
        Field("kind", \.kind),
        Field("title", \.title),
        Field("text", \.text),
        Field("groupId", \.groupID),
        Field("accountId", \.accountID),
        Field("folderId", \.folderID),
        Field("categoryId", \.categoryID),
        Field("recurrenceId", \.recurrenceID),
        Field("amount", \.amount),
        Field("createdAt", \.createdAt),
        Field("readAt", \.readAt)
    )
}

/// A page of the feed.
public struct NotificationPage: JSONObject, Hashable {
    /// The newest first.
    public let items: [NotificationView]
    /// Absent on the last page.
    public let nextCursor: Cursor?
    /// How many of the whole feed are not read.
    public let unreadCount: Int

    /// All of it.
    public init(items: [NotificationView], nextCursor: Cursor? = nil, unreadCount: Int) {
        self.items = items
        self.nextCursor = nextCursor
        self.unreadCount = unreadCount
    }

    /// The description.
    public static let json = Object(
        NotificationPage.init,
        Field("items", \.items),
        Field("nextCursor", \.nextCursor),
        Field("unreadCount", \.unreadCount)
    )
}

/// Which lines.
public struct FeedQuery: QueryObject, Hashable {
    /// Only those not read.
    public let isUnread: Bool
    /// How many.
    public let limit: Int
    /// Where the page begins.
    public let cursor: Cursor?

    /// All of it.
    public init(isUnread: Bool = false, limit: Int = 50, cursor: Cursor? = nil) {
        self.isUnread = isUnread
        self.limit = limit
        self.cursor = cursor
    }

    /// The description.
    public static let query = QueryFields(
        FeedQuery.init,
        QueryField("unread", \.isUnread, default: false),
        QueryField("limit", \.limit, .range(1...200), default: 50),
        QueryField("cursor", \.cursor)
    )
}

/// What is left to read.
public struct UnreadView: JSONObject, Hashable {
    /// How many.
    public let unreadCount: Int

    /// All of it.
    public init(unreadCount: Int) {
        self.unreadCount = unreadCount
    }

    /// The description.
    public static let json = Object(
        UnreadView.init,
        Field("unreadCount", \.unreadCount)
    )
}

/// The feed.
public enum Notifications {
    /// The feed, newest first.
    public static let list = Endpoint<FeedQuery, NoBody, NotificationPage>(
        "listNotifications",
        .get,
        "/v1/notifications",
        of: .notifications,
        for: .user,
        summary: "The feed, newest first"
    )

    /// Marks one.
    public static let read = Endpoint<NoQuery, NoBody, NotificationView>(
        "readNotification",
        .post,
        "/v1/notifications/{id}/read",
        of: .notifications,
        for: .user,
        errors: [.notFound],
        summary: "Mark as read"
    )

    /// Marks all.
    public static let readAll = Endpoint<NoQuery, NoBody, UnreadView>(
        "readAllNotifications",
        .post,
        "/v1/notifications/read-all",
        of: .notifications,
        for: .user,
        summary: "Mark all as read"
    )

    /// The feed as it grows.
    public static let stream = Endpoint<NoQuery, NoBody, NotificationView>(
        "streamNotifications",
        .get,
        "/v1/notifications/stream",
        of: .notifications,
        for: .user,
        response: .eventStream,
        summary: "The feed as it grows",
        description: """
            Server-sent events: `id` is the notification's, `event` its kind, `data` the \
            notification. `Last-Event-ID` resumes after one.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        list.erased, read.erased, readAll.erased, stream.erased,
    ]
}
