/// What somebody has posted of a shared expense to their own ledger is not what it is any more.
public struct GroupLinkOutdated: EventBody, Hashable {
    /// `group.expense-link.outdated`.
    public static let eventType = "group.expense-link.outdated"
    public let expenseID: ID<Expense>
    public let groupID: ID<Group>
    public let userID: ID<User>
    public let amount: Money
    public let reason: String?

    public init(
        expenseID: ID<Expense>,
        groupID: ID<Group>,
        userID: ID<User>,
        amount: Money,
        reason: String? = nil
    ) {
        self.expenseID = expenseID
        self.groupID = groupID
        self.userID = userID
        self.amount = amount
        self.reason = reason
    }

    public static let json = Object(
        GroupLinkOutdated.init,
        Field("expenseId", \.expenseID, about: "The expense."),
        Field("groupId", \.groupID, about: "The group."),
        Field("userId", \.userID, about: "Whose ledger it is, and whom to tell."),
        Field("amount", \.amount, about: "What is posted as paid."),
        Field("reason", \.reason, about: "The code of why the ledger would not follow.")
    )
}

/// What was posted to somebody's own ledger stays there, though the expense or settlement that it
/// was to be of was never written down: the ledger would not take it back.
public struct GroupPostingKept: EventBody, Hashable {
    /// `group.posting.kept`.
    public static let eventType = "group.posting.kept"
    public let groupID: ID<Group>
    public let userID: ID<User>
    public let accountID: ID<Account>
    public let amount: Money
    public let reason: String

    public init(
        groupID: ID<Group>,
        userID: ID<User>,
        accountID: ID<Account>,
        amount: Money,
        reason: String
    ) {
        self.groupID = groupID
        self.userID = userID
        self.accountID = accountID
        self.amount = amount
        self.reason = reason
    }

    public static let json = Object(
        GroupPostingKept.init,
        Field("groupId", \.groupID, about: "The group."),
        Field("userId", \.userID, about: "Whose ledger it is, and whom to tell."),
        Field("accountId", \.accountID, about: "The account that it is on."),
        Field("amount", \.amount, about: "What is posted."),
        Field("reason", \.reason, about: "The code of why it was not taken back.")
    )
}
