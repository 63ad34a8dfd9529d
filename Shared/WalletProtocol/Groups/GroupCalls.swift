/// Who is invited: by one of the two.
public struct Invitee: JSONObject, Hashable {
    /// The public name.
    public let username: String?
    /// The address.
    public let email: String?

    /// All of it.
    public init(username: String? = nil, email: String? = nil) {
        self.username = username
        self.email = email
    }

    /// The description.
    public static let json = Object(
        Invitee.init,
        Field("username", \.username, .line(1...64)),
        Field("email", \.email, .line(3...254))
    )
}

/// What a group is made with.
public struct NewGroup: JSONObject, Hashable {
    /// The name.
    public let name: String
    /// The currency of its totals; the user's where left out.
    public let currency: Currency?
    /// Who is invited at once: all or nobody.
    public let invitations: [Invitee]

    /// All of it.
    public init(name: String, currency: Currency? = nil, invitations: [Invitee] = []) {
        self.name = name
        self.currency = currency
        self.invitations = invitations
    }

    /// The description.
    public static let json = Object(
        NewGroup.init,
        Field("name", \.name, .line(1...80)),
        Field("currency", \.currency),
        Field("invitations", \.invitations, .count(0...50), default: [])
    )
}

/// A group.
public struct GroupView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<Group>
    /// The name.
    public let name: String
    /// The currency of its totals.
    public let currency: Currency
    /// Whether it is the user's group of one.
    public let isPersonal: Bool
    /// How many are in it.
    public let memberCount: Int
    /// When it was made.
    public let createdAt: Instant

    /// All of it.
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

    /// The description.
    public static let json = Object(
        GroupView.init,
        Field("id", \.id),
        Field("name", \.name),
        Field("currency", \.currency),
        Field("personal", \.isPersonal),
        Field("memberCount", \.memberCount),
        Field("createdAt", \.createdAt)
    )
}

/// Which groups.
public struct GroupQuery: QueryObject, Hashable {
    /// Words in the name.
    public let words: String?
    /// How many.
    public let limit: Int
    /// Where the page begins.
    public let cursor: Cursor?

    /// All of it.
    public init(words: String? = nil, limit: Int = 50, cursor: Cursor? = nil) {
        self.words = words
        self.limit = limit
        self.cursor = cursor
    }

    /// The description.
    public static let query = QueryFields(
        GroupQuery.init,
        QueryField("query", \.words, .line(1...80)),
        QueryField("limit", \.limit, .range(1...200), default: 50),
        QueryField("cursor", \.cursor)
    )
}

/// Somebody in a group.
public struct MemberView: JSONObject, Hashable {
    /// The place in the group.
    public let id: ID<Member>
    /// Who; nobody for a guest.
    public let userID: ID<User>?
    /// How the others see them.
    public let displayName: String
    /// Whether it is who asks.
    public let isMe: Bool
    /// Since when.
    public let joinedAt: Instant

    /// All of it.
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

    /// The description.
    public static let json = Object(
        MemberView.init,
        Field("id", \.id),
        Field("userId", \.userID),
        Field("displayName", \.displayName),
        Field("me", \.isMe),
        Field("joinedAt", \.joinedAt)
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
    /// The identifier.
    public let id: ID<Invitation>
    /// What it is for.
    public let kind: InvitationKind
    /// The group, where it is for one.
    public let groupID: ID<Group>?
    /// The wallet, where it is for one.
    public let accountID: ID<Account>?
    /// The folder, where it is for one.
    public let folderID: ID<Folder>?
    /// What one may do in a wallet.
    public let role: MemberRole?
    /// What one may do in a folder.
    public let access: MemberAccess?
    /// The name of what it is for.
    public let name: String
    /// Who invites.
    public let invitedBy: String
    /// Who is invited, as the inviter wrote it; for the inviter's side.
    public let invitee: String?
    /// Since when.
    public let createdAt: Instant

    /// All of it.
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

    /// The description.
    public static let json = Object(
        InvitationView.init,
        Field("id", \.id),
        Field("kind", \.kind),
        Field("groupId", \.groupID),
        Field("accountId", \.accountID),
        Field("folderId", \.folderID),
        Field("role", \.role),
        Field("access", \.access),
        Field("name", \.name),
        Field("invitedBy", \.invitedBy),
        Field("invitee", \.invitee),
        Field("createdAt", \.createdAt)
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
