/// What an account is.
public enum AccountKind: String, StringEnum {
    /// Money that is tracked: cash, or a bank seen from outside; may go below zero.
    case wallet
    /// Has an IBAN and transfers; never below zero.
    case current
    /// Money put aside; never below zero.
    case deposit
    /// A child's; never below zero.
    case allowance
}

/// What an account is opened with.
public struct NewAccount: JSONObject, Hashable {
    /// A wallet or a current account.
    public let kind: AccountKind
    /// The currency; the user's where left out.
    public let currency: Currency?
    /// The name; made from kind and currency where left out.
    public let name: String?
    /// The icon's name.
    public let icon: String?
    /// What is in it from the start; wallets only.
    public let openingBalance: Money?

    /// All of it.
    public init(
        kind: AccountKind = .wallet,
        currency: Currency? = nil,
        name: String? = nil,
        icon: String? = nil,
        openingBalance: Money? = nil
    ) {
        self.kind = kind
        self.currency = currency
        self.name = name
        self.icon = icon
        self.openingBalance = openingBalance
    }

    /// The description.
    public static let json = Object(
        NewAccount.init,
        Field("kind", \.kind, default: .wallet),
        Field("currency", \.currency),
        Field("name", \.name, .line(1...80)),
        Field("icon", \.icon, .line(1...40)),
        Field("openingBalance", \.openingBalance, .sent)
    )
}

/// What changes of an account.
public struct AccountChange: JSONObject, Hashable {
    /// The name.
    public let name: Replace<String>
    /// The icon's name.
    public let icon: Patch<String>

    /// All of it.
    public init(name: Replace<String> = .unchanged, icon: Patch<String> = .unchanged) {
        self.name = name
        self.icon = icon
    }

    /// The description.
    public static let json = Object(
        AccountChange.init,
        Field("name", \.name, .line(1...80)),
        Field("icon", \.icon, .line(1...40))
    )
}

/// An account, as one who uses it sees it.
public struct AccountView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<Account>
    /// The kind.
    public let kind: AccountKind
    /// The currency.
    public let currency: Currency
    /// The name.
    public let name: String
    /// The icon's name.
    public let icon: String?
    /// The IBAN, where it has one.
    public let iban: String?
    /// What is in it.
    public let balance: Money
    /// What of it is not held for something.
    public let available: Money
    /// When it was opened.
    public let createdAt: Instant
    /// When it was closed.
    public let closedAt: Instant?
    /// What who asks may do with it.
    public let role: AccountRole
    /// Whose it is, where it is another's.
    public let ownedBy: String?

    /// All of it.
    public init(
        id: ID<Account>,
        kind: AccountKind,
        currency: Currency,
        name: String,
        icon: String? = nil,
        iban: String? = nil,
        balance: Money,
        available: Money,
        createdAt: Instant,
        closedAt: Instant? = nil,
        role: AccountRole = .owner,
        ownedBy: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.currency = currency
        self.name = name
        self.icon = icon
        self.iban = iban
        self.balance = balance
        self.available = available
        self.createdAt = createdAt
        self.closedAt = closedAt
        self.role = role
        self.ownedBy = ownedBy
    }

    /// The description.
    public static let json = Object(
        AccountView.init,
        Field("id", \.id),
        Field("kind", \.kind),
        Field("currency", \.currency),
        Field("name", \.name),
        Field("icon", \.icon),
        Field("iban", \.iban),
        Field("balance", \.balance),
        Field("available", \.available),
        Field("createdAt", \.createdAt),
        Field("closedAt", \.closedAt),
        Field("role", \.role, default: .owner),
        Field("ownedBy", \.ownedBy)
    )
}

/// Which accounts.
public struct AccountQuery: QueryObject, Hashable {
    /// Whether closed ones are among them.
    public let closed: Bool
    /// How many.
    public let limit: Int
    /// Where the page begins.
    public let cursor: Cursor?

    /// All of it.
    public init(closed: Bool = false, limit: Int = 50, cursor: Cursor? = nil) {
        self.closed = closed
        self.limit = limit
        self.cursor = cursor
    }

    /// The description.
    public static let query = QueryFields(
        AccountQuery.init,
        QueryField("closed", \.closed, default: false),
        QueryField("limit", \.limit, .range(1...200), default: 50),
        QueryField("cursor", \.cursor)
    )
}

/// Accounts of one's own.
public enum Accounts {
    /// Opens one.
    public static let open = Endpoint<NoQuery, NewAccount, AccountView>(
        "openAccount",
        .post,
        "/v1/accounts",
        of: .ledger,
        for: .user,
        statuses: [201],
        errors: [.accountNameTaken, .tooManyAccounts],
        summary: "Open an account"
    )

    /// All of them, oldest first.
    public static let list = Endpoint<AccountQuery, NoBody, Page<AccountView>>(
        "listAccounts",
        .get,
        "/v1/accounts",
        of: .ledger,
        for: .user,
        summary: "List accounts, oldest first"
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, AccountView>(
        "getAccount",
        .get,
        "/v1/accounts/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        summary: "Read an account"
    )

    /// Changes one.
    public static let change = Endpoint<NoQuery, AccountChange, AccountView>(
        "changeAccount",
        .patch,
        "/v1/accounts/{id}",
        of: .ledger,
        for: .user,
        errors: [
            .notFound, .forbidden, .accountNameTaken, .accountClosed, .preconditionFailed,
        ],
        summary: "Change an account"
    )

    /// Closes one.
    public static let close = Endpoint<NoQuery, NoBody, NoView>(
        "closeAccount",
        .delete,
        "/v1/accounts/{id}",
        of: .ledger,
        for: .user,
        errors: [
            .notFound, .forbidden, .accountNotEmpty, .lastAccount, .allowanceAccount,
            .preconditionFailed,
        ],
        summary: "Close an account",
        description: "It stays for tracing, and its transactions keep it."
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        open.erased, list.erased, get.erased, change.erased, close.erased,
    ]
}
