/// A day of a recurring expense that was.
public struct PastExpense: JSONObject, Hashable {
    public let number: Int
    public let date: Day
    public let state: OccurrenceState
    public let expenseID: ID<Expense>?
    public let reason: String?

    public init(
        number: Int,
        date: Day,
        state: OccurrenceState,
        expenseID: ID<Expense>? = nil,
        reason: String? = nil
    ) {
        self.number = number
        self.date = date
        self.state = state
        self.expenseID = expenseID
        self.reason = reason
    }

    public static let json = Object(
        PastExpense.init,
        Field("number", \.number, about: "Its place, counted from the first expense, which is 0."),
        Field("date", \.date, about: "The day."),
        Field("state", \.state, about: "What became of it."),
        Field("expenseId", \.expenseID, about: "The expense that it became."),
        Field("reason", \.reason, about: "The code of the refusal.")
    )
}

/// What is to come of a recurring expense, and what was lately.
public struct ExpenseOccurrences: JSONObject, Hashable {
    public let items: [NextOccurrence]
    public let past: [PastExpense]

    public init(items: [NextOccurrence], past: [PastExpense]) {
        self.items = items
        self.past = past
    }

    public static let json = Object(
        ExpenseOccurrences.init,
        Field("items", \.items, about: "The next ten; none while it rests."),
        Field("past", \.past, about: "The last ten, the newest first.")
    )
}

/// A shared expense that comes again and again.
public struct ExpenseRecurrenceView: JSONObject, Hashable {
    public let id: ID<Recurrence>
    public let groupID: ID<Group>
    public let name: String
    public let amount: Money
    public let paidBy: [MemberAmount]
    public let split: Split?
    public let description: String?
    public let categoryID: ID<GroupCategory>
    public let tags: [String]
    public let location: TransactionLocation?
    public let rule: RecurrenceRule
    public let startDate: Day
    public let nextDate: Day?
    public let isActive: Bool
    public let last: PastExpense?
    public let addedBy: ID<Member>
    public let version: Int
    public let createdAt: Instant

    public init(
        id: ID<Recurrence>,
        groupID: ID<Group>,
        name: String,
        amount: Money,
        paidBy: [MemberAmount],
        split: Split? = nil,
        description: String? = nil,
        categoryID: ID<GroupCategory>,
        tags: [String] = [],
        location: TransactionLocation? = nil,
        rule: RecurrenceRule,
        startDate: Day,
        nextDate: Day? = nil,
        isActive: Bool,
        last: PastExpense? = nil,
        addedBy: ID<Member>,
        version: Int,
        createdAt: Instant
    ) {
        self.id = id
        self.groupID = groupID
        self.name = name
        self.amount = amount
        self.paidBy = paidBy
        self.split = split
        self.description = description
        self.categoryID = categoryID
        self.tags = tags
        self.location = location
        self.rule = rule
        self.startDate = startDate
        self.nextDate = nextDate
        self.isActive = isActive
        self.last = last
        self.addedBy = addedBy
        self.version = version
        self.createdAt = createdAt
    }

    public static let json = Object(
        ExpenseRecurrenceView.init,
        Field("id", \.id, about: "The identifier."),
        Field("groupId", \.groupID, about: "The group."),
        Field("name", \.name, about: "What it is."),
        Field("amount", \.amount, about: "What each is."),
        Field("paidBy", \.paidBy, about: "Who pays each."),
        Field("split", \.split, about: "Who bears each; the payer where absent."),
        Field("description", \.description, about: "More about it."),
        Field("categoryId", \.categoryID, about: "The category."),
        Field("tags", \.tags, about: "Words to find each by."),
        Field("location", \.location, about: "Where each is."),
        Field("recurrence", \.rule, about: "How often."),
        Field(
            "startDate",
            \.startDate,
            about: "The first expense's day, from which all others are counted."
        ),
        Field(
            "nextDate",
            \.nextDate,
            about: "The next one's day; absent where it rests or has ended."
        ),
        Field("active", \.isActive, about: "Whether it goes on; of no consequence behind its end."),
        Field("last", \.last, about: "The newest that was written down or left out."),
        Field("addedBy", \.addedBy, about: "Who made it, and writes each down."),
        Field("version", \.version, about: "Counts its changes, from 1."),
        Field("createdAt", \.createdAt, about: "When it was made.")
    )
}

/// What changes of a recurring expense, for the days to come.
///
/// Where the amount changes, its one payer pays all of it, as where an expense changes.
public struct ExpenseRecurrenceChange: JSONObject, Hashable {
    public let name: Replace<String>
    public let amount: Replace<Money>
    public let paidBy: Replace<[MemberAmount]>
    public let split: Patch<Split>
    public let description: Patch<String>
    public let categoryID: Patch<ID<GroupCategory>>
    public let tags: Replace<[String]>
    public let location: Patch<TransactionLocation>
    public let rule: Replace<RecurrenceRule>
    public let isActive: Replace<Bool>

    public init(
        name: Replace<String> = .unchanged,
        amount: Replace<Money> = .unchanged,
        paidBy: Replace<[MemberAmount]> = .unchanged,
        split: Patch<Split> = .unchanged,
        description: Patch<String> = .unchanged,
        categoryID: Patch<ID<GroupCategory>> = .unchanged,
        tags: Replace<[String]> = .unchanged,
        location: Patch<TransactionLocation> = .unchanged,
        rule: Replace<RecurrenceRule> = .unchanged,
        isActive: Replace<Bool> = .unchanged
    ) {
        self.name = name
        self.amount = amount
        self.paidBy = paidBy
        self.split = split
        self.description = description
        self.categoryID = categoryID
        self.tags = tags
        self.location = location
        self.rule = rule
        self.isActive = isActive
    }

    public static let json = Object(
        ExpenseRecurrenceChange.init,
        Field("name", \.name, .line(1...140), about: "What it is."),
        Field("amount", \.amount, .sent, .positive, about: "What each is."),
        Field("paidBy", \.paidBy, .count(1...50), about: "Who pays each, summing to the amount."),
        Field("split", \.split, .sent, about: "Who bears each; `null`: the payer."),
        Field("description", \.description, .text(0...2_000), about: "More about it."),
        Field("categoryId", \.categoryID, about: "The category; `null`: «Others»."),
        Field("tags", \.tags, .tags, about: "Words to find each by."),
        Field("location", \.location, about: "Where each is."),
        Field("recurrence", \.rule, about: "How often, counted from the same first day."),
        Field(
            "active",
            \.isActive,
            about: "Whether it goes on; what passed while it rested is not made up for."
        )
    )
}

/// The schedules behind recurring expenses; one is made with its first expense.
public enum ExpenseRecurrences {
    /// A group's, newest first.
    public static let list = Endpoint<PageQuery, NoBody, Page<ExpenseRecurrenceView>>(
        "listExpenseRecurrences",
        .get,
        "/v1/groups/{id}/recurrences",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List a group's recurring expenses, the newest first"
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, ExpenseRecurrenceView>(
        "getExpenseRecurrence",
        .get,
        "/v1/groups/{id}/recurrences/{recurrenceId}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        isTagged: true,
        summary: "A recurring expense"
    )

    /// What is to come.
    public static let occurrences = Endpoint<NoQuery, NoBody, ExpenseOccurrences>(
        "listExpenseOccurrences",
        .get,
        "/v1/groups/{id}/recurrences/{recurrenceId}/occurrences",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "The next ten days of a recurring expense, and what became of the last ten"
    )

    /// Changes what is to come.
    public static let change = Endpoint<
        NoQuery, Unjudged<ExpenseRecurrenceChange>, ExpenseRecurrenceView
    >(
        "changeExpenseRecurrence",
        .patch,
        "/v1/groups/{id}/recurrences/{recurrenceId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .notAgreed, .preconditionFailed],
        isTagged: true,
        summary: "Change, rest or resume a recurring expense",
        description: """
            For the days to come, and for those that are due and not written down yet; any member \
            may, of anybody's. Whoever made it still writes each down. `active` false lets it \
            rest: what passes meanwhile is not made up for.
            """
    )

    /// Ends one; its expenses stay.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "deleteExpenseRecurrence",
        .delete,
        "/v1/groups/{id}/recurrences/{recurrenceId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .preconditionFailed],
        summary: "End a recurring expense; its expenses stay"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        list.erased, get.erased, occurrences.erased, change.erased, remove.erased,
    ]
}
