/// Whose right on an account or a folder.
public struct SharedRightQuery: QueryObject, Hashable {
    public let userID: ID<User>
    public let otherID: ID<User>?

    public init(userID: ID<User>, otherID: ID<User>? = nil) {
        self.userID = userID
        self.otherID = otherID
    }

    public static let query = QueryFields(
        SharedRightQuery.init,
        QueryField("userId", \.userID, about: "Who."),
        QueryField("otherId", \.otherID, about: "Somebody else whose right is told, too.")
    )
}

/// A right on an account as the ledger knows it now.
public struct WalletAccess: JSONObject, Hashable {
    public let name: String
    public let kind: AccountKind
    public let isClosed: Bool
    public let role: AccountRole
    public let otherRole: AccountRole?
    public let memberCount: Int

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

    public static let json = Object(
        WalletAccess.init,
        Field("name", \.name, about: "The account's name."),
        Field("kind", \.kind, about: "Its kind: only wallets are shared."),
        Field("closed", \.isClosed, about: "Whether it is closed."),
        Field("role", \.role, about: "What the one may do."),
        Field(
            "otherRole",
            \.otherRole,
            about: "What the other may do; absent where they are a stranger."
        ),
        Field("memberCount", \.memberCount, about: "How many use it, the owner included.")
    )
}

/// An accepted invitation.
public struct WalletJoining: JSONObject, Hashable {
    public let invitationID: ID<Invitation>
    public let invitedBy: ID<User>
    public let role: MemberRole

    public init(invitationID: ID<Invitation>, invitedBy: ID<User>, role: MemberRole) {
        self.invitationID = invitationID
        self.invitedBy = invitedBy
        self.role = role
    }

    public static let json = Object(
        WalletJoining.init,
        Field(
            "invitationId",
            \.invitationID,
            about: "The invitation: each is accepted once, however often it is told."
        ),
        Field("invitedBy", \.invitedBy, about: "Who invited, and has to own the wallet still."),
        Field("role", \.role, about: "What the new member may do.")
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

    /// Whether two people share a wallet or a folder, so that one may see the other's picture.
    public static let acquaintance = Endpoint<AcquaintanceQuery, NoBody, AcquaintanceView>(
        "getLedgerAcquaintance",
        .get,
        "/internal/ledger-acquaintances",
        of: .ledger,
        for: .internalService,
        summary: "Whether two users share a wallet or a folder, live"
    )

    /// All of them, for the gateway's table.
    public static let all: [EndpointDescription] = [
        access.erased, join.erased, get.erased, acquaintance.erased,
    ]
}
