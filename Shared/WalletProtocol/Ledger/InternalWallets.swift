/// Whose right on an account or a folder.
public struct SharedRightQuery: QueryObject, Hashable {
    /// Who.
    public let userID: ID<User>
    /// Somebody else whose right is told, too.
    public let otherID: ID<User>?

    /// All of it.
    public init(userID: ID<User>, otherID: ID<User>? = nil) {
        self.userID = userID
        self.otherID = otherID
    }

    /// The description.
    public static let query = QueryFields(
        SharedRightQuery.init,
        QueryField("userId", \.userID),
        QueryField("otherId", \.otherID)
    )
}

/// A right on an account as the ledger knows it now.
public struct WalletAccess: JSONObject, Hashable {
    /// The account's name.
    public let name: String
    /// Its kind: only wallets are shared.
    public let kind: AccountKind
    /// Whether it is closed.
    public let isClosed: Bool
    /// What the one may do.
    public let role: AccountRole
    /// What the other may do; absent where they are a stranger.
    public let otherRole: AccountRole?
    /// How many use it, the owner included.
    public let memberCount: Int

    /// All of it.
    public init(
        name: String,
        kind: AccountKind,
        isClosed: Bool,
        role: AccountRole,
        otherRole: AccountRole?,
        memberCount: Int
    ) {
        self.name = name
        self.kind = kind
        self.isClosed = isClosed
        self.role = role
        self.otherRole = otherRole
        self.memberCount = memberCount
    }

    /// The description.
    public static let json = Object(
        WalletAccess.init,
        Field("name", \.name),
        Field("kind", \.kind),
        Field("closed", \.isClosed),
        Field("role", \.role),
        Field("otherRole", \.otherRole),
        Field("memberCount", \.memberCount)
    )
}

/// An accepted invitation.
public struct WalletJoining: JSONObject, Hashable {
    /// The invitation: each is accepted once, however often it is told.
    public let invitationID: ID<Invitation>
    /// Who invited, and has to own the wallet still.
    public let invitedBy: ID<User>
    /// What the new member may do.
    public let role: MemberRole

    /// All of it.
    public init(invitationID: ID<Invitation>, invitedBy: ID<User>, role: MemberRole) {
        self.invitationID = invitationID
        self.invitedBy = invitedBy
        self.role = role
    }

    /// The description.
    public static let json = Object(
        WalletJoining.init,
        Field("invitationId", \.invitationID),
        Field("invitedBy", \.invitedBy),
        Field("role", \.role)
    )
}

/// What the ledger answers to groups about shared wallets.
public enum InternalWallets {
    /// The right of a user, live.
    public static let access = Endpoint<SharedRightQuery, NoBody, WalletAccess>(
        "getWalletAccess",
        .get,
        "/internal/accounts/{id}/access",
        of: .ledger,
        for: .internalService,
        errors: [.notFound],
        summary: "A user's right on an account, live"
    )

    /// Makes somebody a member, once for each invitation.
    public static let join = Endpoint<NoQuery, WalletJoining, AccountView>(
        "joinWallet",
        .put,
        "/internal/accounts/{id}/members/{userId}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound, .accountKind, .accountClosed, .tooManyMembers],
        summary: "Make somebody a member of a wallet, by their invitation"
    )

    /// The wallet as a member sees it.
    public static let get = Endpoint<NoQuery, NoBody, AccountView>(
        "getSharedWallet",
        .get,
        "/internal/accounts/{id}/members/{userId}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound],
        summary: "A wallet as a member sees it"
    )

    /// All of them, for the gateway's table.
    public static let all: [EndpointDescription] = [access.erased, join.erased, get.erased]
}
