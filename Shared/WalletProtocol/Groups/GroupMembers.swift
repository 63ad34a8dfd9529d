/// What a member may do where a group has roles.
public enum GroupRole: String, StringEnum {
    /// Reads.
    case viewer
    /// Writes expenses, settlements and limits, too.
    case editor
    /// Changes the group, its members and their roles, too.
    case admin
}

/// Which members.
public struct MemberQuery: QueryObject, Hashable {
    public let hasLeft: Bool
    public let limit: Int
    public let cursor: Cursor?

    public init(hasLeft: Bool = false, limit: Int = 50, cursor: Cursor? = nil) {
        self.hasLeft = hasLeft
        self.limit = limit
        self.cursor = cursor
    }

    public static let query = QueryFields(
        MemberQuery.init,
        QueryField(
            "left",
            \.hasLeft,
            default: false,
            about: "Those, too, who are gone: what they paid and bear still names them."
        ),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}

/// Somebody without an account, for whom the others write down.
public struct NewGuest: JSONObject, Hashable {
    public let displayName: String

    public init(displayName: String) { self.displayName = displayName }

    public static let json = Object(
        NewGuest.init,
        Field("displayName", \.displayName, .line(1...80), about: "How the others call them.")
    )
}

/// What changes of a member.
public struct MemberChange: JSONObject, Hashable {
    public let role: Replace<GroupRole>
    public let displayName: Replace<String>

    public init(
        role: Replace<GroupRole> = .unchanged,
        displayName: Replace<String> = .unchanged
    ) {
        self.role = role
        self.displayName = displayName
    }

    public static let json = Object(
        MemberChange.init,
        Field("role", \.role, about: "What they may do; of a group that has roles."),
        Field("displayName", \.displayName, .line(1...80), about: "The name of a guest.")
    )
}

/// How somebody goes.
public struct LeavingQuery: QueryObject, Hashable {
    public let isForced: Bool

    public init(isForced: Bool = false) { self.isForced = isForced }

    public static let query = QueryFields(
        LeavingQuery.init,
        QueryField(
            "force",
            \.isForced,
            default: false,
            about: "Though they owe or are owed something, which stays open."
        )
    )
}

/// Somebody in a group.
public struct MemberView: JSONObject, Hashable {
    public let id: ID<Member>
    public let userID: ID<User>?
    public let displayName: String
    public let isMe: Bool
    public let role: GroupRole?
    public let joinedAt: Instant
    public let leftAt: Instant?

    public init(
        id: ID<Member>,
        userID: ID<User>? = nil,
        displayName: String,
        isMe: Bool,
        role: GroupRole? = nil,
        joinedAt: Instant,
        leftAt: Instant? = nil
    ) {
        self.id = id
        self.userID = userID
        self.displayName = displayName
        self.isMe = isMe
        self.role = role
        self.joinedAt = joinedAt
        self.leftAt = leftAt
    }

    public static let json = Object(
        MemberView.init,
        Field("id", \.id, about: "The place in the group."),
        Field("userId", \.userID, about: "Who; nobody for a guest."),
        Field("displayName", \.displayName, about: "How the others see them."),
        Field("me", \.isMe, about: "Whether it is who asks."),
        Field("role", \.role, about: "What they may do, where the group has roles."),
        Field("joinedAt", \.joinedAt, about: "Since when."),
        Field("leftAt", \.leftAt, about: "Until when, of who is gone.")
    )
}

/// Who is in a group.
public enum GroupMembers {
    /// Who is in a group.
    public static let list = Endpoint<MemberQuery, NoBody, Page<MemberView>>(
        "listMembers",
        .get,
        "/v1/groups/{id}/members",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List a group's members"
    )

    /// Adds a guest.
    public static let add = Endpoint<NoQuery, NewGuest, MemberView>(
        "addGuest",
        .post,
        "/v1/groups/{id}/members",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [.notFound, .forbidden, .defaultGroup, .pairGroup, .groupArchived],
        isTagged: true,
        summary: "Add somebody without an account to a group"
    )

    /// Another role or, of a guest, another name.
    public static let change = Endpoint<NoQuery, MemberChange, MemberView>(
        "changeMember",
        .patch,
        "/v1/groups/{id}/members/{memberId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .lastAdmin, .preconditionFailed],
        isTagged: true,
        summary: "Give a member another role, or a guest another name",
        description: "A member's `ETag` is the group's, which counts who is in it, too."
    )

    /// Ends a membership.
    public static let remove = Endpoint<LeavingQuery, NoBody, NoView>(
        "removeMember",
        .delete,
        "/v1/groups/{id}/members/{memberId}",
        of: .groups,
        for: .user,
        errors: [
            .notFound, .forbidden, .defaultGroup, .unsettledBalance, .preconditionFailed,
        ],
        summary: "Leave a group (`me`), or remove somebody from it",
        description:
            "What they paid and bear stays with their place, which they have again if they come "
            + "back. The last one with an account who leaves takes the group along. `If-Match` "
            + "takes the group's `ETag`."
    )

    /// Parts a member and the guest who was merged into them.
    public static let undoMerge = Endpoint<NoQuery, NoBody, NoView>(
        "undoGuestMerge",
        .post,
        "/v1/groups/{id}/members/{memberId}/undo",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .undoExpired, .memberHasLeft],
        summary: "Undo the merge of a guest into a member, within ten minutes",
        description: "Names the guest. Their payments, shares and settlements are the guest's "
            + "again; an expense or a recurrence that was changed since stays the member's."
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        list.erased, add.erased, change.erased, remove.erased, undoMerge.erased,
    ]
}
