/// A day of a recurring expense was refused and is left out.
public struct GroupExpenseSkipped: EventBody, Hashable {
    /// `group.expense.skipped`.
    public static let eventType = "group.expense.skipped"
    public let recurrenceID: ID<Recurrence>
    public let groupID: ID<Group>
    public let userID: ID<User>
    public let day: Day
    public let amount: Money
    public let reason: String
    public let isPaused: Bool

    public init(
        recurrenceID: ID<Recurrence>,
        groupID: ID<Group>,
        userID: ID<User>,
        day: Day,
        amount: Money,
        reason: String,
        isPaused: Bool
    ) {
        self.recurrenceID = recurrenceID
        self.groupID = groupID
        self.userID = userID
        self.day = day
        self.amount = amount
        self.reason = reason
        self.isPaused = isPaused
    }

    public static let json = Object(
        GroupExpenseSkipped.init,
        Field("recurrenceId", \.recurrenceID, about: "The recurrence."),
        Field("groupId", \.groupID, about: "The group."),
        Field("userId", \.userID, about: "Whom to tell: whoever made it."),
        Field("day", \.day, about: "The day that it was for."),
        Field("amount", \.amount, about: "What it would have been."),
        Field("reason", \.reason, about: "The code of the refusal."),
        Field(
            "paused",
            \.isPaused,
            about: "Whether the recurrence rests now, as no later day could do better."
        )
    )
}
