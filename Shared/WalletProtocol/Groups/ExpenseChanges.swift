/// What changes of a shared expense; what is left out stays.
///
/// Where the amount changes, its one payer has paid all of it, and a split that is no list of
/// amounts is worked out again; what several paid, and amounts, are given anew.
public struct ExpenseChange: JSONObject, Hashable {
    public let name: Replace<String>
    public let amount: Replace<Money>
    public let date: Replace<Day>
    public let paidBy: Replace<[MemberAmount]>
    public let split: Patch<Split>
    public let description: Patch<String>
    public let categoryID: Patch<ID<GroupCategory>>
    public let tags: Replace<[String]>
    public let location: Patch<TransactionLocation>

    public init(
        name: Replace<String> = .unchanged,
        amount: Replace<Money> = .unchanged,
        date: Replace<Day> = .unchanged,
        paidBy: Replace<[MemberAmount]> = .unchanged,
        split: Patch<Split> = .unchanged,
        description: Patch<String> = .unchanged,
        categoryID: Patch<ID<GroupCategory>> = .unchanged,
        tags: Replace<[String]> = .unchanged,
        location: Patch<TransactionLocation> = .unchanged
    ) {
        self.name = name
        self.amount = amount
        self.date = date
        self.paidBy = paidBy
        self.split = split
        self.description = description
        self.categoryID = categoryID
        self.tags = tags
        self.location = location
    }

    public static let json = Object(
        ExpenseChange.init,
        Field("name", \.name, .line(1...140), about: "What it was."),
        Field(
            "amount",
            \.amount,
            .sent,
            .notZero,
            about: "All of it; below zero: money that came back."
        ),
        Field("date", \.date, about: "The day."),
        Field("paidBy", \.paidBy, .count(1...50), about: "Who paid, summing to the amount."),
        Field("split", \.split, .sent, about: "Who bears it; `null`: the payer."),
        Field("description", \.description, .text(0...2_000), about: "More about it."),
        Field("categoryId", \.categoryID, about: "The category; `null`: «Others»."),
        Field("tags", \.tags, .tags, about: "Words to find it by."),
        Field("location", \.location, about: "Where it was.")
    )
}

/// What happened to a shared expense.
public enum ExpenseAction: String, StringEnum {
    /// It was written down.
    case added
    /// It was changed.
    case changed
    /// It was deleted.
    case removed
    /// Its deletion was undone.
    case restored
}

/// One thing that happened to a shared expense.
public struct ExpenseHistoryItem: JSONObject, Hashable {
    public let version: Int
    public let action: ExpenseAction
    public let at: Instant
    public let memberID: ID<Member>
    public let expense: ExpenseView

    public init(
        version: Int,
        action: ExpenseAction,
        at: Instant,
        memberID: ID<Member>,
        expense: ExpenseView
    ) {
        self.version = version
        self.action = action
        self.at = at
        self.memberID = memberID
        self.expense = expense
    }

    public static let json = Object(
        ExpenseHistoryItem.init,
        Field("version", \.version, about: "The version that it made."),
        Field("action", \.action, about: "What happened."),
        Field("at", \.at, about: "When."),
        Field("memberId", \.memberID, about: "Who did it."),
        Field("expense", \.expense, about: "The expense in this version.")
    )
}
