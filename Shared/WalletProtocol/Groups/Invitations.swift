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

/// A link that lets in whoever opens it.
public struct NewInvitationLink: JSONObject, Hashable {
    public let uses: Int?
    public let expiresAt: Instant?
    public let memberID: ID<Member>?

    public init(uses: Int? = nil, expiresAt: Instant? = nil, memberID: ID<Member>? = nil) {
        self.uses = uses
        self.expiresAt = expiresAt
        self.memberID = memberID
    }

    public static let json = Object(
        NewInvitationLink.init,
        Field(
            "uses",
            \.uses,
            .range(1...200),
            about: "How many it lets in; any number where left out."
        ),
        Field(
            "expiresAt",
            \.expiresAt,
            about: "Until when, 90 days from now at most; 7 days where left out."
        ),
        Field(
            "memberId",
            \.memberID,
            about: "A guest, whose place whoever opens it first takes over, balances and all."
        )
    )
}

/// Who is invited to a group: by one of the three.
public struct NewInvitation: JSONObject, Hashable {
    public let username: String?
    public let email: String?
    public let link: NewInvitationLink?

    public init(
        username: String? = nil,
        email: String? = nil,
        link: NewInvitationLink? = nil
    ) {
        self.username = username
        self.email = email
        self.link = link
    }

    /// Who is named, where it is no link.
    public var invitee: Invitee { Invitee(username: username, email: email) }

    public static let json = Object(
        NewInvitation.init,
        Field("username", \.username, .line(1...64), about: "The public name."),
        Field("email", \.email, .line(3...254), about: "The address."),
        Field("link", \.link, about: "Whoever opens it.")
    )
}

/// A link that lets in whoever opens it, as members see it.
public struct InvitationLink: JSONObject, Hashable {
    public let url: String
    public let token: String
    public let usesLeft: Int?
    public let expiresAt: Instant
    public let memberID: ID<Member>?

    public init(
        url: String,
        token: String,
        usesLeft: Int? = nil,
        expiresAt: Instant,
        memberID: ID<Member>? = nil
    ) {
        self.url = url
        self.token = token
        self.usesLeft = usesLeft
        self.expiresAt = expiresAt
        self.memberID = memberID
    }

    public static let json = Object(
        InvitationLink.init,
        Field("url", \.url, about: "The address of a page that asks whether to join."),
        Field("token", \.token, about: "What that page calls with."),
        Field("usesLeft", \.usesLeft, about: "How many it lets in yet; absent: any number."),
        Field("expiresAt", \.expiresAt, about: "Until when."),
        Field("memberId", \.memberID, about: "The guest whose place it gives.")
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
    /// A family.
    case family
}

/// The thing that an accepted invitation was to: `kind` names the one field that is there.
public struct JoinedView: JSONObject, Hashable {
    public let kind: InvitationKind
    public let group: GroupView?
    public let wallet: AccountView?
    public let folder: FolderView?
    public let family: FamilyView?

    private init(
        kind: InvitationKind,
        group: GroupView? = nil,
        wallet: AccountView? = nil,
        folder: FolderView? = nil,
        family: FamilyView? = nil
    ) {
        self.kind = kind
        self.group = group
        self.wallet = wallet
        self.folder = folder
        self.family = family
    }

    public init(_ group: GroupView) { self.init(kind: .group, group: group) }
    public init(_ wallet: AccountView) { self.init(kind: .wallet, wallet: wallet) }
    public init(_ folder: FolderView) { self.init(kind: .folder, folder: folder) }
    public init(_ family: FamilyView) { self.init(kind: .family, family: family) }

    public static let json = Object(
        { @Sendable in JoinedView(kind: $0, group: $1, wallet: $2, folder: $3, family: $4) },
        Field("kind", \.kind, about: "The name of the field that is there."),
        Field("group", \.group, about: "The group, as a new member sees it."),
        Field("wallet", \.wallet, about: "The shared wallet, as a new member sees it."),
        Field("folder", \.folder, about: "The folder, as a new member sees it."),
        Field("family", \.family, about: "The family, as a new member sees it.")
    )
}

/// What has become of an invitation.
public enum InvitationState: String, StringEnum {
    /// It can be answered, or a link be opened, while it has not run out.
    case open
    /// It is accepted, and those who keep what it is to are not told yet.
    case accepting
    /// Somebody has come by it.
    case accepted
    /// The answer is no.
    case rejected
    /// Whoever invited has taken it back.
    case withdrawn
    /// It was accepted, and what it was to takes nobody any more.
    case lapsed
}

/// A call to join.
public struct InvitationView: JSONObject, Hashable {
    public let id: ID<Invitation>
    public let kind: InvitationKind
    public let groupID: ID<Group>?
    public let accountID: ID<Account>?
    public let folderID: ID<Folder>?
    public let familyID: ID<Family>?
    public let role: MemberRole?
    public let access: MemberAccess?
    public let familyRole: FamilyRole?
    public let name: String
    public let invitedBy: String
    public let inviterID: ID<User>?
    public let invitee: String?
    public let link: InvitationLink?
    public let state: InvitationState
    public let answeredBy: String?
    public let answeredAt: Instant?
    public let createdAt: Instant

    public init(
        id: ID<Invitation>,
        kind: InvitationKind,
        groupID: ID<Group>? = nil,
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        familyID: ID<Family>? = nil,
        role: MemberRole? = nil,
        access: MemberAccess? = nil,
        familyRole: FamilyRole? = nil,
        name: String,
        invitedBy: String,
        inviterID: ID<User>? = nil,
        invitee: String? = nil,
        link: InvitationLink? = nil,
        state: InvitationState = .open,
        answeredBy: String? = nil,
        answeredAt: Instant? = nil,
        createdAt: Instant
    ) {
        self.id = id
        self.kind = kind
        self.groupID = groupID
        self.accountID = accountID
        self.folderID = folderID
        self.familyID = familyID
        self.role = role
        self.access = access
        self.familyRole = familyRole
        self.name = name
        self.invitedBy = invitedBy
        self.inviterID = inviterID
        self.invitee = invitee
        self.link = link
        self.state = state
        self.answeredBy = answeredBy
        self.answeredAt = answeredAt
        self.createdAt = createdAt
    }

    public static let json = Object(
        InvitationView.init,
        Field("id", \.id, about: "The identifier."),
        Field("kind", \.kind, about: "What it is for."),
        Field("groupId", \.groupID, about: "The group, where it is for one."),
        Field("accountId", \.accountID, about: "The wallet, where it is for one."),
        Field("folderId", \.folderID, about: "The folder, where it is for one."),
        Field("familyId", \.familyID, about: "The family, where it is for one."),
        Field("role", \.role, about: "What one may do in a wallet."),
        Field("access", \.access, about: "What one may do in a folder."),
        Field("familyRole", \.familyRole, about: "What one is in a family."),
        Field("name", \.name, about: "The name of what it is for."),
        Field("invitedBy", \.invitedBy, about: "Who invites."),
        Field(
            "inviterId",
            \.inviterID,
            about: "Who invites, for `blockUser`; absent of a link."
        ),
        Field(
            "invitee",
            \.invitee,
            about: "Who is invited, as the inviter wrote it; for the inviter's side."
        ),
        Field("link", \.link, about: "The link, where it is one; for the inviter's side."),
        Field("state", \.state, about: "What has become of it."),
        Field(
            "answeredBy",
            \.answeredBy,
            about: "Who has answered, as they are called now; absent if an invitation to an e-mail "
                + "address is not accepted."
        ),
        Field("answeredAt", \.answeredAt, about: "When it was answered, or taken back."),
        Field("createdAt", \.createdAt, about: "Since when.")
    )
}

/// Calls to join.
public enum Invitations {
    /// Invites somebody.
    public static let send = Endpoint<NoQuery, NewInvitation, InvitationView>(
        "invite",
        .post,
        "/v1/groups/{id}/invitations",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [
            .notFound, .forbidden, .userNotFound, .alreadyMember, .alreadyInvited, .defaultGroup,
            .pairGroup, .groupArchived, .tooManyRequests,
        ],
        isTagged: true,
        summary: "Invite somebody to a group, or make a link that lets people in",
        description: """
            An e-mail address is invited whether or not it has an account, and whoever it belongs \
            to: a username and an address of the same person are two invitations. Invitations and \
            links end when their sender leaves or loses the right to send them.
            """
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

    /// Takes one back.
    public static let withdraw = Endpoint<NoQuery, NoBody, NoView>(
        "withdrawInvitation",
        .delete,
        "/v1/groups/{id}/invitations/{invitationId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .preconditionFailed],
        summary: "Take back an invitation to a group"
    )

    /// A link as a QR code.
    public static let picture = Endpoint<NoQuery, NoBody, NoView>(
        "getInvitationPicture",
        .get,
        "/v1/groups/{id}/invitations/{invitationId}/picture",
        of: .groups,
        for: .user,
        response: .file(["image/svg+xml"]),
        statuses: [200],
        errors: [.notFound],
        summary: "A link to a group as a QR code",
        description: """
            What it says is the link's `url`. 404 for an invitation that is no link, and for a \
            link that lets nobody in any more.
            """
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

    /// One that somebody has sent, or was sent.
    public static let get = Endpoint<NoQuery, NoBody, InvitationView>(
        "getInvitation",
        .get,
        "/v1/invitations/{id}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "Read an invitation, and what has become of it",
        description: """
            The sender reads it in each state, as long as they may send it. The sender reads who \
            accepted it; who rejected it is read only if it was sent to a username. The invited \
            person reads it while it is open. Who joins by a link that lets in many people is \
            among the members.
            """
    )

    /// Joins; answers the group, the family, the wallet or the folder.
    public static let accept = Endpoint<NoQuery, NoBody, JoinedView>(
        "acceptInvitation",
        .post,
        "/v1/invitations/{id}/acceptance",
        of: .groups,
        for: .user,
        errors: [
            .notFound, .accountClosed, .tooManyMembers, .alreadyInFamily, .groupArchived,
        ],
        summary: "Accept an invitation"
    )

    /// What a link is to.
    public static let link = Endpoint<NoQuery, NoBody, InvitationView>(
        "getInvitationLink",
        .get,
        "/v1/invitation-links/{token}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "See which group a link is to, before joining"
    )

    /// Joins by a link.
    public static let acceptLink = Endpoint<NoQuery, NoBody, GroupView>(
        "acceptInvitationLink",
        .post,
        "/v1/invitation-links/{token}/acceptance",
        of: .groups,
        for: .user,
        errors: [.notFound, .alreadyMember, .forbidden, .groupArchived],
        summary: "Join a group by a link",
        description: """
            A guest's own link gives the guest's place. Opened by a member, it merges the guest \
            into the member: payments and shares of the two add up, a settlement between them ends \
            as void, and any editor can undo it for ten minutes.
            """
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
        send.erased, ofGroup.erased, withdraw.erased, list.erased, get.erased, accept.erased,
        reject.erased,
        link.erased, acceptLink.erased, picture.erased,
    ]
}
