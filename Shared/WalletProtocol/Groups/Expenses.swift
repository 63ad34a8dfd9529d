/// An amount of one member.
public struct MemberAmount: JSONObject, Hashable {
    public let memberID: ID<Member>
    public let amount: Money

    public init(memberID: ID<Member>, amount: Money) {
        self.memberID = memberID
        self.amount = amount
    }

    public static let json = Object(
        MemberAmount.init,
        Field("memberId", \.memberID, about: "The member."),
        Field("amount", \.amount, .sent, about: "The amount.")
    )
}

/// A shared expense to write down.
public struct NewExpense: JSONObject, Hashable {
    public let name: String
    public let amount: Money
    public let date: Day?
    public let paidBy: [MemberAmount]?
    public let split: Split?
    public let description: String?
    public let categoryID: ID<GroupCategory>?
    public let tags: [String]
    public let location: TransactionLocation?
    public let rule: RecurrenceRule?
    public let accountID: ID<Account>?
    public let ownCategoryID: CategoryID?

    public init(
        name: String,
        amount: Money,
        date: Day? = nil,
        paidBy: [MemberAmount]? = nil,
        split: Split? = nil,
        description: String? = nil,
        categoryID: ID<GroupCategory>? = nil,
        tags: [String] = [],
        location: TransactionLocation? = nil,
        rule: RecurrenceRule? = nil,
        accountID: ID<Account>? = nil,
        ownCategoryID: CategoryID? = nil
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
        self.rule = rule
        self.accountID = accountID
        self.ownCategoryID = ownCategoryID
    }

    public static let json = Object(
        NewExpense.init,
        Field("name", \.name, .line(1...140), about: "What it was."),
        Field(
            "amount",
            \.amount,
            .sent,
            .notZero,
            about: "All of it. Below zero it is money that came back: `paidBy` received it, every "
                + "part has its sign or is zero, and totals and limits go down by it."
        ),
        Field("date", \.date, about: "The day; today in the user's time zone where left out."),
        Field(
            "paidBy",
            \.paidBy,
            .count(1...50),
            about: "Who paid, or received what came back, summing to the amount; the caller where "
                + "left out."
        ),
        Field("split", \.split, .sent, about: "Who bears it; the payer where left out."),
        Field("description", \.description, .text(0...2_000), about: "More about it."),
        Field("categoryId", \.categoryID, about: "The category; «Others» where left out."),
        Field("tags", \.tags, .tags, default: [], about: "Words to find it by."),
        Field("location", \.location, about: "Where it was."),
        Field(
            "recurrence",
            \.rule,
            about: "How often it comes again, counted from the day; not of money that came back."
        ),
        Field(
            "accountId",
            \.accountID,
            about: "One's own account that paid what one paid of it: that is posted there, one's "
                + "own share as spent, the rest as owed. What came back is posted there in whole: "
                + "one's own share lowers what was spent, the rest what is owed. Not for one that "
                + "comes again."
        ),
        Field(
            "ownCategoryId",
            \.ownCategoryID,
            about: "With `accountId`: the category in one's own ledger, for `categoryId` is the "
                + "group's."
        )
    )
}

/// A shared expense.
public struct ExpenseView: JSONObject, Hashable {
    public let id: ID<Expense>
    public let groupID: ID<Group>
    public let name: String
    public let amount: Money
    public let date: Day
    public let paidBy: [MemberAmount]
    public let split: Split?
    public let shares: [MemberAmount]
    public let description: String?
    public let categoryID: ID<GroupCategory>
    public let tags: [String]
    public let location: TransactionLocation?
    public let addedBy: ID<Member>
    public let recurrenceID: ID<Recurrence>?
    public let version: Int
    public let createdAt: Instant
    public var group: String?
    public var category: GroupCategoryView?
    public var converted: ConvertedAmount?
    public var link: LedgerLinkView?

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
        categoryID: ID<GroupCategory>,
        tags: [String] = [],
        location: TransactionLocation? = nil,
        addedBy: ID<Member>,
        recurrenceID: ID<Recurrence>? = nil,
        version: Int,
        createdAt: Instant,
        group: String? = nil,
        category: GroupCategoryView? = nil,
        converted: ConvertedAmount? = nil,
        link: LedgerLinkView? = nil
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
        self.categoryID = categoryID
        self.tags = tags
        self.location = location
        self.addedBy = addedBy
        self.recurrenceID = recurrenceID
        self.version = version
        self.createdAt = createdAt
        self.group = group
        self.category = category
        self.converted = converted
        self.link = link
    }

    public static let json = Object(
        ExpenseView.init,
        Field("id", \.id, about: "The identifier."),
        Field("groupId", \.groupID, about: "The group."),
        Field("name", \.name, about: "What it was."),
        Field("amount", \.amount, about: "All of it; below zero: money that came back."),
        Field("date", \.date, about: "The day."),
        Field("paidBy", \.paidBy, about: "Who paid, or received what came back."),
        Field("split", \.split, about: "The rule that it was split by."),
        Field("shares", \.shares, about: "Who bears how much, to the last minor unit."),
        Field("description", \.description, about: "More about it."),
        Field("categoryId", \.categoryID, about: "The category."),
        Field("tags", \.tags, about: "Words to find it by."),
        Field("location", \.location, about: "Where it was."),
        Field("addedBy", \.addedBy, about: "Who wrote it down."),
        Field("recurrenceId", \.recurrenceID, about: "The recurrence that it is of."),
        Field("version", \.version, about: "Counts its changes, from 1."),
        Field("createdAt", \.createdAt, about: "When it was written down."),
        Field("group", \.group, about: "The group that it stands under, in a list of groups."),
        Field("category", \.category, about: "The category, where it is asked for."),
        Field(
            "converted",
            \.converted,
            about: "In the group's currency, at its day's rate, where it is asked for."
        ),
        Field(
            "link",
            \.link,
            about: "What of it is in one's own ledger: for its payer's eyes alone."
        )
    )
}

/// Shared expenses.
public enum Expenses {
    /// Writes one down.
    public static let add = Endpoint<NoQuery, Unjudged<NewExpense>, ExpenseView>(
        "addExpense",
        .post,
        "/v1/groups/{id}/expenses",
        of: .groups,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [
            .notFound, .forbidden, .groupArchived, .notAgreed, .tooManyRecurrences,
            .insufficientFunds, .limitExceeded, .approvalRequired, .accountClosed, .balanceOverflow,
        ],
        isTagged: true,
        summary: "Add a shared expense",
        description: """
            Shares sum to the amount to the last minor unit. Each is rounded down, and the units \
            that are left over go to the largest remainders, one each. Equal remainders get them \
            in the order of the parts, cyclically, beginning at the index (days since 1970-01-01 \
            of the date + magnitude of the amount in minor units) modulo the number of all parts \
            sent, which is never negative; parts without a remainder are passed over. A negative \
            amount is split as its magnitude, then negated. An item of a bill is divided among its \
            members in the same way, by its own amount and the expense's date. With an adjustment \
            the rest is divided, by the amount of the expense. Examples, in EUR: \
            \(DivisionExample.all.map(\.line).joined(separator: " "))
            With `recurrence` the expense is written down again, by whoever made it, as each later \
            day begins where they are. With `accountId` it is written down where the ledger has \
            posted what the caller paid, or not at all.
            """
    )

    /// A group's, newest first.
    public static let list = Endpoint<ExpenseQuery, NoBody, ExpensePage>(
        "listExpenses",
        .get,
        "/v1/groups/{id}/expenses",
        of: .groups,
        for: .user,
        response: .jsonOr([ExpenseListFormat.table]),
        errors: [.notFound, .currencyMismatch],
        summary: "List a group's expenses",
        description: """
            With `format=csv` the answer is a table for spreadsheets and other apps, and \
            `uploadGroupImport` reads it again. Each member has two columns: what they paid, and \
            their share. Refunds have negative amounts. After the expenses the table lists the \
            settlements that match `from`, `to`, `currency`, the amounts and `mine`, newest \
            first; a filter by category, tag, words or place leaves them out. A text that a \
            spreadsheet would run as a formula begins with an apostrophe.
            """
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, ExpenseView>(
        "getExpense",
        .get,
        "/v1/groups/{id}/expenses/{expenseId}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        isTagged: true,
        summary: "Read a shared expense"
    )

    /// Takes one away.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeExpense",
        .delete,
        "/v1/groups/{id}/expenses/{expenseId}",
        of: .groups,
        for: .user,
        errors: [
            .notFound, .forbidden, .groupArchived, .memberHasLeft, .notAgreed, .preconditionFailed,
        ],
        summary: "Delete a shared expense"
    )

    /// Changes one.
    public static let change = Endpoint<NoQuery, Unjudged<ExpenseChange>, ExpenseView>(
        "changeExpense",
        .patch,
        "/v1/groups/{id}/expenses/{expenseId}",
        of: .groups,
        for: .user,
        errors: [
            .notFound, .forbidden, .groupArchived, .memberHasLeft, .notAgreed, .preconditionFailed,
        ],
        isTagged: true,
        summary: "Change a shared expense",
        description: """
            Balances, totals and limits follow it. Any member may, of anybody's. 409 \
            `member-has-left` if it would make somebody who has left owe more, or be owed less.
            """
    )

    /// Undoes a deletion.
    public static let restore = Endpoint<NoQuery, NoBody, ExpenseView>(
        "restoreExpense",
        .post,
        "/v1/groups/{id}/expenses/{expenseId}/undo",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .memberHasLeft, .notAgreed, .undoExpired],
        isTagged: true,
        summary: "Undo the deletion of a shared expense, within ten minutes"
    )

    /// What became of one.
    public static let history = Endpoint<PageQuery, NoBody, Page<ExpenseHistoryItem>>(
        "listExpenseHistory",
        .get,
        "/v1/groups/{id}/expenses/{expenseId}/history",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List what happened to a shared expense, newest first"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        add.erased, list.erased, get.erased, change.erased, remove.erased, restore.erased,
        history.erased,
    ]
}
