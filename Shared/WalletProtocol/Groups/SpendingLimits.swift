/// What a child may spend in a month, in a category or in all.
public struct SpendingLimit: JSONObject, Hashable {
    public let categoryID: CategoryID?
    public let amount: Money

    public init(categoryID: CategoryID? = nil, amount: Money) {
        self.categoryID = categoryID
        self.amount = amount
    }

    public static let json = Object(
        SpendingLimit.init,
        Field(
            "categoryId",
            \.categoryID,
            about: "One of the child's categories; everything that is spent where left out."
        ),
        Field("amount", \.amount, .sent, .notNegative, about: "How much, in the family's currency.")
    )
}

/// All limits of a child, in place of those before.
public struct SpendingLimits: JSONObject, Hashable {
    public let limits: [SpendingLimit]
    public let approvalAbove: Patch<Money>

    public init(limits: [SpendingLimit], approvalAbove: Patch<Money> = .unchanged) {
        self.limits = limits
        self.approvalAbove = approvalAbove
    }

    /// How many a child has at most.
    public static let countMax = 50

    public static let json = Object(
        SpendingLimits.init,
        Field("limits", \.limits, .count(0...countMax), about: "Each category once."),
        Field(
            "approvalAbove",
            \.approvalAbove,
            .sent,
            .notNegative,
            about: """
                Purchases of more than this within an hour need a parent's approval; as it stands \
                where left out, none for `null`.
                """
        )
    )
}

/// A limit, and what has become of it in the running month.
public struct SpendingLimitView: JSONObject, Hashable {
    public let categoryID: CategoryID?
    public let amount: Money
    public let spent: Total
    public let left: Total

    public init(categoryID: CategoryID?, amount: Money, spent: Total, left: Total) {
        self.categoryID = categoryID
        self.amount = amount
        self.spent = spent
        self.left = left
    }

    public static let json = Object(
        SpendingLimitView.init,
        Field("categoryId", \.categoryID, about: "The category; absent for everything."),
        Field("amount", \.amount, about: "How much may be spent in a month."),
        Field(
            "spent",
            \.spent,
            about: """
                What was booked in the running month in the category or one below it, or in all, \
                whatever its date.
                """
        ),
        Field("left", \.left, about: "The rest; below zero where the limit came too late.")
    )
}

/// A category of a child's, by which somebody can choose.
public struct LimitableCategory: JSONObject, Hashable {
    public let id: CategoryID
    public let name: String
    public let parentID: CategoryID?

    public init(id: CategoryID, name: String, parentID: CategoryID?) {
        self.id = id
        self.name = name
        self.parentID = parentID
    }

    public static let json = Object(
        LimitableCategory.init,
        Field("id", \.id, about: "The identifier."),
        Field("name", \.name, about: "What the child calls it."),
        Field("parentId", \.parentID, about: "The one above it.")
    )
}

/// What a child may spend.
public struct SpendingLimitsView: JSONObject, Hashable {
    public let accountID: ID<Account>
    public let from: Day
    public let to: Day
    public let spent: Total
    public let limits: [SpendingLimitView]
    public let approvalAbove: Money?
    public let categories: [LimitableCategory]
    public let version: String

    public init(
        accountID: ID<Account>,
        from: Day,
        to: Day,
        spent: Total,
        limits: [SpendingLimitView],
        approvalAbove: Money?,
        categories: [LimitableCategory],
        version: String
    ) {
        self.accountID = accountID
        self.from = from
        self.to = to
        self.spent = spent
        self.limits = limits
        self.approvalAbove = approvalAbove
        self.categories = categories
        self.version = version
    }

    public static let json = Object(
        SpendingLimitsView.init,
        Field("accountId", \.accountID, about: "The child's account for allowances."),
        Field(
            "from",
            \.from,
            about: """
                The first day of the running month, which begins as the child's did when a parent \
                first set limits.
                """
        ),
        Field("to", \.to, about: "The last day of the running month."),
        Field(
            "spent",
            \.spent,
            about: """
                What has left the account in the running month: booked in it, whatever its date, \
                what others owe of it included.
                """
        ),
        Field("limits", \.limits, about: "That of everything first, then by the category's name."),
        Field(
            "approvalAbove",
            \.approvalAbove,
            about: "Purchases of more than this within an hour need a parent's approval."
        ),
        Field(
            "categories",
            \.categories,
            about: "The child's categories by name, the first 500."
        ),
        Field(
            "version",
            \.version,
            about: "Names what was set, whatever was spent since: the same as the ETag."
        )
    )
}

extension Families {
    /// What a child may spend.
    public static let limits = Endpoint<NoQuery, NoBody, SpendingLimitsView>(
        "getChildLimits",
        .get,
        "/v1/families/me/children/{userId}/limits",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .memberIsParent],
        isTagged: true,
        summary: "What a child may spend in a month, and has spent",
        description: "For parents, and for the child (`me`)."
    )

    /// Says what a child may spend.
    public static let setLimits = Endpoint<NoQuery, SpendingLimits, SpendingLimitsView>(
        "setChildLimits",
        .put,
        "/v1/families/me/children/{userId}/limits",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .memberIsParent, .preconditionFailed],
        isTagged: true,
        summary: "Say what a child may spend in a month, in categories or in all",
        description: """
            A call that would raise what leaves the account in the running month above a limit is \
            refused with `limit-exceeded`, whatever date it names. A purchase of more than \
            `approvalAbove`, alone or together with the purchases of the last hour, is refused \
            with `approval-required`, unless a parent has approved of it. What was spent before \
            stays counted.
            """
    )
}
