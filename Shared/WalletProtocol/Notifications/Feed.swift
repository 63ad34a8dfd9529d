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
    /// A shared expense was changed, or is back.
    case expenseChanged = "expense-changed"
    /// A shared expense was deleted.
    case expenseRemoved = "expense-removed"
    /// Something was said about a shared expense.
    case expenseCommented = "expense-commented"
    /// A debt was paid back.
    case settlementRecorded = "settlement-recorded"
    /// A settlement was taken back.
    case settlementRemoved = "settlement-removed"
    /// A guest of a group turned out to be a member.
    case guestMerged = "guest-merged"
    /// A guest of a group is a guest again.
    case guestRestored = "guest-restored"
    /// Expenses of another app were taken in.
    case groupImported = "group-imported"
    /// More was spent of a category than was set aside for it.
    case budgetExceeded = "budget-exceeded"
    /// One's child has spent more of a category than was set aside for it.
    case childOverspent = "child-overspent"
    /// Another parent agrees to a member's new role, or the role has changed.
    case familyRole = "family-role"
    /// A limit refused what would have left one's child's account.
    case limitRefused = "limit-refused"
    /// Something that had left one's child's account was deleted, lowered, moved or paid back.
    case childDeleted = "child-deleted"
    /// One's child has deleted its user account, and its limits have ended with it.
    case limitLost = "limit-lost"
    /// More was spent of an envelope of one's family than was in it.
    case householdExceeded = "household-exceeded"
    /// One's child asks for a purchase.
    case approvalAsked = "approval-asked"
    /// What one asked for is decided, or what one decided could not be posted.
    case approvalEnded = "approval-ended"
    /// A recurring transaction was refused.
    case recurrenceSkipped = "recurrence-skipped"
    /// A recurring shared expense was refused.
    case expenseSkipped = "expense-skipped"
    /// What one has posted of a shared expense is not what it is any more.
    case expenseLinkOutdated = "expense-link-outdated"
    /// What one has posted of a shared expense that was never written down stays with one.
    case postingKept = "posting-kept"
    /// A standing order could not be paid.
    case standingOrderSkipped = "standing-order-skipped"
    /// An allowance that comes again has come.
    case allowancePaid = "allowance-paid"
    /// An allowance that one pays again and again was refused.
    case allowanceSkipped = "allowance-skipped"
    /// Somebody has sent money.
    case transferReceived = "transfer-received"
}

/// A line of the feed.
public struct NotificationView: JSONObject, Hashable {
    public let id: ID<FeedNotification>
    public let kind: NotificationKind
    public let title: String
    public let text: String
    public let groupID: ID<Group>?
    public let familyID: ID<Family>?
    public let accountID: ID<Account>?
    public let folderID: ID<Folder>?
    public let invitationID: ID<Invitation>?
    public let categoryID: CategoryID?
    public let recurrenceID: ID<Recurrence>?
    public let standingOrderID: ID<StandingOrder>?
    public let approvalID: ID<Approval>?
    public let envelopeID: ID<HouseholdEnvelope>?
    public let amount: Total?
    public let userID: ID<User>?
    public let isAccepted: Bool?
    public let createdAt: Instant
    public let readAt: Instant?

    public init(
        id: ID<FeedNotification>,
        kind: NotificationKind,
        title: String,
        text: String,
        groupID: ID<Group>? = nil,
        familyID: ID<Family>? = nil,
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        invitationID: ID<Invitation>? = nil,
        categoryID: CategoryID? = nil,
        recurrenceID: ID<Recurrence>? = nil,
        standingOrderID: ID<StandingOrder>? = nil,
        approvalID: ID<Approval>? = nil,
        envelopeID: ID<HouseholdEnvelope>? = nil,
        amount: Total? = nil,
        userID: ID<User>? = nil,
        isAccepted: Bool? = nil,
        createdAt: Instant,
        readAt: Instant? = nil
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.text = text
        self.groupID = groupID
        self.familyID = familyID
        self.accountID = accountID
        self.folderID = folderID
        self.invitationID = invitationID
        self.categoryID = categoryID
        self.recurrenceID = recurrenceID
        self.standingOrderID = standingOrderID
        self.approvalID = approvalID
        self.envelopeID = envelopeID
        self.amount = amount
        self.userID = userID
        self.isAccepted = isAccepted
        self.createdAt = createdAt
        self.readAt = readAt
    }

    public static let json = Object(
        NotificationView.init,
        Field("id", \.id, about: "The identifier."),
        Field("kind", \.kind, about: "What it tells of."),
        Field("title", \.title, about: "In the user's language."),
        Field("text", \.text, about: "In the user's language."),
        Field("groupId", \.groupID, about: "The group, where it is of one."),
        Field("familyId", \.familyID, about: "The family, where an invitation is to one."),
        Field("accountId", \.accountID, about: "The account, where it is of one."),
        Field("folderId", \.folderID, about: "Which folder, where it is about one."),
        Field(
            "invitationId",
            \.invitationID,
            about: "The invitation, where it is of one: reading it tells to what it is, and the "
                + "name of who has answered."
        ),
        Field("categoryId", \.categoryID, about: "The category, where it is of one."),
        Field("recurrenceId", \.recurrenceID, about: "The recurrence, where it is of one."),
        Field(
            "standingOrderId",
            \.standingOrderID,
            about: "The standing order, where it is of one."
        ),
        Field("approvalId", \.approvalID, about: "What a child asks for, where it is of that."),
        Field("envelopeId", \.envelopeID, about: "The family's envelope, where it is of one."),
        Field("amount", \.amount, about: "The amount, where it is of one."),
        Field(
            "userId",
            \.userID,
            about: "Who answered, commented, imported, asks, pays, or took a settlement back."
        ),
        Field("accepted", \.isAccepted, about: "Whether the answer is yes, where it is of one."),
        Field("createdAt", \.createdAt, about: "When."),
        Field("readAt", \.readAt, about: "When it was read.")
    )
}

/// A page of the feed.
public struct NotificationPage: JSONObject, Hashable {
    private let list: PageItems<NotificationView>
    public let nextCursor: Cursor?
    public let unreadCount: Int

    /// The notifications.
    public var items: [NotificationView] { list.items }

    public init(_ list: PageItems<NotificationView>, nextCursor: Cursor?, unreadCount: Int) {
        self.list = list
        self.nextCursor = nextCursor
        self.unreadCount = unreadCount
    }

    public static let json = Object(
        NotificationPage.init,
        Field(
            "items",
            \.list,
            about: "The newest first: fewer than `limit` where they are long together, which "
                + "`nextCursor` shows."
        ),
        Field("nextCursor", \.nextCursor, about: "Absent on the last page."),
        Field("unreadCount", \.unreadCount, about: "How many of the whole feed are not read.")
    )
}

/// Which lines.
public struct FeedQuery: QueryObject, Hashable {
    public let isUnread: Bool
    public let limit: Int
    public let cursor: Cursor?

    public static let query = QueryFields(
        FeedQuery.init,
        QueryField("unread", \.isUnread, default: false, about: "Only those not read."),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}

/// What is left to read.
public struct UnreadView: JSONObject, Hashable {
    public let unreadCount: Int

    public init(unreadCount: Int) {
        self.unreadCount = unreadCount
    }

    public static let json = Object(
        UnreadView.init,
        Field("unreadCount", \.unreadCount, about: "How many.")
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
