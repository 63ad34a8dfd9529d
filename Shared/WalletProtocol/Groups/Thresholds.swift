/// What periods are counted in.
public enum PeriodUnit: String, StringEnum {
    /// Days.
    case day
    /// Weeks.
    case week
    /// Months; month ends are kept.
    case month
    /// Years.
    case year
}

/// How often a limit begins anew.
public struct ThresholdPeriod: JSONObject, Hashable {
    public let every: Int
    public let unit: PeriodUnit
    public let from: Day?

    public init(every: Int = 1, unit: PeriodUnit, from: Day? = nil) {
        self.every = every
        self.unit = unit
        self.from = from
    }

    public static let json = Object(
        ThresholdPeriod.init,
        Field("every", \.every, .range(1...366), default: 1, about: "So many units."),
        Field("unit", \.unit, about: "Of these."),
        Field(
            "from",
            \.from,
            about: "The first period's first day; the day that it is made where left out."
        )
    )
}

/// A limit of a group's spending.
public struct NewThreshold: JSONObject, Hashable {
    public let amount: Money
    public let period: ThresholdPeriod?

    public init(amount: Money, period: ThresholdPeriod? = nil) {
        self.amount = amount
        self.period = period
    }

    public static let json = Object(
        NewThreshold.init,
        Field("amount", \.amount, .sent, .positive, about: "The limit, in the group's currency."),
        Field("period", \.period, about: "How often it begins anew; never where left out.")
    )
}

/// What changes of a limit.
public struct ThresholdChange: JSONObject, Hashable {
    public let amount: Replace<Money>
    public let period: Patch<ThresholdPeriod>

    public init(
        amount: Replace<Money> = .unchanged,
        period: Patch<ThresholdPeriod> = .unchanged
    ) {
        self.amount = amount
        self.period = period
    }

    public static let json = Object(
        ThresholdChange.init,
        Field("amount", \.amount, .sent, .positive, about: "The limit, in the group's currency."),
        Field("period", \.period, about: "How often it begins anew; `null`: never.")
    )
}

/// A limit of a group's spending.
public struct ThresholdView: JSONObject, Hashable {
    public let id: ID<Threshold>
    public let groupID: ID<Group>
    public let amount: Money
    public let period: ThresholdPeriod?
    public let spent: Total
    public let unconverted: [Total]
    public let isCrossed: Bool
    public let resetsAt: Day?
    public let createdAt: Instant

    public init(
        id: ID<Threshold>,
        groupID: ID<Group>,
        amount: Money,
        period: ThresholdPeriod? = nil,
        spent: Total,
        unconverted: [Total] = [],
        isCrossed: Bool,
        resetsAt: Day? = nil,
        createdAt: Instant
    ) {
        self.id = id
        self.groupID = groupID
        self.amount = amount
        self.period = period
        self.spent = spent
        self.unconverted = unconverted
        self.isCrossed = isCrossed
        self.resetsAt = resetsAt
        self.createdAt = createdAt
    }

    public static let json = Object(
        ThresholdView.init,
        Field("id", \.id, about: "The identifier."),
        Field("groupId", \.groupID, about: "The group."),
        Field("amount", \.amount, about: "The limit."),
        Field("period", \.period, about: "How often it begins anew."),
        Field(
            "spent",
            \.spent,
            about: """
                What the group has spent in the running period: other currencies at the newest \
                rate on or before the day of each expense, as it was when it was converted.
                """
        ),
        Field(
            "unconverted",
            \.unconverted,
            default: [],
            about: """
                Spent in other currencies and not in `spent`, by currency: without a rate, or not \
                converted yet.
                """
        ),
        Field("crossed", \.isCrossed, about: "Whether that is above the limit."),
        Field("resetsAt", \.resetsAt, about: "The first day of the next period."),
        Field("createdAt", \.createdAt, about: "When it was made.")
    )
}

/// Limits of a group's spending.
public enum Thresholds {
    /// Makes one.
    public static let make = Endpoint<NoQuery, NewThreshold, ThresholdView>(
        "makeThreshold",
        .post,
        "/v1/groups/{id}/thresholds",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [.notFound, .forbidden, .groupArchived],
        isTagged: true,
        summary: "Set a limit for a group",
        description: """
            The expense that crosses it notifies every member, once per period; one in another \
            currency when it is converted, shortly after it was added.
            """
    )

    /// A group's.
    public static let list = Endpoint<PageQuery, NoBody, Page<ThresholdView>>(
        "listThresholds",
        .get,
        "/v1/groups/{id}/thresholds",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List a group's limits"
    )

    /// Changes one.
    public static let change = Endpoint<NoQuery, ThresholdChange, ThresholdView>(
        "changeThreshold",
        .patch,
        "/v1/groups/{id}/thresholds/{thresholdId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .preconditionFailed],
        isTagged: true,
        summary: "Change a limit"
    )

    /// Takes one away.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeThreshold",
        .delete,
        "/v1/groups/{id}/thresholds/{thresholdId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .preconditionFailed],
        summary: "Delete a limit"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, list.erased, change.erased, remove.erased,
    ]
}
