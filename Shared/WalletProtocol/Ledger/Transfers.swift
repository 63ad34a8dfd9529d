/// What a transfer would be.
public struct NewQuote: JSONObject, Hashable {
    /// The account that pays.
    public let fromAccountID: ID<Account>
    /// The IBAN that gets it.
    public let toIBAN: String?
    /// The own account that gets it.
    public let toAccountID: ID<Account>?
    /// How much, in either account's currency; without it only the rate is told.
    public let amount: Money?

    /// All of it.
    public init(
        fromAccountID: ID<Account>,
        toIBAN: String? = nil,
        toAccountID: ID<Account>? = nil,
        amount: Money? = nil
    ) {
        self.fromAccountID = fromAccountID
        self.toIBAN = toIBAN
        self.toAccountID = toAccountID
        self.amount = amount
    }

    /// The description.
    public static let json = Object(
        NewQuote.init,
        Field("fromAccountId", \.fromAccountID),
        Field("toIban", \.toIBAN, .line(15...42)),
        Field("toAccountId", \.toAccountID),
        Field("amount", \.amount, .positive)
    )
}

/// A rate that was used.
public struct RateView: JSONObject, Hashable {
    /// Units of the target for one of the source, rounded for show to 12 digits.
    public let value: ExactDecimal
    /// Whose rate: `ECB`.
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

    /// All of it.
    public init(
        quoteID: ID<Quote>? = nil,
        fromAccountID: ID<Account>? = nil,
        toIBAN: String? = nil,
        toAccountID: ID<Account>? = nil,
        amount: Money? = nil,
        reference: String? = nil
    ) {
        self.quoteID = quoteID
        self.fromAccountID = fromAccountID
        self.toIBAN = toIBAN
        self.toAccountID = toAccountID
        self.amount = amount
        self.reference = reference
    }

    /// The description.
    public static let json = Object(
        NewTransfer.init,
        Field("quoteId", \.quoteID),
        Field("fromAccountId", \.fromAccountID),
        Field("toIban", \.toIBAN, .line(15...42)),
        Field("toAccountId", \.toAccountID),
        Field("amount", \.amount, .positive),
        Field("reference", \.reference, .line(1...140))
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
    /// When it was posted.
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
        Field("createdAt", \.createdAt)
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
    public static let all: [EndpointDescription] = [quote.erased, post.erased, get.erased]
}
