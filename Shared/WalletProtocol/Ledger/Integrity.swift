/// All accounts of one currency added up.
public struct TrialBalance: JSONObject, Hashable {
    /// The currency.
    public let currency: Currency
    /// What users' accounts hold together, from their stored balances.
    public let users: Total
    /// What the system's accounts hold together, summed from the journal.
    public let system: Total
    /// Both together: zero.
    public let total: Total
    /// The part of the system's that exchanging has left us with: minus where we owe.
    public let position: Total

    /// All of it.
    public init(
        currency: Currency,
        users: Total,
        system: Total,
        total: Total,
        position: Total
    ) {
        self.currency = currency
        self.users = users
        self.system = system
        self.total = total
        self.position = position
    }

    /// The description.
    public static let json = Object(
        TrialBalance.init,
        Field("currency", \.currency),
        Field("users", \.users),
        Field("system", \.system),
        Field("total", \.total),
        Field("position", \.position)
    )
}

/// What exchanging has brought or cost until now: all positions at one day's reference rates.
public struct ExchangeGain: JSONObject, Hashable {
    /// In euros, half to even currency by currency: a figure that is only shown.
    ///
    /// Minus is a loss.
    public let gain: Total
    /// Whose rates it is at.
    public let day: Day
    /// Positions that have no rate on that day, and are not in it.
    public let unconverted: [Currency]

    /// All of it.
    public init(gain: Total, day: Day, unconverted: [Currency]) {
        self.gain = gain
        self.day = day
        self.unconverted = unconverted
    }

    /// The description.
    public static let json = Object(
        ExchangeGain.init,
        Field("gain", \.gain),
        Field("day", \.day),
        Field("unconverted", \.unconverted)
    )
}

/// The first row that verifying the journal found to be wrong.
public struct LedgerFault: JSONObject, Hashable {
    /// The table.
    public let table: String
    /// The row's key.
    public let row: String
    /// What is wrong with it.
    public let what: String

    /// All of it.
    public init(table: String, row: String, what: String) {
        self.table = table
        self.row = row
        self.what = what
    }

    /// The description.
    public static let json = Object(
        LedgerFault.init,
        Field("table", \.table, .line(1...64)),
        Field("row", \.row, .line(1...4_000)),
        Field("what", \.what, .line(1...4_000))
    )
}

/// Who had the journal verified.
public enum Verifier: String, StringEnum {
    /// Somebody at the command line.
    case `operator`
    /// The ledger by itself, once a day.
    case service
}

/// What verifying the whole journal has come to: chain, signatures, sums and stored balances.
public struct LedgerVerification: JSONObject, Hashable {
    /// Whether everything is as it was written.
    public let isIntact: Bool
    /// When it ended.
    public let finishedAt: Instant
    /// How long it took.
    public let milliseconds: Int64
    /// Who had it done.
    public let by: Verifier
    /// The block behind which the chain was walked: 0 is from nothing.
    public let verifiedFrom: Int64
    /// The last block that was walked and found good.
    public let verifiedTo: Int64
    /// How many entries were held against the chain.
    public let entries: Int64
    /// How many movements there were.
    public let movements: Int64
    /// The first row that was wrong.
    public let fault: LedgerFault?
    /// The last block, once there is one.
    public let head: ChainHead?

    /// All of it.
    public init(
        isIntact: Bool,
        finishedAt: Instant,
        milliseconds: Int64,
        by: Verifier,
        verifiedFrom: Int64,
        verifiedTo: Int64,
        entries: Int64,
        movements: Int64,
        fault: LedgerFault? = nil,
        head: ChainHead? = nil
    ) {
        self.isIntact = isIntact
        self.finishedAt = finishedAt
        self.milliseconds = milliseconds
        self.by = by
        self.verifiedFrom = verifiedFrom
        self.verifiedTo = verifiedTo
        self.entries = entries
        self.movements = movements
        self.fault = fault
        self.head = head
    }

    /// The description.
    public static let json = Object(
        LedgerVerification.init,
        Field("intact", \.isIntact),
        Field("finishedAt", \.finishedAt),
        Field("milliseconds", \.milliseconds),
        Field("by", \.by),
        Field("verifiedFrom", \.verifiedFrom),
        Field("verifiedTo", \.verifiedTo),
        Field("entries", \.entries),
        Field("movements", \.movements),
        Field("fault", \.fault),
        Field("head", \.head)
    )
}

/// Whether the books are right.
public struct LedgerIntegrity: JSONObject, Hashable {
    /// Whether every total is zero.
    public let isBalanced: Bool
    /// One a currency, in one snapshot.
    public let balances: [TrialBalance]
    /// What exchanging has brought or cost, once there was any.
    public let exchange: ExchangeGain?
    /// The chain's head, once there is a block.
    public let head: ChainHead?
    /// What verifying the whole of it came to the last time.
    public let verification: LedgerVerification?
    /// When it was checked.
    public let checkedAt: Instant

    /// All of it.
    public init(
        isBalanced: Bool,
        balances: [TrialBalance],
        exchange: ExchangeGain? = nil,
        head: ChainHead? = nil,
        verification: LedgerVerification? = nil,
        checkedAt: Instant
    ) {
        self.isBalanced = isBalanced
        self.balances = balances
        self.exchange = exchange
        self.head = head
        self.verification = verification
        self.checkedAt = checkedAt
    }

    /// The description.
    public static let json = Object(
        LedgerIntegrity.init,
        Field("balanced", \.isBalanced),
        Field("balances", \.balances),
        Field("exchange", \.exchange),
        Field("head", \.head),
        Field("verification", \.verification),
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
        summary: "Trial balance, the journal's signed head, and the last verification"
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
