/// A transfer that is to come again.
public struct NewStandingOrder: JSONObject, Hashable {
    public let fromAccountID: ID<Account>
    public let toAccountID: ID<Account>?
    public let toIBAN: String?
    public let amount: Money
    public let reference: String?
    public let rule: RecurrenceRule
    public let startDate: Day?

    public static let json = Object(
        NewStandingOrder.init,
        Field("fromAccountId", \.fromAccountID, about: "The account that pays."),
        Field("toAccountId", \.toAccountID, about: "The own account that gets it."),
        Field(
            "toIban",
            \.toIBAN,
            .line(15...42),
            about: "The IBAN that gets it; one of the two is given."
        ),
        Field(
            "amount",
            \.amount,
            .sent,
            .positive,
            about: "What is paid each time, in the currency of the account that pays."
        ),
        Field("reference", \.reference, .line(1...140), about: "What the payee reads."),
        Field("recurrence", \.rule, about: "How often, counted from the first day."),
        Field(
            "startDate",
            \.startDate,
            about: "The first day, none that has passed where you are; today where left out."
        )
    )
}

/// What became of a day of a standing order.
public enum StandingOrderState: String, StringEnum {
    /// It is a transfer.
    case paid
    /// It was refused, and is not tried again.
    case skipped
}

/// A day of a standing order that was.
public struct StandingOrderExecution: JSONObject, Hashable {
    public let number: Int
    public let date: Day
    public let state: StandingOrderState
    public let transferID: ID<Transfer>?
    public let reason: String?

    public init(
        number: Int,
        date: Day,
        state: StandingOrderState,
        transferID: ID<Transfer>? = nil,
        reason: String? = nil
    ) {
        self.number = number
        self.date = date
        self.state = state
        self.transferID = transferID
        self.reason = reason
    }

    public static let json = Object(
        StandingOrderExecution.init,
        Field("number", \.number, about: "Its place, counted from the first day, which is 0."),
        Field("date", \.date, about: "The day on which it was due."),
        Field("state", \.state, about: "What became of it."),
        Field("transferId", \.transferID, about: "The transfer that it became."),
        Field("reason", \.reason, about: "The code of the refusal.")
    )
}

/// What is to be paid, and what was lately.
public struct StandingOrderOccurrences: JSONObject, Hashable {
    public let items: [NextOccurrence]
    public let past: [StandingOrderExecution]

    public init(items: [NextOccurrence], past: [StandingOrderExecution]) {
        self.items = items
        self.past = past
    }

    public static let json = Object(
        StandingOrderOccurrences.init,
        Field("items", \.items, about: "The next ten; none while it is paused."),
        Field("past", \.past, about: "The last ten, the newest first.")
    )
}

/// A transfer that comes again and again.
public struct StandingOrderView: JSONObject, Hashable {
    public let id: ID<StandingOrder>
    public let fromAccountID: ID<Account>
    public let toAccountID: ID<Account>?
    public let toIBAN: String?
    public let payee: String?
    public let amount: Money
    public let currency: Currency
    public let reference: String?
    public let rule: RecurrenceRule
    public let startDate: Day
    public let nextDate: Day?
    public let isPaused: Bool
    public let last: StandingOrderExecution?
    public let version: Int
    public let createdAt: Instant

    public init(
        id: ID<StandingOrder>,
        fromAccountID: ID<Account>,
        toAccountID: ID<Account>? = nil,
        toIBAN: String? = nil,
        payee: String? = nil,
        amount: Money,
        currency: Currency,
        reference: String? = nil,
        rule: RecurrenceRule,
        startDate: Day,
        nextDate: Day? = nil,
        isPaused: Bool,
        last: StandingOrderExecution? = nil,
        version: Int,
        createdAt: Instant
    ) {
        self.id = id
        self.fromAccountID = fromAccountID
        self.toAccountID = toAccountID
        self.toIBAN = toIBAN
        self.payee = payee
        self.amount = amount
        self.currency = currency
        self.reference = reference
        self.rule = rule
        self.startDate = startDate
        self.nextDate = nextDate
        self.isPaused = isPaused
        self.last = last
        self.version = version
        self.createdAt = createdAt
    }

    public static let json = Object(
        StandingOrderView.init,
        Field("id", \.id, about: "The identifier."),
        Field("fromAccountId", \.fromAccountID, about: "The account that pays."),
        Field("toAccountId", \.toAccountID, about: "The account that gets it, where it is yours."),
        Field("toIban", \.toIBAN, about: "The IBAN that gets it, where it is another's."),
        Field("payee", \.payee, about: "The masked name of who gets it."),
        Field("amount", \.amount, about: "What is paid each time."),
        Field("currency", \.currency, about: "The currency that arrives."),
        Field("reference", \.reference, about: "What the payee reads."),
        Field("recurrence", \.rule, about: "How often."),
        Field("startDate", \.startDate, about: "The first day, from which all are counted."),
        Field(
            "nextDate",
            \.nextDate,
            about: "The next day; absent where it is paused or has ended."
        ),
        Field(
            "paused",
            \.isPaused,
            about: "Whether nothing is paid for now: by your wish, or as an account is closed."
        ),
        Field("last", \.last, about: "The newest day that was paid or skipped."),
        Field("version", \.version, about: "Counts its changes, from 1."),
        Field("createdAt", \.createdAt, about: "When it was made.")
    )
}

/// What changes of a standing order, for the days to come.
public struct StandingOrderChange: JSONObject, Hashable {
    public let amount: Replace<Money>
    public let reference: Patch<String>
    public let rule: Replace<RecurrenceRule>
    public let isPaused: Replace<Bool>

    public static let json = Object(
        StandingOrderChange.init,
        Field(
            "amount",
            \.amount,
            .sent,
            .positive,
            about: "What is paid each time, in the currency of the account that pays."
        ),
        Field("reference", \.reference, .line(1...140), about: "What the payee reads."),
        Field("recurrence", \.rule, about: "How often, counted from the same first day."),
        Field(
            "paused",
            \.isPaused,
            about: "Whether nothing is paid for now; what passes meanwhile is not made up for."
        )
    )
}

/// Transfers that come again, paid by themselves.
public enum StandingOrders {
    /// Makes one.
    public static let make = Endpoint<NoQuery, NewStandingOrder, StandingOrderView>(
        "makeStandingOrder",
        .post,
        "/v1/standing-orders",
        of: .ledger,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [
            .unknownIBAN, .accountKind, .accountClosed, .currencyMismatch, .rateUnavailable,
            .rateStale,
            .amountTooSmall, .balanceOverflow, .stepUpRequired, .tooManyStandingOrders,
        ],
        isTagged: true,
        summary: "Make a standing order: a transfer that comes again",
        description: """
            Each is paid once, as its day begins where you are, by a transfer. Where the account \
            does not hold enough, that day is skipped and you are told; where an account is \
            closed the order is paused, too. Between two currencies each is converted at the \
            newest rate of its day. To another person's account, above a configured sum, making \
            one needs a fresh proof; so does changing its amount or recurrence.
            """
    )

    /// All of them, the newest first.
    public static let list = Endpoint<PageQuery, NoBody, Page<StandingOrderView>>(
        "listStandingOrders",
        .get,
        "/v1/standing-orders",
        of: .ledger,
        for: .user,
        summary: "List standing orders, the newest first"
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, StandingOrderView>(
        "getStandingOrder",
        .get,
        "/v1/standing-orders/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        isTagged: true,
        summary: "A standing order"
    )

    /// Changes what is to come.
    public static let change = Endpoint<NoQuery, StandingOrderChange, StandingOrderView>(
        "changeStandingOrder",
        .patch,
        "/v1/standing-orders/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .currencyMismatch, .preconditionFailed, .stepUpRequired],
        isTagged: true,
        summary: "Change, pause or resume a standing order",
        description: """
            For what has not been paid yet; transfers that were made stay as they are. What \
            passes while it is paused is not made up for.
            """
    )

    /// Ends one; its transfers stay.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "deleteStandingOrder",
        .delete,
        "/v1/standing-orders/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .preconditionFailed],
        summary: "End a standing order; its transfers stay"
    )

    /// What is to come.
    public static let occurrences = Endpoint<NoQuery, NoBody, StandingOrderOccurrences>(
        "listStandingOrderOccurrences",
        .get,
        "/v1/standing-orders/{id}/occurrences",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        summary: "The next ten days, and what became of the last ten"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, list.erased, get.erased, change.erased, remove.erased, occurrences.erased,
    ]
}
