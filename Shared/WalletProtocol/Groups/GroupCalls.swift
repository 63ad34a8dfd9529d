/// Who is invited: by one of the two.
public struct Invitee: JSONObject, Hashable {
    public let username: String?
    public let email: String?

    public init(username: String? = nil, email: String? = nil) {
        self.username = username
        self.email = email
    }

    public static let json = Object(
        Invitee.init,
        Field("username", \.username, .line(1...64), about: "The public name."),
        Field("email", \.email, .line(3...254), about: "The address.")
    )
}

/// What a group is made with.
public struct NewGroup: JSONObject, Hashable {
    public let name: String
    public let currency: Currency?
    public let invitations: [Invitee]

    public init(name: String, currency: Currency? = nil, invitations: [Invitee] = []) {
        self.name = name
        self.currency = currency
        self.invitations = invitations
    }

    public static let json = Object(
        NewGroup.init,
        Field("name", \.name, .line(1...80), about: "The name."),
        Field(
            "currency",
            \.currency,
            about: "The currency of its totals; the user's where left out."
        ),
        Field(
            "invitations",
            \.invitations,
            .count(0...50),
            default: [],
            about: "Who is invited at once: all or nobody."
        )
    )
}

/// A group.
public struct GroupView: JSONObject, Hashable {
    public let id: ID<Group>
    public let name: String
    public let currency: Currency
    public let isPersonal: Bool
    public let memberCount: Int
    public let createdAt: Instant

    public init(
        id: ID<Group>,
        name: String,
        currency: Currency,
        isPersonal: Bool,
        memberCount: Int,
        createdAt: Instant
    ) {
        self.id = id
        self.name = name
        self.currency = currency
        self.isPersonal = isPersonal
        self.memberCount = memberCount
        self.createdAt = createdAt
    }

    public static let json = Object(
        GroupView.init,
        Field("id", \.id, about: "The identifier."),
        Field("name", \.name, about: "The name."),
        Field("currency", \.currency, about: "The currency of its totals."),
        Field("personal", \.isPersonal, about: "Whether it is the user's group of one."),
        Field("memberCount", \.memberCount, about: "How many are in it."),
        Field("createdAt", \.createdAt, about: "When it was made.")
    )
}

/// Which groups.
public struct GroupQuery: QueryObject, Hashable {
    public let words: String?
    public let limit: Int
    public let cursor: Cursor?

    public init(words: String? = nil, limit: Int = 50, cursor: Cursor? = nil) {
        self.words = words
        self.limit = limit
        self.cursor = cursor
    }

    public static let query = QueryFields(
        GroupQuery.init,
        QueryField("query", \.words, .line(1...80), about: "Words in the name."),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}

/// Somebody in a group.
public struct MemberView: JSONObject, Hashable {
    public let id: ID<Member>
    public let userID: ID<User>?
    public let displayName: String
    public let isMe: Bool
    public let joinedAt: Instant

    public init(
        id: ID<Member>,
        userID: ID<User>? = nil,
        displayName: String,
        isMe: Bool,
        joinedAt: Instant
    ) {
        self.id = id
        self.userID = userID
        self.displayName = displayName
        self.isMe = isMe
        self.joinedAt = joinedAt
    }

    public static let json = Object(
        MemberView.init,
        Field("id", \.id, about: "The place in the group."),
        Field("userId", \.userID, about: "Who; nobody for a guest."),
        Field("displayName", \.displayName, about: "How the others see them."),
        Field("me", \.isMe, about: "Whether it is who asks."),
        Field("joinedAt", \.joinedAt, about: "Since when.")
    )
}

/// What an invitation is for.
public enum InvitationKind: String, StringEnum {
    /// A group.
    case group
    /// A wallet of somebody's.
    case wallet
    /// A folder of somebody's.
    case folder
}

/// A call to join.
public struct InvitationView: JSONObject, Hashable {
    public let id: ID<Invitation>
    public let kind: InvitationKind
    public let groupID: ID<Group>?
    public let accountID: ID<Account>?
    public let folderID: ID<Folder>?
    public let role: MemberRole?
    public let access: MemberAccess?
    public let name: String
    public let invitedBy: String
    public let invitee: String?
    public let createdAt: Instant

    public init(
        id: ID<Invitation>,
        kind: InvitationKind,
        groupID: ID<Group>? = nil,
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        role: MemberRole? = nil,
        access: MemberAccess? = nil,
        name: String,
        invitedBy: String,
        invitee: String? = nil,
        createdAt: Instant
    ) {
        self.id = id
        self.kind = kind
        self.groupID = groupID
        self.accountID = accountID
        self.folderID = folderID
        self.role = role
        self.access = access
        self.name = name
        self.invitedBy = invitedBy
        self.invitee = invitee
        self.createdAt = createdAt
    }

    public static let json = Object(
        InvitationView.init,
        Field("id", \.id, about: "The identifier."),
        Field("kind", \.kind, about: "What it is for."),
        Field("groupId", \.groupID, about: "The group, where it is for one."),
        Field("accountId", \.accountID, about: "The wallet, where it is for one."),
        Field("folderId", \.folderID, about: "The folder, where it is for one."),
        Field("role", \.role, about: "What one may do in a wallet."),
        Field("access", \.access, about: "What one may do in a folder."),
        Field("name", \.name, about: "The name of what it is for."),
        Field("invitedBy", \.invitedBy, about: "Who invites."),
        Field(
            "invitee",
            \.invitee,
            about: "Who is invited, as the inviter wrote it; for the inviter's side."
        ),
        Field("createdAt", \.createdAt, about: "Since when.")
    )
}

/// Groups of people who share expenses.
public enum Groups {
    /// Makes one.
    public static let make = Endpoint<NoQuery, NewGroup, GroupView>(
        "makeGroup",
        .post,
        "/v1/groups",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [.userNotFound, .tooManyRequests],
        summary: "Make a group"
    )

    /// One's own, newest first.
    public static let list = Endpoint<GroupQuery, NoBody, Page<GroupView>>(
        "listGroups",
        .get,
        "/v1/groups",
        of: .groups,
        for: .user,
        summary: "List groups, newest first"
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, GroupView>(
        "getGroup",
        .get,
        "/v1/groups/{id}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "Read a group"
    )

    /// Who is in one.
    public static let members = Endpoint<PageQuery, NoBody, Page<MemberView>>(
        "listMembers",
        .get,
        "/v1/groups/{id}/members",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List a group's members"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, list.erased, get.erased, members.erased,
    ]
}

/// Calls to join.
public enum Invitations {
    /// Invites somebody.
    public static let send = Endpoint<NoQuery, Invitee, InvitationView>(
        "invite",
        .post,
        "/v1/groups/{id}/invitations",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [
            .notFound, .userNotFound, .alreadyMember, .alreadyInvited, .defaultGroup,
            .tooManyRequests,
        ],
        summary: "Invite somebody to a group"
    )

    /// A group's open ones.
    public static let ofGroup = Endpoint<PageQuery, NoBody, Page<InvitationView>>(
        "listGroupInvitations",
        .get,
        "/v1/groups/{id}/invitations",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List a group's open invitations"
    )

    /// One's own open ones.
    public static let list = Endpoint<PageQuery, NoBody, Page<InvitationView>>(
        "listInvitations",
        .get,
        "/v1/invitations",
        of: .groups,
        for: .user,
        summary: "List one's open invitations"
    )

    /// Joins; answers the group, the wallet or the folder.
    public static let accept = Endpoint<
        NoQuery, NoBody, Either<GroupView, Either<AccountView, FolderView>>
    >(
        "acceptInvitation",
        .post,
        "/v1/invitations/{id}/acceptance",
        of: .groups,
        for: .user,
        errors: [.notFound, .accountClosed, .tooManyMembers],
        summary: "Accept an invitation"
    )

    /// Does not join.
    public static let reject = Endpoint<NoQuery, NoBody, NoView>(
        "rejectInvitation",
        .post,
        "/v1/invitations/{id}/rejection",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "Reject an invitation"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        send.erased, ofGroup.erased, list.erased, accept.erased, reject.erased,
    ]
}
