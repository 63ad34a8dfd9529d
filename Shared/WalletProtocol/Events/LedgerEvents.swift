/// An account is there.
public struct AccountOpened: JSONObject, Hashable {
    public let accountID: ID<Account>
    public let userID: ID<User>
    public let kind: AccountKind
    public let currency: Currency
    public let openedAt: Instant

    public init(
        accountID: ID<Account>,
        userID: ID<User>,
        kind: AccountKind,
        currency: Currency,
        openedAt: Instant
    ) {
        self.accountID = accountID
        self.userID = userID
        self.kind = kind
        self.currency = currency
        self.openedAt = openedAt
    }

    public static let json = Object(
        AccountOpened.init,
        Field("accountId", \.accountID, about: "The account."),
        Field("userId", \.userID, about: "Whose."),
        Field("kind", \.kind, about: "The kind."),
        Field("currency", \.currency, about: "The currency."),
        Field("openedAt", \.openedAt, about: "When.")
    )
}

/// A category has been made, changed or taken away.
public struct CategoryChanged: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let userID: ID<User>
    public let parentID: CategoryID?
    public let coicop: Coicop?
    public let isDefault: Bool
    public let isDeleted: Bool

    public init(
        categoryID: CategoryID,
        userID: ID<User>,
        parentID: CategoryID? = nil,
        coicop: Coicop? = nil,
        isDefault: Bool = false,
        isDeleted: Bool = false
    ) {
        self.categoryID = categoryID
        self.userID = userID
        self.parentID = parentID
        self.coicop = coicop
        self.isDefault = isDefault
        self.isDeleted = isDeleted
    }

    public static let json = Object(
        CategoryChanged.init,
        Field("categoryId", \.categoryID, about: "The category."),
        Field("userId", \.userID, about: "Whose."),
        Field("parentId", \.parentID, about: "The one above it."),
        Field("coicop", \.coicop, about: "The division."),
        Field("isDefault", \.isDefault, default: false, about: "Whether it is «Others»."),
        Field("isDeleted", \.isDeleted, default: false, about: "Whether it is gone.")
    )
}

/// Somebody has begun or ceased to see a wallet that is another's.
///
/// Of an account's events (`account:…`) the one with the highest sequence says how it is.
public struct WalletMemberChanged: JSONObject, Hashable {
    public let accountID: ID<Account>
    public let userID: ID<User>
    public let isMember: Bool

    public init(accountID: ID<Account>, userID: ID<User>, isMember: Bool) {
        self.accountID = accountID
        self.userID = userID
        self.isMember = isMember
    }

    public static let json = Object(
        WalletMemberChanged.init,
        Field("accountId", \.accountID, about: "The wallet."),
        Field("userId", \.userID, about: "Who."),
        Field("member", \.isMember, about: "Whether they see it now.")
    )
}

/// What was posted of a shared expense or settlement was deleted by who sees it, or is back.
///
/// Of a posting's events (`receivable-posting:…`) the one with the highest sequence says how it is.
public struct ReceivablePostingChanged: JSONObject, Hashable {
    public let postingID: ID<SharedPosting>
    public let userID: ID<User>
    public let version: Int
    public let isPosted: Bool

    public init(postingID: ID<SharedPosting>, userID: ID<User>, version: Int, isPosted: Bool) {
        self.postingID = postingID
        self.userID = userID
        self.version = version
        self.isPosted = isPosted
    }

    public static let json = Object(
        ReceivablePostingChanged.init,
        Field("postingId", \.postingID, about: "The id that groups gave it."),
        Field("userId", \.userID, about: "In whose books it was posted."),
        Field("version", \.version, about: "Which of what was asked for it is."),
        Field("posted", \.isPosted, about: "Whether it counts now.")
    )
}

extension ReceivablePostingChanged: EventBody {
    /// `wallet.receivable.changed.v1`.
    public static let eventType = "wallet.receivable.changed.v1"
}

extension WalletMemberChanged: EventBody {
    /// `wallet.member.changed.v1`.
    public static let eventType = "wallet.member.changed.v1"
}

extension AccountOpened: EventBody {
    /// `wallet.account.opened.v1`.
    public static let eventType = "wallet.account.opened.v1"
}

extension CategoryChanged: EventBody {
    /// `wallet.category.changed.v1`.
    public static let eventType = "wallet.category.changed.v1"
}
