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

/// Whether a transaction came or went.
public enum PostingKind: String, StringEnum {
    /// It counts from now on.
    case posted
    /// It counts no longer: deleted, or about to be posted anew with changes.
    case reversed
}

/// A part of a transaction over several categories.
public struct PostedLine: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let coicop: Coicop?
    public let amount: Money

    public init(categoryID: CategoryID, coicop: Coicop? = nil, amount: Money) {
        self.categoryID = categoryID
        self.coicop = coicop
        self.amount = amount
    }

    public static let json = Object(
        PostedLine.init,
        Field("categoryId", \.categoryID, about: "The category."),
        Field("coicop", \.coicop, about: "The category's division."),
        Field("amount", \.amount, about: "All lines sum to the transaction's amount.")
    )
}

/// A transaction counts, or counts no longer.
public struct TransactionPosted: JSONObject, Hashable {
    public let transactionID: ID<MoneyTransaction>
    public let version: Int
    public let kind: PostingKind
    public let userID: ID<User>
    public let accountID: ID<Account>
    public let accountKind: AccountKind
    public let amount: Money
    public let day: Day
    public let categoryID: CategoryID
    public let coicop: Coicop?
    public let transferID: ID<Transfer>?
    public let isOwnTransfer: Bool
    public let lines: [PostedLine]?
    public let recordedAt: Instant

    public init(
        transactionID: ID<MoneyTransaction>,
        version: Int,
        kind: PostingKind,
        userID: ID<User>,
        accountID: ID<Account>,
        accountKind: AccountKind,
        amount: Money,
        day: Day,
        categoryID: CategoryID,
        coicop: Coicop? = nil,
        transferID: ID<Transfer>? = nil,
        isOwnTransfer: Bool = false,
        lines: [PostedLine]? = nil,
        recordedAt: Instant
    ) {
        self.transactionID = transactionID
        self.version = version
        self.kind = kind
        self.userID = userID
        self.accountID = accountID
        self.accountKind = accountKind
        self.amount = amount
        self.day = day
        self.categoryID = categoryID
        self.coicop = coicop
        self.transferID = transferID
        self.isOwnTransfer = isOwnTransfer
        self.lines = lines
        self.recordedAt = recordedAt
    }

    public static let json = Object(
        TransactionPosted.init,
        Field("transactionId", \.transactionID, about: "The transaction."),
        Field(
            "version",
            \.version,
            about: "Its version, from 1; a reversal has that of what it takes back."
        ),
        Field("kind", \.kind, about: "Whether it came or went."),
        Field("userId", \.userID, about: "Whose."),
        Field("accountId", \.accountID, about: "The account."),
        Field("accountKind", \.accountKind, about: "The account's kind."),
        Field(
            "amount",
            \.amount,
            about: "Signed, as the account sees it; a reversal repeats what it takes back."
        ),
        Field("day", \.day, about: "The day that it is booked on."),
        Field("categoryId", \.categoryID, about: "The category."),
        Field("coicop", \.coicop, about: "The category's division."),
        Field("transferId", \.transferID, about: "The transfer, where it is one side of one."),
        Field(
            "ownTransfer",
            \.isOwnTransfer,
            default: false,
            about: "Whether both sides are the same user's: no income, no expense."
        ),
        Field("lines", \.lines, about: "Where it is split: its parts, in place of its category."),
        Field("recordedAt", \.recordedAt, about: "When.")
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

extension WalletMemberChanged: EventBody {
    /// `wallet.member.changed.v1`.
    public static let eventType = "wallet.member.changed.v1"
}

extension AccountOpened: EventBody {
    /// `wallet.account.opened.v1`.
    public static let eventType = "wallet.account.opened.v1"
}

extension TransactionPosted: EventBody {
    /// `wallet.transaction.posted.v1`.
    public static let eventType = "wallet.transaction.posted.v1"
}

extension CategoryChanged: EventBody {
    /// `wallet.category.changed.v1`.
    public static let eventType = "wallet.category.changed.v1"
}
