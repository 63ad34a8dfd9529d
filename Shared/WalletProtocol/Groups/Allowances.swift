/// What became of a day of an allowance.
public enum AllowanceState: String, StringEnum {
    /// It has come, and is being paid.
    case pending
    /// The child has it.
    case paid
    /// It was refused, and is left out.
    case skipped
}

/// A day of an allowance that was.
public struct PastAllowance: JSONObject, Hashable {
    public let number: Int
    public let date: Day
    public let amount: Money
    public let state: AllowanceState
    public let transactionID: ID<MoneyTransaction>?
    public let reason: String?

    public init(
        number: Int,
        date: Day,
        amount: Money,
        state: AllowanceState,
        transactionID: ID<MoneyTransaction>? = nil,
        reason: String? = nil
    ) {
        self.number = number
        self.date = date
        self.amount = amount
        self.state = state
        self.transactionID = transactionID
        self.reason = reason
    }

    public static let json = Object(
        PastAllowance.init,
        Field("number", \.number, about: "Its place, counted from the first, which is 0."),
        Field("date", \.date, about: "The day on which it was due."),
        Field("amount", \.amount, about: "What it was."),
        Field("state", \.state, about: "What became of it."),
        Field("transactionId", \.transactionID, about: "What the child sees, once it is paid."),
        Field("reason", \.reason, about: "The code of the refusal.")
    )
}

/// What is to come of an allowance, and what was lately.
public struct AllowanceOccurrences: JSONObject, Hashable {
    public let items: [NextOccurrence]
    public let past: [PastAllowance]

    public init(items: [NextOccurrence], past: [PastAllowance]) {
        self.items = items
        self.past = past
    }

    public static let json = Object(
        AllowanceOccurrences.init,
        Field("items", \.items, about: "The next ten; none while it rests."),
        Field("past", \.past, about: "The last ten, the newest first.")
    )
}

/// An allowance that comes again and again.
public struct RecurringAllowanceView: JSONObject, Hashable {
    public let id: ID<Recurrence>
    public let childID: ID<User>
    public let parentID: ID<User>
    public let amount: Money
    public let isTransfer: Bool
    public let fromAccountID: ID<Account>?
    public let name: String?
    public let rule: RecurrenceRule
    public let startDate: Day
    public let nextDate: Day?
    public let isActive: Bool
    public let last: PastAllowance?
    public let version: Int
    public let createdAt: Instant

    public init(
        id: ID<Recurrence>,
        childID: ID<User>,
        parentID: ID<User>,
        amount: Money,
        isTransfer: Bool,
        fromAccountID: ID<Account>? = nil,
        name: String? = nil,
        rule: RecurrenceRule,
        startDate: Day,
        nextDate: Day? = nil,
        isActive: Bool,
        last: PastAllowance? = nil,
        version: Int,
        createdAt: Instant
    ) {
        self.id = id
        self.childID = childID
        self.parentID = parentID
        self.amount = amount
        self.isTransfer = isTransfer
        self.fromAccountID = fromAccountID
        self.name = name
        self.rule = rule
        self.startDate = startDate
        self.nextDate = nextDate
        self.isActive = isActive
        self.last = last
        self.version = version
        self.createdAt = createdAt
    }

    public static let json = Object(
        RecurringAllowanceView.init,
        Field("id", \.id, about: "The identifier."),
        Field("childId", \.childID, about: "Who gets it."),
        Field("parentId", \.parentID, about: "Who pays it."),
        Field("amount", \.amount, about: "How much each time."),
        Field(
            "transfer",
            \.isTransfer,
            about: "Whether an account of that parent's pays; else it is recorded as income."
        ),
        Field(
            "fromAccountId",
            \.fromAccountID,
            about: "The account, which the parent who pays sees, and nobody else."
        ),
        Field("name", \.name, about: "What it is called."),
        Field("recurrence", \.rule, about: "How often."),
        Field("startDate", \.startDate, about: "The first day, from which all are counted."),
        Field(
            "nextDate",
            \.nextDate,
            about: "The next day; absent where it rests or has ended."
        ),
        Field("active", \.isActive, about: "Whether it goes on; of no consequence behind its end."),
        Field("last", \.last, about: "The newest day that has come."),
        Field("version", \.version, about: "Counts its changes, from 1."),
        Field("createdAt", \.createdAt, about: "When it was made.")
    )
}

/// What changes of an allowance, for the days that have not come.
public struct AllowanceChange: JSONObject, Hashable {
    public let amount: Replace<Money>
    public let fromAccountID: Patch<ID<Account>>
    public let name: Patch<String>
    public let rule: Replace<RecurrenceRule>
    public let isActive: Replace<Bool>

    public init(
        amount: Replace<Money> = .unchanged,
        fromAccountID: Patch<ID<Account>> = .unchanged,
        name: Patch<String> = .unchanged,
        rule: Replace<RecurrenceRule> = .unchanged,
        isActive: Replace<Bool> = .unchanged
    ) {
        self.amount = amount
        self.fromAccountID = fromAccountID
        self.name = name
        self.rule = rule
        self.isActive = isActive
    }

    public static let json = Object(
        AllowanceChange.init,
        Field("amount", \.amount, .sent, .positive, about: "How much, in the family's currency."),
        Field(
            "fromAccountId",
            \.fromAccountID,
            about: "The account that pays; `null`: it is recorded as income."
        ),
        Field("name", \.name, .line(1...80), about: "What it is called."),
        Field("recurrence", \.rule, about: "How often, counted from the same first day."),
        Field(
            "active",
            \.isActive,
            about: "Whether it goes on; what passed while it rested is not made up for."
        )
    )
}

/// Allowances that come again; one is made by paying the first (`Families.pay`).
public enum Allowances {
    /// A child's, the newest first.
    public static let list = Endpoint<PageQuery, NoBody, Page<RecurringAllowanceView>>(
        "listAllowances",
        .get,
        "/v1/families/me/children/{userId}/allowances",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .memberIsParent],
        summary: "List a child's recurring allowances, the newest first",
        description: "For parents; and for the child, as `me`, too."
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, RecurringAllowanceView>(
        "getAllowance",
        .get,
        "/v1/families/me/children/{userId}/allowances/{allowanceId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .memberIsParent],
        isTagged: true,
        summary: "A recurring allowance"
    )

    /// What is to come.
    public static let occurrences = Endpoint<NoQuery, NoBody, AllowanceOccurrences>(
        "listAllowanceOccurrences",
        .get,
        "/v1/families/me/children/{userId}/allowances/{allowanceId}/occurrences",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .memberIsParent],
        summary: "The next ten days of an allowance, and what became of the last ten"
    )

    /// Changes what is to come.
    public static let change = Endpoint<NoQuery, AllowanceChange, RecurringAllowanceView>(
        "changeAllowance",
        .patch,
        "/v1/families/me/children/{userId}/allowances/{allowanceId}",
        of: .groups,
        for: .user,
        errors: [
            .notFound, .parentsOnly, .memberIsParent, .forbidden, .currencyMismatch, .accountKind,
            .accountClosed, .stepUpRequired, .preconditionFailed,
        ],
        isTagged: true,
        summary: "Change, rest or resume a recurring allowance",
        description: """
            For the days that have not come. Any parent may, but of what is paid from an account \
            only the parent who pays may ask for more: raise the amount, change the recurrence or \
            resume it, all others are `forbidden` to; and nobody else names the account. Who asks \
            for more is asked for a fresh proof as where it is paid at once.
            """
    )

    /// Ends one.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "deleteAllowance",
        .delete,
        "/v1/families/me/children/{userId}/allowances/{allowanceId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .memberIsParent, .preconditionFailed],
        summary: "End a recurring allowance, as any parent; what was paid stays"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        list.erased, get.erased, occurrences.erased, change.erased, remove.erased,
    ]
}
