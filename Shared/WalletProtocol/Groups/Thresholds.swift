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
    /// So many units.
    public let every: Int
    /// Of these.
    public let unit: PeriodUnit
    /// The first period's first day; the day that it is made where left out.
    public let from: Day?

    /// All of it.
    public init(every: Int = 1, unit: PeriodUnit, from: Day? = nil) {
        self.every = every
        self.unit = unit
        self.from = from
    }

    /// The description.
    public static let json = Object(
        ThresholdPeriod.init,
        Field("every", \.every, .range(1...366), default: 1),
        Field("unit", \.unit),
        Field("from", \.from)
    )
}

/// A limit of a group's spending.
public struct NewThreshold: JSONObject, Hashable {
    /// The limit, in the group's currency.
    public let amount: Money
    /// How often it begins anew; never where left out.
    public let period: ThresholdPeriod?

    /// All of it.
    public init(amount: Money, period: ThresholdPeriod? = nil) {
        self.amount = amount
        self.period = period
    }

    /// The description.
    public static let json = Object(
        NewThreshold.init,
        Field("amount", \.amount, .sent, .positive),
        Field("period", \.period)
    )
}

/// A limit of a group's spending.
public struct ThresholdView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<Threshold>
    /// The group.
    public let groupID: ID<Group>
    /// The limit.
    public let amount: Money
    /// How often it begins anew.
    public let period: ThresholdPeriod?
    /// What the group has spent in the running period.
    public let spent: Total
    /// Whether that is above the limit.
    public let isCrossed: Bool
    /// The first day of the next period.
    public let resetsAt: Day?
    /// When it was made.
    public let createdAt: Instant

    /// All of it.
    public init(
        id: ID<Threshold>,
        groupID: ID<Group>,
        amount: Money,
        period: ThresholdPeriod? = nil,
        spent: Total,
        isCrossed: Bool,
        resetsAt: Day? = nil,
        createdAt: Instant
    ) {
        self.id = id
        self.groupID = groupID
        self.amount = amount
        self.period = period
        self.spent = spent
        self.isCrossed = isCrossed
        self.resetsAt = resetsAt
        self.createdAt = createdAt
    }

    /// The description.
    public static let json = Object(
        ThresholdView.init,
        Field("id", \.id),
        Field("groupId", \.groupID),
        Field("amount", \.amount),
        Field("period", \.period),
        Field("spent", \.spent),
        Field("crossed", \.isCrossed),
        Field("resetsAt", \.resetsAt),
        Field("createdAt", \.createdAt)
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
        errors: [.notFound],
        summary: "Set a limit for a group",
        description: "The expense that crosses it notifies every member, once per period."
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

    /// Takes one away.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeThreshold",
        .delete,
        "/v1/groups/{id}/thresholds/{thresholdId}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "Delete a limit"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [make.erased, list.erased, remove.erased]
}
