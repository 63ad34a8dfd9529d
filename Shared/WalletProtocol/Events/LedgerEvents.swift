/// An account is there.
public struct AccountOpened: JSONObject, Hashable {
    /// The account.
    public let accountID: ID<Account>
    /// Whose.
    public let userID: ID<User>
    /// The kind.
    public let kind: AccountKind
    /// The currency.
    public let currency: Currency
    /// When.
    public let openedAt: Instant

    /// All of it.
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

    /// The description.
    public static let json = Object(
        AccountOpened.init,
        Field("accountId", \.accountID),
        Field("userId", \.userID),
        Field("kind", \.kind),
        Field("currency", \.currency),
        Field("openedAt", \.openedAt)
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
    /// The category.
    public let categoryID: CategoryID
    /// The category's division.
    public let coicop: Coicop?
    /// All lines sum to the transaction's amount.
    public let amount: Money

    /// All of it.
    public init(categoryID: CategoryID, coicop: Coicop? = nil, amount: Money) {
        self.categoryID = categoryID
        self.coicop = coicop
        self.amount = amount
    }

    /// The description.
    public static let json = Object(
        PostedLine.init,
        Field("categoryId", \.categoryID),
        Field("coicop", \.coicop),
        Field("amount", \.amount)
    )
}

/// A transaction counts, or counts no longer.
public struct TransactionPosted: JSONObject, Hashable {
    /// The transaction.
    public let transactionID: ID<MoneyTransaction>
    /// Its version, from 1; a reversal has that of what it takes back.
    public let version: Int
    /// Whether it came or went.
    public let kind: PostingKind
    /// Whose.
    public let userID: ID<User>
    /// The account.
    public let accountID: ID<Account>
    /// The account's kind.
    public let accountKind: AccountKind
    /// Signed, as the account sees it; a reversal repeats what it takes back.
    public let amount: Money
    /// The day that it is booked on.
    public let day: Day
    /// The category.
    public let categoryID: CategoryID
    /// The category's division.
    public let coicop: Coicop?
    /// The transfer, where it is one side of one.
    public let transferID: ID<Transfer>?
    /// Whether both sides are the same user's: no income, no expense.
    public let isOwnTransfer: Bool
    /// Where it is split: its parts, in place of its category.
    public let lines: [PostedLine]?
    /// When.
    public let recordedAt: Instant

    /// All of it.
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

    /// The description.
    public static let json = Object(
        TransactionPosted.init,
        Field("transactionId", \.transactionID),
        Field("version", \.version),
        Field("kind", \.kind),
        Field("userId", \.userID),
        Field("accountId", \.accountID),
        Field("accountKind", \.accountKind),
        Field("amount", \.amount),
        Field("day", \.day),
        Field("categoryId", \.categoryID),
        Field("coicop", \.coicop),
        Field("transferId", \.transferID),
        Field("ownTransfer", \.isOwnTransfer, default: false),
        Field("lines", \.lines),
        Field("recordedAt", \.recordedAt)
    )
}

/// A category has been made, changed or taken away.
public struct CategoryChanged: JSONObject, Hashable {
    /// The category.
    public let categoryID: CategoryID
    /// Whose.
    public let userID: ID<User>
    /// The one above it.
    public let parentID: CategoryID?
    /// The division.
    public let coicop: Coicop?
    /// Whether it is «Others».
    public let isDefault: Bool
    /// Whether it is gone.
    public let isDeleted: Bool

    /// All of it.
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

    /// The description.
    public static let json = Object(
        CategoryChanged.init,
        Field("categoryId", \.categoryID),
        Field("userId", \.userID),
        Field("parentId", \.parentID),
        Field("coicop", \.coicop),
        Field("isDefault", \.isDefault, default: false),
        Field("isDeleted", \.isDeleted, default: false)
    )
}

/// Somebody has begun or ceased to see a wallet that is another's.
///
/// Of an account's events (`account:…`) the one with the highest sequence says how it is.
public struct WalletMemberChanged: JSONObject, Hashable {
    /// The wallet.
    public let accountID: ID<Account>
    /// Who.
    public let userID: ID<User>
    /// Whether they see it now.
    public let isMember: Bool

    /// All of it.
    public init(accountID: ID<Account>, userID: ID<User>, isMember: Bool) {
        self.accountID = accountID
        self.userID = userID
        self.isMember = isMember
    }

    /// The description.
    public static let json = Object(
        WalletMemberChanged.init,
        Field("accountId", \.accountID),
        Field("userId", \.userID),
        Field("member", \.isMember)
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
