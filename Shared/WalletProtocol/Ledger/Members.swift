/// What somebody may do with an account.
public enum AccountRole: String, StringEnum {
    /// Everything.
    case owner
    /// Sees it, and records, changes and deletes transactions on it.
    case editor
    /// Sees it.
    case viewer
}

/// What an owner lets others do with a wallet.
public enum MemberRole: String, StringEnum {
    /// Sees it, and records, changes and deletes transactions on it.
    case editor
    /// Sees it.
    case viewer
}

/// Who is invited to a wallet: by one of two names.
public struct WalletInvitee: JSONObject, Hashable {
    public let username: String?
    public let email: String?
    public let role: MemberRole

    /// By whom they are named.
    public var invitee: Invitee { Invitee(username: username, email: email) }

    public static let json = Object(
        WalletInvitee.init,
        Field("username", \.username, .line(1...64), about: "The public name."),
        Field("email", \.email, .line(3...254), about: "The address."),
        Field("role", \.role, default: .viewer, about: "What they may do.")
    )
}

/// Somebody who uses a wallet.
public struct WalletMemberView: JSONObject, Hashable {
    public let userID: ID<User>
    public let displayName: String
    public let role: AccountRole
    public let isMe: Bool
    public let joinedAt: Instant

    public init(
        userID: ID<User>,
        displayName: String,
        role: AccountRole,
        isMe: Bool,
        joinedAt: Instant
    ) {
        self.userID = userID
        self.displayName = displayName
        self.role = role
        self.isMe = isMe
        self.joinedAt = joinedAt
    }

    public static let json = Object(
        WalletMemberView.init,
        Field("userId", \.userID, about: "Who."),
        Field("displayName", \.displayName, about: "How the others see them."),
        Field("role", \.role, about: "What they may do."),
        Field("me", \.isMe, about: "Whether it is who asks."),
        Field("joinedAt", \.joinedAt, about: "Since when.")
    )
}

/// What changes of a membership.
public struct WalletMemberChange: JSONObject, Hashable {
    public let role: MemberRole

    public init(role: MemberRole) { self.role = role }

    public static let json = Object(
        WalletMemberChange.init,
        Field("role", \.role, about: "What they may do from now on.")
    )
}

/// Wallets with other people.
public enum WalletMembers {
    /// How many share a wallet at most, those who are asked and the owner included.
    public static let countMax = 50

    /// Invites somebody.
    public static let invite = Endpoint<NoQuery, WalletInvitee, InvitationView>(
        "inviteToWallet",
        .post,
        "/v1/accounts/{id}/members",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [
            .notFound, .forbidden, .userNotFound, .alreadyMember, .alreadyInvited, .accountKind,
            .accountClosed, .tooManyMembers, .tooManyRequests,
        ],
        isTagged: true,
        summary: "Invite somebody to a wallet",
        description: "Only its owner does, and only wallets are shared."
    )

    /// Who uses one, the owner first.
    public static let list = Endpoint<PageQuery, NoBody, Page<WalletMemberView>>(
        "listWalletMembers",
        .get,
        "/v1/accounts/{id}/members",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        summary: "List who uses an account, the owner first"
    )

    /// Gives a member another role.
    public static let change = Endpoint<NoQuery, WalletMemberChange, WalletMemberView>(
        "changeWalletMember",
        .patch,
        "/v1/accounts/{id}/members/{userId}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .forbidden, .accountClosed],
        summary: "Give a member of a wallet another role"
    )

    /// Ends a membership.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeWalletMember",
        .delete,
        "/v1/accounts/{id}/members/{userId}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .forbidden],
        summary: "Leave a wallet (`me`), or remove somebody from one's own"
    )

    /// The open invitations.
    public static let invitations = Endpoint<PageQuery, NoBody, Page<InvitationView>>(
        "listWalletInvitations",
        .get,
        "/v1/accounts/{id}/invitations",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden],
        summary: "List the open invitations to one's wallet"
    )

    /// Takes an invitation back.
    public static let withdraw = Endpoint<NoQuery, NoBody, NoView>(
        "withdrawWalletInvitation",
        .delete,
        "/v1/accounts/{id}/invitations/{invitationId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .preconditionFailed],
        summary: "Take back an invitation to one's wallet"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        list.erased, invite.erased, change.erased, remove.erased, invitations.erased,
        withdraw.erased,
    ]
}
