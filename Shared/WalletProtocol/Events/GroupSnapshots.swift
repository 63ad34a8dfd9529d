/// A shared expense as it stands, without whatever names it or tells who wrote it down.
public struct StandingExpense: JSONObject, Hashable {
    public let expenseID: ID<Expense>
    public let groupID: ID<Group>
    public let amount: Money
    public let day: Day
    public let categoryID: ID<GroupCategory>?
    public let coicop: Coicop?
    public let splitKind: SplitKind?
    public let shares: [UserShare]

    public init(
        expenseID: ID<Expense>,
        groupID: ID<Group>,
        amount: Money,
        day: Day,
        categoryID: ID<GroupCategory>? = nil,
        coicop: Coicop? = nil,
        splitKind: SplitKind? = nil,
        shares: [UserShare]
    ) {
        self.expenseID = expenseID
        self.groupID = groupID
        self.amount = amount
        self.day = day
        self.categoryID = categoryID
        self.coicop = coicop
        self.splitKind = splitKind
        self.shares = shares
    }

    public static let json = Object(
        StandingExpense.init,
        Field("expenseId", \.expenseID, about: "The expense."),
        Field("groupId", \.groupID, about: "The group."),
        Field("amount", \.amount, about: "All of it."),
        Field("day", \.day, about: "The day of it."),
        Field("categoryId", \.categoryID, about: "The group's category; none: «Others»."),
        Field("coicop", \.coicop, about: "The category's division."),
        Field("splitKind", \.splitKind, about: "How it was split; absent where it was not."),
        Field("shares", \.shares, about: "Who paid and who bears it, and who they are by now.")
    )
}

/// All that groups' events have told and that stands, for read models that begin anew.
///
/// Everything of a group is of one aggregate, whose sequence each row tells.
public enum GroupSnapshots {
    /// Every group.
    public static let groups = Endpoint<SnapshotQuery, NoBody, Page<Snapshot<GroupCreated>>>(
        "snapshotGroups",
        .get,
        "/internal/snapshots/groups",
        of: .groups,
        for: .internalService,
        summary: "Every group, with sequences"
    )

    /// Everybody who is in one.
    public static let members = Endpoint<
        SnapshotQuery, NoBody, Page<Snapshot<GroupMemberJoined>>
    >(
        "snapshotGroupMembers",
        .get,
        "/internal/snapshots/group-members",
        of: .groups,
        for: .internalService,
        summary: "Everybody who is in a group, with sequences"
    )

    /// Every expense that is not removed; of which as many come at once as fit an answer.
    public static let expenses = Endpoint<SnapshotQuery, NoBody, Page<Snapshot<StandingExpense>>>(
        "snapshotGroupExpenses",
        .get,
        "/internal/snapshots/group-expenses",
        of: .groups,
        for: .internalService,
        summary: "Every shared expense, with sequences"
    )

    /// Every category but «Others»; by group and category.
    public static let categories = Endpoint<
        SnapshotQuery, NoBody, Page<Snapshot<GroupCategoryChanged>>
    >(
        "snapshotGroupCategories",
        .get,
        "/internal/snapshots/group-categories",
        of: .groups,
        for: .internalService,
        summary: "Every group's categories, with sequences"
    )

    /// Every endpoint here.
    public static let all: [EndpointDescription] = [
        groups.erased, members.erased, expenses.erased, categories.erased,
    ]
}
