/// How an expense falls on members.
public enum SplitKind: String, StringEnum {
    /// The same for each.
    case equal
    /// By stated amounts, which sum to the whole.
    case exact
    /// By percentages, which sum to 100.
    case percent
    /// By whole shares.
    case shares
}

/// One member of a split.
public struct SplitPart: JSONObject, Hashable {
    /// The member.
    public let memberID: ID<Member>
    /// The amount, the percentage or the shares; none for equal.
    public let value: ExactDecimal?

    /// All of it.
    public init(memberID: ID<Member>, value: ExactDecimal? = nil) {
        self.memberID = memberID
        self.value = value
    }

    /// The description.
    public static let json = Object(
        SplitPart.init,
        Field("memberId", \.memberID),
        Field("value", \.value)
    )
}

/// How an expense falls on members.
public struct Split: JSONObject, Hashable {
    /// The rule.
    public let kind: SplitKind
    /// Who bears it.
    public let parts: [SplitPart]

    /// All of it.
    public init(kind: SplitKind, parts: [SplitPart]) {
        self.kind = kind
        self.parts = parts
    }

    /// The description.
    public static let json = Object(
        Split.init,
        Field("kind", \.kind),
        Field("parts", \.parts, .count(1...200))
    )
}

/// An amount of one member.
public struct MemberAmount: JSONObject, Hashable {
    /// The member.
    public let memberID: ID<Member>
    /// The amount.
    public let amount: Money

    /// All of it.
    public init(memberID: ID<Member>, amount: Money) {
        self.memberID = memberID
        self.amount = amount
    }

    /// The description.
    public static let json = Object(
        MemberAmount.init,
        Field("memberId", \.memberID),
        Field("amount", \.amount, .sent)
    )
}

/// A shared expense to write down.
public struct NewExpense: JSONObject, Hashable {
    /// What it was.
    public let name: String
    /// All of it.
    public let amount: Money
    /// The day; today in the user's time zone where left out.
    public let date: Day?
    /// Who paid, summing to the amount; the caller where left out.
    public let paidBy: [MemberAmount]?
    /// Who bears it; the payer where left out.
    public let split: Split?
    /// More about it.
    public let description: String?

    /// All of it.
    public init(
        name: String,
        amount: Money,
        date: Day? = nil,
        paidBy: [MemberAmount]? = nil,
        split: Split? = nil,
        description: String? = nil
    ) {
        self.name = name
        self.amount = amount
        self.date = date
        self.paidBy = paidBy
        self.split = split
        self.description = description
    }

    /// The description.
    public static let json = Object(
        NewExpense.init,
        Field("name", \.name, .line(1...140)),
        Field("amount", \.amount, .sent, .positive),
        Field("date", \.date),
        Field("paidBy", \.paidBy, .count(1...50)),
        Field("split", \.split),
        Field("description", \.description, .text(0...2_000))
    )
}

/// A shared expense.
public struct ExpenseView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<Expense>
    /// The group.
    public let groupID: ID<Group>
    /// What it was.
    public let name: String
    /// All of it.
    public let amount: Money
    /// The day.
    public let date: Day
    /// Who paid.
    public let paidBy: [MemberAmount]
    /// The rule that it was split by.
    public let split: Split?
    /// Who bears how much, to the last minor unit.
    public let shares: [MemberAmount]
    /// More about it.
    public let description: String?
    /// Who wrote it down.
    public let addedBy: ID<Member>
    /// Counts its changes, from 1.
    public let version: Int
    /// When it was written down.
    public let createdAt: Instant

    /// All of it.
    public init(
        id: ID<Expense>,
        groupID: ID<Group>,
        name: String,
        amount: Money,
        date: Day,
        paidBy: [MemberAmount],
        split: Split? = nil,
        shares: [MemberAmount],
        description: String? = nil,
        addedBy: ID<Member>,
        version: Int,
        createdAt: Instant
    ) {
        self.id = id
        self.groupID = groupID
        self.name = name
        self.amount = amount
        self.date = date
        self.paidBy = paidBy
        self.split = split
        self.shares = shares
        self.description = description
        self.addedBy = addedBy
        self.version = version
        self.createdAt = createdAt
    }

    /// The description.
    public static let json = Object(
        ExpenseView.init,
        Field("id", \.id),
        Field("groupId", \.groupID),
        Field("name", \.name),
        Field("amount", \.amount),
        Field("date", \.date),
        Field("paidBy", \.paidBy),
        Field("split", \.split),
        Field("shares", \.shares),
        Field("description", \.description),
        Field("addedBy", \.addedBy),
        Field("version", \.version),
        Field("createdAt", \.createdAt)
    )
}

/// Which expenses.
public struct ExpenseQuery: QueryObject, Hashable {
    /// The first day.
    public let from: Day?
    /// The last day.
    public let to: Day?
    /// Words in name or description.
    public let words: String?
    /// Only those that the caller wrote down.
    public let isMine: Bool
    /// How many.
    public let limit: Int
    /// Where the page begins.
    public let cursor: Cursor?

    /// All of it.
    public init(
        from: Day? = nil,
        to: Day? = nil,
        words: String? = nil,
        isMine: Bool = false,
        limit: Int = 50,
        cursor: Cursor? = nil
    ) {
        self.from = from
        self.to = to
        self.words = words
        self.isMine = isMine
        self.limit = limit
        self.cursor = cursor
    }

    /// The description.
    public static let query = QueryFields(
        ExpenseQuery.init,
        QueryField("from", \.from),
        QueryField("to", \.to),
        QueryField("query", \.words, .line(1...100)),
        QueryField("mine", \.isMine, default: false),
        QueryField("limit", \.limit, .range(1...200), default: 50),
        QueryField("cursor", \.cursor)
    )
}

/// Shared expenses.
public enum Expenses {
    /// Writes one down.
    public static let add = Endpoint<NoQuery, NewExpense, ExpenseView>(
        "addExpense",
        .post,
        "/v1/groups/{id}/expenses",
        of: .groups,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [.notFound],
        summary: "Add a shared expense",
        description: """
            Shares sum to the amount to the last minor unit: each is rounded down, and what that \
            leaves over goes, one minor unit each, to the first in the order of the parts whose \
            share was rounded.
            """
    )

    /// A group's, newest first.
    public static let list = Endpoint<ExpenseQuery, NoBody, Page<ExpenseView>>(
        "listExpenses",
        .get,
        "/v1/groups/{id}/expenses",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List a group's expenses, newest first"
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, ExpenseView>(
        "getExpense",
        .get,
        "/v1/groups/{id}/expenses/{expenseId}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "Read a shared expense"
    )

    /// Takes one away.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeExpense",
        .delete,
        "/v1/groups/{id}/expenses/{expenseId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .preconditionFailed],
        summary: "Delete a shared expense"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        add.erased, list.erased, get.erased, remove.erased,
    ]
}
