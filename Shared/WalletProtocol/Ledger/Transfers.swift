/// What a transfer would be.
public struct NewQuote: JSONObject, Hashable {
    /// The account that pays.
    public let fromAccountID: ID<Account>
    /// The IBAN that gets it.
    public let toIBAN: String?
    /// The own account that gets it.
    public let toAccountID: ID<Account>?
    /// The currency of a deposit that is to be opened with it.
    public let toCurrency: Currency?
    /// How much, in either account's currency; without it only the rate is told.
    public let amount: Money?

    /// All of it.
    public init(
        fromAccountID: ID<Account>,
        toIBAN: String? = nil,
        toAccountID: ID<Account>? = nil,
        toCurrency: Currency? = nil,
        amount: Money? = nil
    ) {
        self.fromAccountID = fromAccountID
        self.toIBAN = toIBAN
        self.toAccountID = toAccountID
        self.toCurrency = toCurrency
        self.amount = amount
    }

    /// The description.
    public static let json = Object(
        NewQuote.init,
        Field("fromAccountId", \.fromAccountID),
        Field("toIban", \.toIBAN, .line(15...42)),
        Field("toAccountId", \.toAccountID),
        Field("toCurrency", \.toCurrency),
        Field("amount", \.amount, .sent, .positive)
    )
}

/// A rate that was used.
public struct RateView: JSONObject, Hashable {
    /// Units of the target for one of the source, rounded for show to 12 digits.
    public let value: ExactDecimal
    /// Whose rate, such as `ECB`.
    public let source: String
    /// The day that it was published for.
    public let day: Day

    /// All of it.
    public init(value: ExactDecimal, source: String, day: Day) {
        self.value = value
        self.source = source
        self.day = day
    }

    /// The description.
    public static let json = Object(
        RateView.init,
        Field("value", \.value),
        Field("source", \.source),
        Field("day", \.day)
    )
}

/// A transfer's price, fixed for a minute; it reserves nothing.
public struct QuoteView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<Quote>
    /// The account that pays.
    public let fromAccountID: ID<Account>
    /// The masked name of who gets it.
    public let payee: String?
    /// The currency that arrives.
    public let currency: Currency
    /// What the payer's account is debited.
    public let amount: Money?
    /// What arrives.
    public let converted: Money?
    /// The rate, between two currencies.
    public let rate: RateView?
    /// What it costs: nothing.
    public let fee: Money
    /// How long it stands.
    public let expiresAt: Instant

    /// All of it.
    public init(
        id: ID<Quote>,
        fromAccountID: ID<Account>,
        payee: String? = nil,
        currency: Currency,
        amount: Money? = nil,
        converted: Money? = nil,
        rate: RateView? = nil,
        fee: Money,
        expiresAt: Instant
    ) {
        self.id = id
        self.fromAccountID = fromAccountID
        self.payee = payee
        self.currency = currency
        self.amount = amount
        self.converted = converted
        self.rate = rate
        self.fee = fee
        self.expiresAt = expiresAt
    }

    /// The description.
    public static let json = Object(
        QuoteView.init,
        Field("id", \.id),
        Field("fromAccountId", \.fromAccountID),
        Field("payee", \.payee),
        Field("currency", \.currency),
        Field("amount", \.amount),
        Field("converted", \.converted),
        Field("rate", \.rate),
        Field("fee", \.fee),
        Field("expiresAt", \.expiresAt)
    )
}

/// What is to be moved: a quote, or within one currency the quote's fields.
public struct NewTransfer: JSONObject, Hashable {
    /// The quote.
    public let quoteID: ID<Quote>?
    /// The account that pays, without a quote.
    public let fromAccountID: ID<Account>?
    /// The IBAN that gets it, without a quote.
    public let toIBAN: String?
    /// The own account that gets it, without a quote.
    public let toAccountID: ID<Account>?
    /// How much, where the quote does not say.
    public let amount: Money?
    /// What the payee reads.
    public let reference: String?
    /// Whether it is only held for now, to be captured or given up; within one currency.
    public let hold: Bool

    /// All of it.
    public init(
        quoteID: ID<Quote>? = nil,
        fromAccountID: ID<Account>? = nil,
        toIBAN: String? = nil,
        toAccountID: ID<Account>? = nil,
        amount: Money? = nil,
        reference: String? = nil,
        hold: Bool = false
    ) {
        self.quoteID = quoteID
        self.fromAccountID = fromAccountID
        self.toIBAN = toIBAN
        self.toAccountID = toAccountID
        self.amount = amount
        self.reference = reference
        self.hold = hold
    }

    /// The description.
    public static let json = Object(
        NewTransfer.init,
        Field("quoteId", \.quoteID),
        Field("fromAccountId", \.fromAccountID),
        Field("toIban", \.toIBAN, .line(15...42)),
        Field("toAccountId", \.toAccountID),
        Field("amount", \.amount, .sent, .positive),
        Field("reference", \.reference, .line(1...140)),
        Field("hold", \.hold, default: false)
    )
}

/// Where a transfer is.
public enum TransferState: String, StringEnum {
    /// Done.
    case posted
    /// Held.
    case pending
    /// Given up.
    case voided
    /// Held too long.
    case expired
}

/// Money moved between two accounts.
public struct TransferView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<Transfer>
    /// Where it is.
    public let state: TransferState
    /// The account that paid, where it is the caller's.
    public let fromAccountID: ID<Account>?
    /// The account that got it, where it is the caller's.
    public let toAccountID: ID<Account>?
    /// What was debited.
    public let debit: Money
    /// What arrived.
    public let credit: Money
    /// The rate, between two currencies.
    public let rate: RateView?
    /// What the payee reads.
    public let reference: String?
    /// Until when it is held, where it is or was.
    public let expiresAt: Instant?
    /// When it was posted, or held.
    public let createdAt: Instant

    /// All of it.
    public init(
        id: ID<Transfer>,
        state: TransferState,
        fromAccountID: ID<Account>? = nil,
        toAccountID: ID<Account>? = nil,
        debit: Money,
        credit: Money,
        rate: RateView? = nil,
        reference: String? = nil,
        expiresAt: Instant? = nil,
        createdAt: Instant
    ) {
        self.id = id
        self.state = state
        self.fromAccountID = fromAccountID
        self.toAccountID = toAccountID
        self.debit = debit
        self.credit = credit
        self.rate = rate
        self.reference = reference
        self.expiresAt = expiresAt
        self.createdAt = createdAt
    }

    /// The description.
    public static let json = Object(
        TransferView.init,
        Field("id", \.id),
        Field("state", \.state),
        Field("fromAccountId", \.fromAccountID),
        Field("toAccountId", \.toAccountID),
        Field("debit", \.debit),
        Field("credit", \.credit),
        Field("rate", \.rate),
        Field("reference", \.reference),
        Field("expiresAt", \.expiresAt),
        Field("createdAt", \.createdAt)
    )
}

/// Many transfers at once.
public struct NewTransfers: JSONObject, Hashable {
    /// What is to be moved, in this order.
    public let transfers: [NewTransfer]
    /// Whether all of them or none are posted; else each by itself.
    public let isAtomic: Bool

    /// All of it.
    public init(transfers: [NewTransfer], isAtomic: Bool = true) {
        self.transfers = transfers
        self.isAtomic = isAtomic
    }

    /// The description.
    public static let json = Object(
        NewTransfers.init,
        Field("transfers", \.transfers, .count(1...1_000)),
        Field("atomic", \.isAtomic, default: true)
    )
}

/// What became of one of many.
public struct TransferResult: JSONObject, Hashable {
    /// The status that it would have had alone: 201, or that of its refusal.
    public let status: Int
    /// The transfer, where it was posted.
    public let transfer: TransferView?
    /// Why not, as problem details have it.
    public let code: String?
    /// Why not, for people.
    public let detail: String?

    /// All of it.
    public init(status: Int, transfer: TransferView?, code: String? = nil, detail: String? = nil) {
        self.status = status
        self.transfer = transfer
        self.code = code
        self.detail = detail
    }

    /// The description.
    public static let json = Object(
        TransferResult.init,
        Field("status", \.status),
        Field("transfer", \.transfer),
        Field("code", \.code),
        Field("detail", \.detail)
    )
}

/// What became of many.
public struct TransferResults: JSONObject, Hashable {
    /// In the order in which they were asked.
    public let results: [TransferResult]

    /// All of it.
    public init(results: [TransferResult]) { self.results = results }

    /// The description.
    public static let json = Object(TransferResults.init, Field("results", \.results))
}

/// Quotes and transfers.
public enum Transfers {
    /// Fixes a price.
    public static let quote = Endpoint<NoQuery, NewQuote, QuoteView>(
        "makeQuote",
        .post,
        "/v1/quotes",
        of: .ledger,
        for: .user,
        statuses: [201],
        errors: [
            .unknownIBAN, .accountKind, .accountClosed, .insufficientFunds, .amountTooSmall,
            .rateUnavailable,
        ],
        summary: "Fix the price of a transfer"
    )

    /// Moves money.
    public static let post = Endpoint<NoQuery, NewTransfer, TransferView>(
        "postTransfer",
        .post,
        "/v1/transfers",
        of: .ledger,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [
            .insufficientFunds, .quoteExpired, .quoteUsed, .unknownIBAN, .accountKind,
            .accountClosed, .amountTooSmall, .currencyMismatch, .balanceOverflow, .stepUpRequired,
        ],
        summary: "Transfer money",
        description: """
            At most once per key. The debit is rounded up, the credit down. To another person's \
            account, above a configured amount, it needs a fresh proof.
            """
    )

    /// Moves money many times.
    public static let postMany = Endpoint<NoQuery, NewTransfers, TransferResults>(
        "postTransfers",
        .post,
        "/v1/transfers/batches",
        of: .ledger,
        for: .user,
        idempotency: .required,
        bodyLimit: 1 << 20,
        statuses: [200],
        errors: [
            .insufficientFunds, .quoteExpired, .quoteUsed, .unknownIBAN, .accountKind,
            .accountClosed, .amountTooSmall, .currencyMismatch, .balanceOverflow, .stepUpRequired,
        ],
        summary: "Transfer money many times",
        description: """
            Up to 1,000. `atomic` ones are posted all or not at all, and a refusal names the \
            first that failed; others each have a result of their own. Repeated with its key, it \
            goes on where it was interrupted.
            """
    )

    /// Moves what is held.
    public static let capture = Endpoint<NoQuery, NoBody, TransferView>(
        "captureTransfer",
        .post,
        "/v1/transfers/{id}/capture",
        of: .ledger,
        for: .user,
        idempotency: .required,
        errors: [.notFound, .holdEnded, .accountClosed, .balanceOverflow],
        summary: "Capture a transfer that is held",
        description: "Whoever pays may do it, until the hold expires."
    )

    /// Gives up what is held.
    public static let void = Endpoint<NoQuery, NoBody, TransferView>(
        "voidTransfer",
        .post,
        "/v1/transfers/{id}/void",
        of: .ledger,
        for: .user,
        idempotency: .required,
        errors: [.notFound, .holdEnded],
        summary: "Give a transfer up that is held",
        description: "Whoever pays or is to be paid may do it."
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, TransferView>(
        "getTransfer",
        .get,
        "/v1/transfers/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        summary: "Read a transfer"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        quote.erased, post.erased, postMany.erased, capture.erased, void.erased, get.erased,
    ]
}
