/// What a transfer would be.
public struct NewQuote: JSONObject, Hashable {
    public let fromAccountID: ID<Account>
    public let toIBAN: String?
    public let toAccountID: ID<Account>?
    public let toCurrency: Currency?
    public let amount: Money?

    public static let json = Object(
        NewQuote.init,
        Field("fromAccountId", \.fromAccountID, about: "The account that pays."),
        Field("toIban", \.toIBAN, .line(15...42), about: "The IBAN that gets it."),
        Field("toAccountId", \.toAccountID, about: "The own account that gets it."),
        Field(
            "toCurrency",
            \.toCurrency,
            about: "The currency of a deposit that is to be opened with it."
        ),
        Field(
            "amount",
            \.amount,
            .sent,
            .positive,
            about: "How much, in either account's currency; without it only the rate is told."
        )
    )
}

/// A rate that was used.
public struct RateView: JSONObject, Hashable {
    public let value: ExactDecimal
    public let source: String
    public let day: Day

    public init(value: ExactDecimal, source: String, day: Day) {
        self.value = value
        self.source = source
        self.day = day
    }

    public static let json = Object(
        RateView.init,
        Field(
            "value",
            \.value,
            about: "Units of the target for one of the source, rounded for show to 12 digits."
        ),
        Field("source", \.source, about: "Whose rate, such as `ECB`."),
        Field("day", \.day, about: "The day that it was published for.")
    )
}

/// A transfer's price, fixed for a minute; it reserves nothing.
public struct QuoteView: JSONObject, Hashable {
    public let id: ID<Quote>
    public let fromAccountID: ID<Account>
    public let payee: String?
    public let currency: Currency
    public let amount: Money?
    public let converted: Money?
    public let rate: RateView?
    public let fee: Money
    public let expiresAt: Instant

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

    public static let json = Object(
        QuoteView.init,
        Field("id", \.id, about: "The identifier."),
        Field("fromAccountId", \.fromAccountID, about: "The account that pays."),
        Field("payee", \.payee, about: "The masked name of who gets it."),
        Field("currency", \.currency, about: "The currency that arrives."),
        Field("amount", \.amount, about: "What the payer's account is debited."),
        Field("converted", \.converted, about: "What arrives."),
        Field("rate", \.rate, about: "The rate, between two currencies."),
        Field("fee", \.fee, about: "What it costs: nothing."),
        Field("expiresAt", \.expiresAt, about: "How long it stands.")
    )
}

/// What is to be moved: a quote, or within one currency the quote's fields.
public struct NewTransfer: JSONObject, Hashable {
    public let quoteID: ID<Quote>?
    public let fromAccountID: ID<Account>?
    public let toIBAN: String?
    public let toAccountID: ID<Account>?
    public let amount: Money?
    public let reference: String?
    public let hold: Bool

    public static let json = Object(
        NewTransfer.init,
        Field("quoteId", \.quoteID, about: "The quote."),
        Field("fromAccountId", \.fromAccountID, about: "The account that pays, without a quote."),
        Field("toIban", \.toIBAN, .line(15...42), about: "The IBAN that gets it, without a quote."),
        Field(
            "toAccountId",
            \.toAccountID,
            about: "The own account that gets it, without a quote."
        ),
        Field(
            "amount",
            \.amount,
            .sent,
            .positive,
            about: "How much, where the quote does not say."
        ),
        Field("reference", \.reference, .line(1...140), about: "What the payee reads."),
        Field(
            "hold",
            \.hold,
            default: false,
            about: """
                Whether it is only held for now, to be captured or given up; within one currency.
                """
        )
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
    public let id: ID<Transfer>
    public let state: TransferState
    public let fromAccountID: ID<Account>?
    public let toAccountID: ID<Account>?
    public let debit: Money
    public let credit: Money
    public let rate: RateView?
    public let reference: String?
    public let expiresAt: Instant?
    public let createdAt: Instant

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

    public static let json = Object(
        TransferView.init,
        Field("id", \.id, about: "The identifier."),
        Field("state", \.state, about: "Where it is."),
        Field(
            "fromAccountId",
            \.fromAccountID,
            about: "The account that paid, where it is the caller's."
        ),
        Field(
            "toAccountId",
            \.toAccountID,
            about: "The account that got it, where it is the caller's."
        ),
        Field("debit", \.debit, about: "What was debited."),
        Field("credit", \.credit, about: "What arrived."),
        Field("rate", \.rate, about: "The rate, between two currencies."),
        Field("reference", \.reference, about: "What the payee reads."),
        Field("expiresAt", \.expiresAt, about: "Until when it is held, where it is or was."),
        Field("createdAt", \.createdAt, about: "When it was posted, or held.")
    )
}

/// Many transfers at once.
public struct NewTransfers: JSONObject, Hashable {
    public let transfers: [NewTransfer]
    public let isAtomic: Bool

    public static let json = Object(
        NewTransfers.init,
        Field(
            "transfers",
            \.transfers,
            .count(1...1_000),
            about: "What is to be moved, in this order."
        ),
        Field(
            "atomic",
            \.isAtomic,
            default: true,
            about: "Whether all of them or none are posted; else each by itself."
        )
    )
}

/// What became of one of many.
public struct TransferResult: JSONObject, Hashable {
    public let status: Int
    public let transfer: TransferView?
    public let code: String?
    public let detail: String?

    public init(status: Int, transfer: TransferView?, code: String? = nil, detail: String? = nil) {
        self.status = status
        self.transfer = transfer
        self.code = code
        self.detail = detail
    }

    public static let json = Object(
        TransferResult.init,
        Field(
            "status",
            \.status,
            about: "The status that it would have had alone: 201, or that of its refusal."
        ),
        Field("transfer", \.transfer, about: "The transfer, where it was posted."),
        Field("code", \.code, about: "Why not, as problem details have it."),
        Field("detail", \.detail, about: "Why not, for people.")
    )
}

/// What became of many.
public struct TransferResults: JSONObject, Hashable {
    public let results: [TransferResult]

    public init(results: [TransferResult]) { self.results = results }

    public static let json = Object(
        TransferResults.init,
        Field("results", \.results, about: "In the order in which they were asked.")
    )
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
            .rateUnavailable, .rateStale,
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
            .insufficientFunds, .limitExceeded, .approvalRequired, .quoteExpired, .quoteUsed,
            .unknownIBAN,
            .accountKind, .accountClosed, .amountTooSmall, .currencyMismatch, .balanceOverflow,
            .stepUpRequired,
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
            .insufficientFunds, .limitExceeded, .approvalRequired, .quoteExpired, .quoteUsed,
            .unknownIBAN,
            .accountKind, .accountClosed, .amountTooSmall, .currencyMismatch, .balanceOverflow,
            .stepUpRequired,
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
        errors: [
            .notFound, .holdEnded, .limitExceeded, .approvalRequired, .accountClosed,
            .balanceOverflow,
        ],
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
