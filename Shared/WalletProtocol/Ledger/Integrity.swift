/// A sum over everybody, which 64 bits of minor units need not hold; written as `Money` is.
public struct MoneySum: JSONObject, Hashable {
    /// The decimal, with as many digits after the point as the currency has.
    public let amount: String
    /// The currency.
    public let currency: Currency

    /// All of it.
    public init(amount: String, currency: Currency) {
        self.amount = amount
        self.currency = currency
    }

    /// The description.
    public static let json = Object(
        MoneySum.init,
        Field("amount", \.amount, .line(1...60)),
        Field("currency", \.currency)
    )
}

/// All accounts of one currency added up.
public struct TrialBalance: JSONObject, Hashable {
    /// The currency.
    public let currency: Currency
    /// What users' accounts hold together, from their stored balances.
    public let users: MoneySum
    /// What the system's accounts hold together, summed from the journal.
    public let system: MoneySum
    /// Both together: zero.
    public let total: MoneySum

    /// All of it.
    public init(currency: Currency, users: MoneySum, system: MoneySum, total: MoneySum) {
        self.currency = currency
        self.users = users
        self.system = system
        self.total = total
    }

    /// The description.
    public static let json = Object(
        TrialBalance.init,
        Field("currency", \.currency),
        Field("users", \.users),
        Field("system", \.system),
        Field("total", \.total)
    )
}

/// The last block of the journal's chain.
public struct JournalHead: JSONObject, Hashable {
    /// Its number.
    public let height: Int64
    /// Its hash, hexadecimal.
    public let hash: String
    /// The signature of it (ES256), base64url.
    public let signature: String
    /// When it was closed.
    public let sealedAt: Instant

    /// All of it.
    public init(height: Int64, hash: String, signature: String, sealedAt: Instant) {
        self.height = height
        self.hash = hash
        self.signature = signature
        self.sealedAt = sealedAt
    }

    /// The description.
    public static let json = Object(
        JournalHead.init,
        Field("height", \.height),
        Field("hash", \.hash),
        Field("signature", \.signature),
        Field("sealedAt", \.sealedAt)
    )
}

/// Whether the books are right.
public struct LedgerIntegrity: JSONObject, Hashable {
    /// Whether every total is zero.
    public let isBalanced: Bool
    /// One a currency, in one snapshot.
    public let balances: [TrialBalance]
    /// The chain's head, once there is a block.
    public let head: JournalHead?
    /// When it was checked.
    public let checkedAt: Instant

    /// All of it.
    public init(
        isBalanced: Bool,
        balances: [TrialBalance],
        head: JournalHead? = nil,
        checkedAt: Instant
    ) {
        self.isBalanced = isBalanced
        self.balances = balances
        self.head = head
        self.checkedAt = checkedAt
    }

    /// The description.
    public static let json = Object(
        LedgerIntegrity.init,
        Field("balanced", \.isBalanced),
        Field("balances", \.balances),
        Field("head", \.head),
        Field("checkedAt", \.checkedAt)
    )
}

/// What administrators see of the ledger, and services of its contents.
public enum Integrity {
    /// Adds everything up.
    public static let get = Endpoint<NoQuery, NoBody, LedgerIntegrity>(
        "getLedgerIntegrity",
        .get,
        "/v1/ledger-integrity",
        of: .ledger,
        for: .role(.admin),
        summary: "Trial balance and the journal's head"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [get.erased]
}

/// What the ledger answers to services alone.
public enum InternalLedger {
    /// Every account.
    public static let accounts = Endpoint<SnapshotQuery, NoBody, Page<Snapshot<AccountOpened>>>(
        "snapshotAccounts",
        .get,
        "/internal/snapshots/accounts",
        of: .ledger,
        for: .internalService,
        summary: "Every account, with sequences"
    )

    /// Every category.
    public static let categories = Endpoint<
        SnapshotQuery, NoBody, Page<Snapshot<CategoryChanged>>
    >(
        "snapshotCategories",
        .get,
        "/internal/snapshots/categories",
        of: .ledger,
        for: .internalService,
        summary: "Every category, with sequences"
    )

    /// Every transaction that counts.
    public static let transactions = Endpoint<
        SnapshotQuery, NoBody, Page<Snapshot<TransactionPosted>>
    >(
        "snapshotTransactions",
        .get,
        "/internal/snapshots/transactions",
        of: .ledger,
        for: .internalService,
        summary: "Every transaction that counts, with sequences"
    )
}
