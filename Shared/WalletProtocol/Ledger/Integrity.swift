/// All accounts of one currency added up.
public struct TrialBalance: JSONObject, Hashable {
    public let currency: Currency
    public let users: Total
    public let system: Total
    public let total: Total
    public let position: Total

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

    public static let json = Object(
        TrialBalance.init,
        Field("currency", \.currency, about: "The currency."),
        Field(
            "users",
            \.users,
            about: "What users' accounts hold together, from their stored balances."
        ),
        Field(
            "system",
            \.system,
            about: "What the system's accounts hold together, summed from the journal."
        ),
        Field("total", \.total, about: "Both together: zero."),
        Field(
            "position",
            \.position,
            about: "The part of the system's that exchanging has left us with: minus where we owe."
        )
    )
}

/// What exchanging has brought or cost until now: all positions at one day's reference rates.
public struct ExchangeGain: JSONObject, Hashable {
    public let gain: Total
    public let day: Day
    public let unconverted: [Currency]

    public init(gain: Total, day: Day, unconverted: [Currency]) {
        self.gain = gain
        self.day = day
        self.unconverted = unconverted
    }

    public static let json = Object(
        ExchangeGain.init,
        Field(
            "gain",
            \.gain,
            about: """
                In euros, half to even currency by currency: a figure that is only shown. Minus is \
                a loss.
                """
        ),
        Field("day", \.day, about: "Whose rates it is at."),
        Field(
            "unconverted",
            \.unconverted,
            about: "Positions that have no rate on that day, and are not in it."
        )
    )
}

/// The first row that verifying the journal found to be wrong.
public struct LedgerFault: JSONObject, Hashable {
    public let table: String
    public let row: String
    public let what: String

    public init(table: String, row: String, what: String) {
        self.table = table
        self.row = row
        self.what = what
    }

    public static let json = Object(
        LedgerFault.init,
        Field("table", \.table, .line(1...64), about: "The table."),
        Field("row", \.row, .line(1...4_000), about: "The row's key."),
        Field("what", \.what, .line(1...4_000), about: "What is wrong with it.")
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
    public let isIntact: Bool
    public let finishedAt: Instant
    public let milliseconds: Int64
    public let by: Verifier
    public let verifiedFrom: Int64
    public let verifiedTo: Int64
    public let entries: Int64
    public let movements: Int64
    public let fault: LedgerFault?
    public let head: ChainHead?

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

    public static let json = Object(
        LedgerVerification.init,
        Field("intact", \.isIntact, about: "Whether everything is as it was written."),
        Field("finishedAt", \.finishedAt, about: "When it ended."),
        Field("milliseconds", \.milliseconds, about: "How long it took."),
        Field("by", \.by, about: "Who had it done."),
        Field(
            "verifiedFrom",
            \.verifiedFrom,
            about: "The block behind which the chain was walked: 0 is from nothing."
        ),
        Field("verifiedTo", \.verifiedTo, about: "The last block that was walked and found good."),
        Field("entries", \.entries, about: "How many entries were held against the chain."),
        Field("movements", \.movements, about: "How many movements there were."),
        Field("fault", \.fault, about: "The first row that was wrong."),
        Field("head", \.head, about: "The last block, once there is one.")
    )
}

/// Whether the books are right.
public struct LedgerIntegrity: JSONObject, Hashable {
    public let isBalanced: Bool
    public let balances: [TrialBalance]
    public let exchange: ExchangeGain?
    public let head: ChainHead?
    public let verification: LedgerVerification?
    public let checkedAt: Instant

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

    public static let json = Object(
        LedgerIntegrity.init,
        Field("balanced", \.isBalanced, about: "Whether every total is zero."),
        Field("balances", \.balances, about: "One a currency, in one snapshot."),
        Field(
            "exchange",
            \.exchange,
            about: "What exchanging has brought or cost, once there was any."
        ),
        Field("head", \.head, about: "The chain's head, once there is a block."),
        Field(
            "verification",
            \.verification,
            about: "What verifying the whole of it came to the last time."
        ),
        Field("checkedAt", \.checkedAt, about: "When it was checked.")
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
