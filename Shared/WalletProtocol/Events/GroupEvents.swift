/// A group is there.
public struct GroupCreated: EventBody, Hashable {
    /// `group.created`.
    public static let eventType = "group.created"
    public let groupID: ID<Group>
    public let currency: Currency
    public let isPersonal: Bool
    public let createdBy: ID<User>
    public let createdAt: Instant

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

    public static let json = Object(
        GroupCreated.init,
        Field("groupId", \.groupID, about: "The group."),
        Field("currency", \.currency, about: "Its currency."),
        Field(
            "isPersonal",
            \.isPersonal,
            default: false,
            about: "Whether it is a user's group of one."
        ),
        Field("createdBy", \.createdBy, about: "Who made it."),
        Field("createdAt", \.createdAt, about: "When.")
    )
}

/// A group is not what it was.
public struct GroupChanged: EventBody, Hashable {
    /// `group.changed`.
    public static let eventType = "group.changed"
    public let groupID: ID<Group>
    public let currency: Currency
    public let isDeleted: Bool

    public init(groupID: ID<Group>, currency: Currency, isDeleted: Bool = false) {
        self.groupID = groupID
        self.currency = currency
        self.isDeleted = isDeleted
    }

    public static let json = Object(
        GroupChanged.init,
        Field("groupId", \.groupID, about: "The group."),
        Field("currency", \.currency, about: "Its currency."),
        Field("isDeleted", \.isDeleted, default: false, about: "Whether it is gone.")
    )
}

/// Somebody is in a group.
public struct GroupMemberJoined: EventBody, Hashable {
    /// `group.member.joined`.
    public static let eventType = "group.member.joined"
    public let groupID: ID<Group>
    public let memberID: ID<Member>
    public let userID: ID<User>?
    public let joinedAt: Instant
    /// Nil in what was told before it was: whoever needs it asks for the snapshot.
    public let isPersonal: Bool?

    public init(
        groupID: ID<Group>,
        memberID: ID<Member>,
        userID: ID<User>? = nil,
        joinedAt: Instant,
        isPersonal: Bool? = false
    ) {
        self.groupID = groupID
        self.memberID = memberID
        self.userID = userID
        self.joinedAt = joinedAt
        self.isPersonal = isPersonal
    }

    public static let json = Object(
        GroupMemberJoined.init,
        Field("groupId", \.groupID, about: "The group."),
        Field("memberId", \.memberID, about: "The place in it."),
        Field("userId", \.userID, about: "Who; nobody for a guest."),
        Field("joinedAt", \.joinedAt, about: "When."),
        Field("isPersonal", \.isPersonal, about: "Whether it is a user's group of one.")
    )
}

/// Somebody is no longer in a group.
public struct GroupMemberLeft: EventBody, Hashable {
    /// `group.member.left`.
    public static let eventType = "group.member.left"
    public let groupID: ID<Group>
    public let memberID: ID<Member>
    public let userID: ID<User>?
    public let leftAt: Instant

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

    public static let json = Object(
        GroupMemberLeft.init,
        Field("groupId", \.groupID, about: "The group."),
        Field("memberId", \.memberID, about: "The place in it."),
        Field("userId", \.userID, about: "Who; nobody for a guest."),
        Field("leftAt", \.leftAt, about: "When.")
    )
}

/// A guest turned out to be a member, or that is undone.
public struct GroupGuestMerged: EventBody, Hashable {
    /// `group.guest.merged`.
    public static let eventType = "group.guest.merged"
    public let groupID: ID<Group>
    public let guestID: ID<Member>
    public let memberID: ID<Member>
    public let mergedBy: ID<User>
    public let isUndone: Bool
    public let userIDs: [ID<User>]

    public init(
        groupID: ID<Group>,
        guestID: ID<Member>,
        memberID: ID<Member>,
        mergedBy: ID<User>,
        isUndone: Bool,
        userIDs: [ID<User>]
    ) {
        self.groupID = groupID
        self.guestID = guestID
        self.memberID = memberID
        self.mergedBy = mergedBy
        self.isUndone = isUndone
        self.userIDs = userIDs
    }

    public static let json = Object(
        GroupGuestMerged.init,
        Field("groupId", \.groupID, about: "The group."),
        Field("guestId", \.guestID, about: "The guest's place."),
        Field("memberId", \.memberID, about: "The member's place."),
        Field("mergedBy", \.mergedBy, about: "Who merged the two, or undid it."),
        Field("undone", \.isUndone, about: "Whether it is undone."),
        Field("userIds", \.userIDs, about: "Whom to tell.")
    )
}

/// Somebody is asked to join.
public struct InvitationSent: EventBody, Hashable {
    /// `group.invitation.sent`.
    public static let eventType = "group.invitation.sent"
    public let invitationID: ID<Invitation>
    public let groupID: ID<Group>?
    public let accountID: ID<Account>?
    public let folderID: ID<Folder>?
    public let familyID: ID<Family>?
    public let userID: ID<User>?
    public let invitedBy: ID<User>

    public init(
        invitationID: ID<Invitation>,
        groupID: ID<Group>? = nil,
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        familyID: ID<Family>? = nil,
        userID: ID<User>? = nil,
        invitedBy: ID<User>
    ) {
        self.invitationID = invitationID
        self.groupID = groupID
        self.accountID = accountID
        self.folderID = folderID
        self.familyID = familyID
        self.userID = userID
        self.invitedBy = invitedBy
    }

    public static let json = Object(
        InvitationSent.init,
        Field("invitationId", \.invitationID, about: "The invitation."),
        Field("groupId", \.groupID, about: "The group, where it is for one."),
        Field("accountId", \.accountID, about: "The wallet, where it is for one."),
        Field("folderId", \.folderID, about: "The folder, where it is for one."),
        Field("familyId", \.familyID, about: "The family, where it is for one."),
        Field("userId", \.userID, about: "Who, where they have an account."),
        Field("invitedBy", \.invitedBy, about: "By whom.")
    )
}

/// An invitation has been accepted or rejected.
public struct InvitationAnswered: EventBody, Hashable {
    /// `group.invitation.answered`.
    public static let eventType = "group.invitation.answered"
    public let invitationID: ID<Invitation>
    public let groupID: ID<Group>?
    public let accountID: ID<Account>?
    public let folderID: ID<Folder>?
    public let familyID: ID<Family>?
    public let userID: ID<User>?
    public let invitedBy: ID<User>
    public let isAccepted: Bool

    public init(
        invitationID: ID<Invitation>,
        groupID: ID<Group>? = nil,
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        familyID: ID<Family>? = nil,
        userID: ID<User>? = nil,
        invitedBy: ID<User>,
        isAccepted: Bool
    ) {
        self.invitationID = invitationID
        self.groupID = groupID
        self.accountID = accountID
        self.folderID = folderID
        self.familyID = familyID
        self.userID = userID
        self.invitedBy = invitedBy
        self.isAccepted = isAccepted
    }

    public static let json = Object(
        InvitationAnswered.init,
        Field("invitationId", \.invitationID, about: "The invitation."),
        Field("groupId", \.groupID, about: "The group, where it is for one."),
        Field("accountId", \.accountID, about: "The wallet, where it is for one."),
        Field("folderId", \.folderID, about: "The folder, where it is for one."),
        Field("familyId", \.familyID, about: "The family, where it is for one."),
        Field(
            "userId",
            \.userID,
            about: "Who answered; absent if an invitation to an e-mail address is rejected."
        ),
        Field("invitedBy", \.invitedBy, about: "Whom to tell."),
        Field("accepted", \.isAccepted, about: "Whether they come.")
    )
}

/// What one member of an expense paid and owes.
public struct UserShare: JSONObject, Hashable {
    public let memberID: ID<Member>
    public let userID: ID<User>?
    public let paid: Money
    public let owed: Money

    public init(memberID: ID<Member>, userID: ID<User>? = nil, paid: Money, owed: Money) {
        self.memberID = memberID
        self.userID = userID
        self.paid = paid
        self.owed = owed
    }

    public static let json = Object(
        UserShare.init,
        Field("memberId", \.memberID, about: "The member."),
        Field("userId", \.userID, about: "Who; nobody for a guest."),
        Field("paid", \.paid, about: "What they paid."),
        Field("owed", \.owed, about: "What they bear.")
    )
}

/// A shared expense is there.
public struct GroupExpenseAdded: EventBody, Hashable {
    /// `group.expense.added`.
    public static let eventType = "group.expense.added"
    public let expenseID: ID<Expense>
    public let groupID: ID<Group>
    public let amount: Money
    public let day: Day
    public let categoryID: ID<GroupCategory>?
    public let coicop: Coicop?
    public let splitKind: SplitKind?
    public let shares: [UserShare]
    public let addedBy: ID<User>
    public let isImported: Bool
    public let isMadeUpFor: Bool

    public init(
        expenseID: ID<Expense>,
        groupID: ID<Group>,
        amount: Money,
        day: Day,
        categoryID: ID<GroupCategory>? = nil,
        coicop: Coicop? = nil,
        splitKind: SplitKind? = nil,
        shares: [UserShare],
        addedBy: ID<User>,
        isImported: Bool = false,
        isMadeUpFor: Bool = false
    ) {
        self.expenseID = expenseID
        self.groupID = groupID
        self.amount = amount
        self.day = day
        self.categoryID = categoryID
        self.coicop = coicop
        self.splitKind = splitKind
        self.shares = shares
        self.addedBy = addedBy
        self.isImported = isImported
        self.isMadeUpFor = isMadeUpFor
    }

    public static let json = Object(
        GroupExpenseAdded.init,
        Field("expenseId", \.expenseID, about: "The expense."),
        Field("groupId", \.groupID, about: "The group."),
        Field("amount", \.amount, about: "All of it."),
        Field("day", \.day, about: "The day of it."),
        Field("categoryId", \.categoryID, about: "The group's category; none: «Others»."),
        Field("coicop", \.coicop, about: "The category's division."),
        Field("splitKind", \.splitKind, about: "How it was split; absent where it was not."),
        Field("shares", \.shares, about: "Who paid and who bears it."),
        Field("addedBy", \.addedBy, about: "Who wrote it down."),
        Field(
            "imported",
            \.isImported,
            default: false,
            about: "Whether it is one of many of an import, which is told of once."
        ),
        Field(
            "madeUpFor",
            \.isMadeUpFor,
            default: false,
            about: "Whether it is of a day that has passed of a recurrence of which a newer one is "
                + "due already, and is told of."
        )
    )
}

/// A shared expense is not what it was, or is back; as it is now.
public struct GroupExpenseChanged: EventBody, Hashable {
    /// `group.expense.changed`.
    public static let eventType = "group.expense.changed"
    public let expenseID: ID<Expense>
    public let groupID: ID<Group>
    public let amount: Money
    public let day: Day
    public let categoryID: ID<GroupCategory>?
    public let coicop: Coicop?
    public let splitKind: SplitKind?
    public let shares: [UserShare]
    public let changedBy: ID<User>

    public init(
        expenseID: ID<Expense>,
        groupID: ID<Group>,
        amount: Money,
        day: Day,
        categoryID: ID<GroupCategory>? = nil,
        coicop: Coicop? = nil,
        splitKind: SplitKind? = nil,
        shares: [UserShare],
        changedBy: ID<User>
    ) {
        self.expenseID = expenseID
        self.groupID = groupID
        self.amount = amount
        self.day = day
        self.categoryID = categoryID
        self.coicop = coicop
        self.splitKind = splitKind
        self.shares = shares
        self.changedBy = changedBy
    }

    public static let json = Object(
        GroupExpenseChanged.init,
        Field("expenseId", \.expenseID, about: "The expense."),
        Field("groupId", \.groupID, about: "The group."),
        Field("amount", \.amount, about: "All of it."),
        Field("day", \.day, about: "The day of it."),
        Field("categoryId", \.categoryID, about: "The group's category; none: «Others»."),
        Field("coicop", \.coicop, about: "The category's division."),
        Field("splitKind", \.splitKind, about: "How it was split; absent where it was not."),
        Field("shares", \.shares, about: "Who paid and who bears it."),
        Field("changedBy", \.changedBy, about: "Who changed it.")
    )
}

/// A shared expense is gone.
public struct GroupExpenseRemoved: EventBody, Hashable {
    /// `group.expense.removed`.
    public static let eventType = "group.expense.removed"
    public let expenseID: ID<Expense>
    public let groupID: ID<Group>
    public let amount: Money?
    public let day: Day?
    public let categoryID: ID<GroupCategory>?
    public let coicop: Coicop?
    public let splitKind: SplitKind?
    public let userIDs: [ID<User>]
    public let removedBy: ID<User>

    public init(
        expenseID: ID<Expense>,
        groupID: ID<Group>,
        amount: Money? = nil,
        day: Day? = nil,
        categoryID: ID<GroupCategory>? = nil,
        coicop: Coicop? = nil,
        splitKind: SplitKind? = nil,
        userIDs: [ID<User>] = [],
        removedBy: ID<User>
    ) {
        self.expenseID = expenseID
        self.groupID = groupID
        self.amount = amount
        self.day = day
        self.categoryID = categoryID
        self.coicop = coicop
        self.splitKind = splitKind
        self.userIDs = userIDs
        self.removedBy = removedBy
    }

    public static let json = Object(
        GroupExpenseRemoved.init,
        Field("expenseId", \.expenseID, about: "The expense."),
        Field("groupId", \.groupID, about: "The group."),
        Field("amount", \.amount, about: "All of it."),
        Field("day", \.day, about: "The day of it."),
        Field("categoryId", \.categoryID, about: "The group's category; none: «Others»."),
        Field("coicop", \.coicop, about: "The category's division."),
        Field("splitKind", \.splitKind, about: "How it was split; absent where it was not."),
        Field("userIds", \.userIDs, default: [], about: "Who paid for it or bore it."),
        Field("removedBy", \.removedBy, about: "Who took it away.")
    )
}

/// Something was said about a shared expense.
public struct GroupExpenseCommented: EventBody, Hashable {
    /// `group.expense.commented`.
    public static let eventType = "group.expense.commented"
    public let commentID: ID<ExpenseComment>
    public let expenseID: ID<Expense>
    public let groupID: ID<Group>
    public let amount: Money
    public let commentedBy: ID<User>
    public let userIDs: [ID<User>]

    public init(
        commentID: ID<ExpenseComment>,
        expenseID: ID<Expense>,
        groupID: ID<Group>,
        amount: Money,
        commentedBy: ID<User>,
        userIDs: [ID<User>]
    ) {
        self.commentID = commentID
        self.expenseID = expenseID
        self.groupID = groupID
        self.amount = amount
        self.commentedBy = commentedBy
        self.userIDs = userIDs
    }

    public static let json = Object(
        GroupExpenseCommented.init,
        Field("commentId", \.commentID, about: "The comment."),
        Field("expenseId", \.expenseID, about: "The expense."),
        Field("groupId", \.groupID, about: "The group."),
        Field("amount", \.amount, about: "All of the expense."),
        Field("commentedBy", \.commentedBy, about: "Who said it."),
        Field("userIds", \.userIDs, about: "Whom to tell.")
    )
}
