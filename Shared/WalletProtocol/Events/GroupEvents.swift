/// A group is there.
public struct GroupCreated: EventBody, Hashable {
    /// `group.created`.
    public static let eventType = "group.created"
    /// The group.
    public let groupID: ID<Group>
    /// Its currency.
    public let currency: Currency
    /// Whether it is a user's group of one.
    public let isPersonal: Bool
    /// Who made it.
    public let createdBy: ID<User>
    /// When.
    public let createdAt: Instant

    /// All of it.
    public init(
        groupID: ID<Group>,
        currency: Currency,
        isPersonal: Bool = false,
        createdBy: ID<User>,
        createdAt: Instant
    ) {
        self.groupID = groupID
        self.currency = currency
        self.isPersonal = isPersonal
        self.createdBy = createdBy
        self.createdAt = createdAt
    }

    /// The description.
    public static let json = Object(
        GroupCreated.init,
        Field("groupId", \.groupID),
        Field("currency", \.currency),
        Field("isPersonal", \.isPersonal, default: false),
        Field("createdBy", \.createdBy),
        Field("createdAt", \.createdAt)
    )
}

/// A group is not what it was.
public struct GroupChanged: EventBody, Hashable {
    /// `group.changed`.
    public static let eventType = "group.changed"
    /// The group.
    public let groupID: ID<Group>
    /// Its currency.
    public let currency: Currency
    /// Whether it is gone.
    public let isDeleted: Bool

    /// All of it.
    public init(groupID: ID<Group>, currency: Currency, isDeleted: Bool = false) {
        self.groupID = groupID
        self.currency = currency
        self.isDeleted = isDeleted
    }

    /// The description.
    public static let json = Object(
        GroupChanged.init,
        Field("groupId", \.groupID),
        Field("currency", \.currency),
        Field("isDeleted", \.isDeleted, default: false)
    )
}

/// Somebody is in a group.
public struct GroupMemberJoined: EventBody, Hashable {
    /// `group.member.joined`.
    public static let eventType = "group.member.joined"
    /// The group.
    public let groupID: ID<Group>
    /// The place in it.
    public let memberID: ID<Member>
    /// Who; nobody for a guest.
    public let userID: ID<User>?
    /// When.
    public let joinedAt: Instant

    /// All of it.
    public init(
        groupID: ID<Group>,
        memberID: ID<Member>,
        userID: ID<User>? = nil,
        joinedAt: Instant
    ) {
        self.groupID = groupID
        self.memberID = memberID
        self.userID = userID
        self.joinedAt = joinedAt
    }

    /// The description.
    public static let json = Object(
        GroupMemberJoined.init,
        Field("groupId", \.groupID),
        Field("memberId", \.memberID),
        Field("userId", \.userID),
        Field("joinedAt", \.joinedAt)
    )
}

/// Somebody is no longer in a group.
public struct GroupMemberLeft: EventBody, Hashable {
    /// `group.member.left`.
    public static let eventType = "group.member.left"
    /// The group.
    public let groupID: ID<Group>
    /// The place in it.
    public let memberID: ID<Member>
    /// Who; nobody for a guest.
    public let userID: ID<User>?
    /// When.
    public let leftAt: Instant

    /// All of it.
    public init(
        groupID: ID<Group>,
        memberID: ID<Member>,
        userID: ID<User>? = nil,
        leftAt: Instant
    ) {
        self.groupID = groupID
        self.memberID = memberID
        self.userID = userID
        self.leftAt = leftAt
    }

    /// The description.
    public static let json = Object(
        GroupMemberLeft.init,
        Field("groupId", \.groupID),
        Field("memberId", \.memberID),
        Field("userId", \.userID),
        Field("leftAt", \.leftAt)
    )
}

/// Somebody is asked to join.
public struct InvitationSent: EventBody, Hashable {
    /// `group.invitation.sent`.
    public static let eventType = "group.invitation.sent"
    /// The invitation.
    public let invitationID: ID<Invitation>
    /// The group, where it is for one.
    public let groupID: ID<Group>?
    /// The wallet, where it is for one.
    public let accountID: ID<Account>?
    /// The folder, where it is for one.
    public let folderID: ID<Folder>?
    /// Who, where they have an account.
    public let userID: ID<User>?
    /// By whom.
    public let invitedBy: ID<User>

    /// All of it.
    public init(
        invitationID: ID<Invitation>,
        groupID: ID<Group>? = nil,
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        userID: ID<User>? = nil,
        invitedBy: ID<User>
    ) {
        self.invitationID = invitationID
        self.groupID = groupID
        self.accountID = accountID
        self.folderID = folderID
        self.userID = userID
        self.invitedBy = invitedBy
    }

    /// The description.
    public static let json = Object(
        InvitationSent.init,
        Field("invitationId", \.invitationID),
        Field("groupId", \.groupID),
        Field("accountId", \.accountID),
        Field("folderId", \.folderID),
        Field("userId", \.userID),
        Field("invitedBy", \.invitedBy)
    )
}

/// An invitation has been accepted or rejected.
public struct InvitationAnswered: EventBody, Hashable {
    /// `group.invitation.answered`.
    public static let eventType = "group.invitation.answered"
    /// The invitation.
    public let invitationID: ID<Invitation>
    /// The group, where it is for one.
    public let groupID: ID<Group>?
    /// The wallet, where it is for one.
    public let accountID: ID<Account>?
    /// The folder, where it is for one.
    public let folderID: ID<Folder>?
    /// Who answered.
    public let userID: ID<User>
    /// Whom to tell.
    public let invitedBy: ID<User>
    /// Whether they come.
    public let isAccepted: Bool

    /// All of it.
    public init(
        invitationID: ID<Invitation>,
        groupID: ID<Group>? = nil,
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        userID: ID<User>,
        invitedBy: ID<User>,
        isAccepted: Bool
    ) {
        self.invitationID = invitationID
        self.groupID = groupID
        self.accountID = accountID
        self.folderID = folderID
        self.userID = userID
        self.invitedBy = invitedBy
        self.isAccepted = isAccepted
    }

    /// The description.
    public static let json = Object(
        InvitationAnswered.init,
        Field("invitationId", \.invitationID),
        Field("groupId", \.groupID),
        Field("accountId", \.accountID),
        Field("folderId", \.folderID),
        Field("userId", \.userID),
        Field("invitedBy", \.invitedBy),
        Field("accepted", \.isAccepted)
    )
}

/// What one member of an expense paid and owes.
public struct UserShare: JSONObject, Hashable {
    /// The member.
    public let memberID: ID<Member>
    /// Who; nobody for a guest.
    public let userID: ID<User>?
    /// What they paid.
    public let paid: Money
    /// What they bear.
    public let owed: Money

    /// All of it.
    public init(memberID: ID<Member>, userID: ID<User>? = nil, paid: Money, owed: Money) {
        self.memberID = memberID
        self.userID = userID
        self.paid = paid
        self.owed = owed
    }

    /// The description.
    public static let json = Object(
        UserShare.init,
        Field("memberId", \.memberID),
        Field("userId", \.userID),
        Field("paid", \.paid),
        Field("owed", \.owed)
    )
}

/// A shared expense is there.
public struct GroupExpenseAdded: EventBody, Hashable {
    /// `group.expense.added`.
    public static let eventType = "group.expense.added"
    /// The expense.
    public let expenseID: ID<Expense>
    /// The group.
    public let groupID: ID<Group>
    /// All of it.
    public let amount: Money
    /// The day of it.
    public let day: Day
    /// Who paid and who bears it.
    public let shares: [UserShare]
    /// Who wrote it down.
    public let addedBy: ID<User>

    /// All of it.
    public init(
        expenseID: ID<Expense>,
        groupID: ID<Group>,
        amount: Money,
        day: Day,
        shares: [UserShare],
        addedBy: ID<User>
    ) {
        self.expenseID = expenseID
        self.groupID = groupID
        self.amount = amount
        self.day = day
        self.shares = shares
        self.addedBy = addedBy
    }

    /// The description.
    public static let json = Object(
        GroupExpenseAdded.init,
        Field("expenseId", \.expenseID),
        Field("groupId", \.groupID),
        Field("amount", \.amount),
        Field("day", \.day),
        Field("shares", \.shares),
        Field("addedBy", \.addedBy)
    )
}

/// A shared expense is not what it was; as it is now.
public struct GroupExpenseChanged: EventBody, Hashable {
    /// `group.expense.changed`.
    public static let eventType = "group.expense.changed"
    /// The expense.
    public let expenseID: ID<Expense>
    /// The group.
    public let groupID: ID<Group>
    /// All of it.
    public let amount: Money
    /// The day of it.
    public let day: Day
    /// Who paid and who bears it.
    public let shares: [UserShare]
    /// Who changed it.
    public let changedBy: ID<User>

    /// All of it.
    public init(
        expenseID: ID<Expense>,
        groupID: ID<Group>,
        amount: Money,
        day: Day,
        shares: [UserShare],
        changedBy: ID<User>
    ) {
        self.expenseID = expenseID
        self.groupID = groupID
        self.amount = amount
        self.day = day
        self.shares = shares
        self.changedBy = changedBy
    }

    /// The description.
    public static let json = Object(
        GroupExpenseChanged.init,
        Field("expenseId", \.expenseID),
        Field("groupId", \.groupID),
        Field("amount", \.amount),
        Field("day", \.day),
        Field("shares", \.shares),
        Field("changedBy", \.changedBy)
    )
}

/// A shared expense is gone.
public struct GroupExpenseRemoved: EventBody, Hashable {
    /// `group.expense.removed`.
    public static let eventType = "group.expense.removed"
    /// The expense.
    public let expenseID: ID<Expense>
    /// The group.
    public let groupID: ID<Group>
    /// Who took it away.
    public let removedBy: ID<User>

    /// All of it.
    public init(expenseID: ID<Expense>, groupID: ID<Group>, removedBy: ID<User>) {
        self.expenseID = expenseID
        self.groupID = groupID
        self.removedBy = removedBy
    }

    /// The description.
    public static let json = Object(
        GroupExpenseRemoved.init,
        Field("expenseId", \.expenseID),
        Field("groupId", \.groupID),
        Field("removedBy", \.removedBy)
    )
}

/// A debt has been paid back.
public struct GroupSettlementRecorded: EventBody, Hashable {
    /// `group.settlement.recorded`.
    public static let eventType = "group.settlement.recorded"
    /// The settlement.
    public let settlementID: ID<Settlement>
    /// The group.
    public let groupID: ID<Group>
    /// Who paid whom, one a currency.
    public let payments: [SettlementPart]
    /// Who wrote it down.
    public let recordedBy: ID<User>
    /// Whom to tell.
    public let userIDs: [ID<User>]

    /// All of it.
    public init(
        settlementID: ID<Settlement>,
        groupID: ID<Group>,
        payments: [SettlementPart],
        recordedBy: ID<User>,
        userIDs: [ID<User>]
    ) {
        self.settlementID = settlementID
        self.groupID = groupID
        self.payments = payments
        self.recordedBy = recordedBy
        self.userIDs = userIDs
    }

    /// The description.
    public static let json = Object(
        GroupSettlementRecorded.init,
        Field("settlementId", \.settlementID),
        Field("groupId", \.groupID),
        Field("payments", \.payments),
        Field("recordedBy", \.recordedBy),
        Field("userIds", \.userIDs)
    )
}

/// A group has spent more than it wanted to; told once per period.
public struct GroupThresholdCrossed: EventBody, Hashable {
    /// `group.threshold.crossed`.
    public static let eventType = "group.threshold.crossed"
    /// The limit.
    public let thresholdID: ID<Threshold>
    /// The group.
    public let groupID: ID<Group>
    /// The limit's amount.
    public let amount: Money
    /// What the group has spent in the period.
    public let spent: Total
    /// When the period began; nothing where it never ends.
    public let periodStart: Day?
    /// The members to tell.
    public let userIDs: [ID<User>]

    /// All of it.
    public init(
        thresholdID: ID<Threshold>,
        groupID: ID<Group>,
        amount: Money,
        spent: Total,
        periodStart: Day? = nil,
        userIDs: [ID<User>]
    ) {
        self.thresholdID = thresholdID
        self.groupID = groupID
        self.amount = amount
        self.spent = spent
        self.periodStart = periodStart
        self.userIDs = userIDs
    }

    /// The description.
    public static let json = Object(
        GroupThresholdCrossed.init,
        Field("thresholdId", \.thresholdID),
        Field("groupId", \.groupID),
        Field("amount", \.amount),
        Field("spent", \.spent),
        Field("periodStart", \.periodStart),
        Field("userIds", \.userIDs)
    )
}
