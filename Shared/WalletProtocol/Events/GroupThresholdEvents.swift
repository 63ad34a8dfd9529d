/// A group has spent more than it wanted to; told once per period.
public struct GroupThresholdCrossed: EventBody, Hashable {
    /// `group.threshold.crossed`.
    public static let eventType = "group.threshold.crossed"
    public let thresholdID: ID<Threshold>
    public let groupID: ID<Group>
    public let amount: Money
    public let spent: Total
    public let periodStart: Day?
    public let userIDs: [ID<User>]

    public init(
        thresholdID: ID<Threshold>,
        groupID: ID<Group>,
        amount: Money,
        spent: Total,
        periodStart: Day? = nil,
        userIDs: [ID<User>]
    ) {
        self.thresholdID = thresholdID
        self.groupID = groupID
        self.amount = amount
        self.spent = spent
        self.periodStart = periodStart
        self.userIDs = userIDs
    }

    public static let json = Object(
        GroupThresholdCrossed.init,
        Field("thresholdId", \.thresholdID, about: "The limit."),
        Field("groupId", \.groupID, about: "The group."),
        Field("amount", \.amount, about: "The limit's amount."),
        Field("spent", \.spent, about: "What the group has spent in the period."),
        Field(
            "periodStart",
            \.periodStart,
            about: "When the period began; nothing where it never ends."
        ),
        Field("userIds", \.userIDs, about: "The members to tell.")
    )
}
