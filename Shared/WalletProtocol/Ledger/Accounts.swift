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
    /// What others owe for shared expenses, one for each currency; below zero, they overpaid. No
    /// list of accounts has it, and nothing else is booked on it.
    case receivable
}

/// The kinds of account that a person opens; deposits and allowances have calls of their own.
public enum OpenedAccountKind: String, StringEnum {
    /// Money that is tracked: cash, or a bank seen from outside; may go below zero.
    case wallet
    /// Has an IBAN and transfers; never below zero.
    case current

    /// The same kind among all kinds.
    public var kind: AccountKind {
        switch self {
        case .wallet: .wallet
        case .current: .current
        }
    }
}

/// What an account is opened with.
public struct NewAccount: JSONObject, Hashable {
    public let kind: OpenedAccountKind
    public let currency: Currency?
    public let name: String?
    public let icon: String?
    public let openingBalance: Money?

    public static let json = Object(
        NewAccount.init,
        Field("kind", \.kind, default: .wallet, about: "A wallet or a current account."),
        Field("currency", \.currency, about: "The currency; the user's where left out."),
        Field(
            "name",
            \.name,
            .line(1...80),
            about: "The name; made from kind and currency where left out."
        ),
        Field("icon", \.icon, .line(1...40), about: "The icon's name."),
        Field(
            "openingBalance",
            \.openingBalance,
            .sent,
            about: "What is in it from the start; wallets only."
        )
    )
}

/// What changes of an account.
public struct AccountChange: JSONObject, Hashable {
    public let name: Replace<String>
    public let icon: Patch<String>

    public init(name: Replace<String> = .unchanged, icon: Patch<String> = .unchanged) {
        self.name = name
        self.icon = icon
    }

    public static let json = Object(
        AccountChange.init,
        Field("name", \.name, .line(1...80), about: "The name."),
        Field("icon", \.icon, .line(1...40), about: "The icon's name.")
    )
}

/// An account, as one who uses it sees it.
public struct AccountView: JSONObject, Hashable {
    public let id: ID<Account>
    public let kind: AccountKind
    public let currency: Currency
    public let name: String
    public let icon: String?
    public let iban: String?
    public let balance: Money
    public let available: Money
    public let createdAt: Instant
    public let closedAt: Instant?
    public let role: AccountRole
    public let ownedBy: String?

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

    public static let json = Object(
        AccountView.init,
        Field("id", \.id, about: "The identifier."),
        Field("kind", \.kind, about: "The kind."),
        Field("currency", \.currency, about: "The currency."),
        Field("name", \.name, about: "The name."),
        Field("icon", \.icon, about: "The icon's name."),
        Field("iban", \.iban, about: "The IBAN, where it has one."),
        Field("balance", \.balance, about: "What is in it."),
        Field("available", \.available, about: "What of it is not held for something."),
        Field("createdAt", \.createdAt, about: "When it was opened."),
        Field("closedAt", \.closedAt, about: "When it was closed."),
        Field("role", \.role, default: .owner, about: "What who asks may do with it."),
        Field("ownedBy", \.ownedBy, about: "Whose it is, where it is another's.")
    )
}

/// Which accounts.
public struct AccountQuery: QueryObject, Hashable {
    public let closed: Bool
    public let limit: Int
    public let cursor: Cursor?

    public init(closed: Bool = false, limit: Int = 50, cursor: Cursor? = nil) {
        self.closed = closed
        self.limit = limit
        self.cursor = cursor
    }

    public static let query = QueryFields(
        AccountQuery.init,
        QueryField(
            "closed",
            \.closed,
            default: false,
            about: "Whether closed ones are among them."
        ),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
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
        isTagged: true,
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
        isTagged: true,
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
        isTagged: true,
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
