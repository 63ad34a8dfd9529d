/// A day of a recurring allowance has come and was paid without a transfer, of which the ledger
/// tells.
public struct FamilyAllowancePaid: EventBody, Hashable {
    /// `family.allowance.paid`.
    public static let eventType = "family.allowance.paid"
    public let familyID: ID<Family>
    public let recurrenceID: ID<Recurrence>
    public let userID: ID<User>
    public let paidBy: ID<User>
    public let day: Day
    public let amount: Money

    public init(
        familyID: ID<Family>,
        recurrenceID: ID<Recurrence>,
        userID: ID<User>,
        paidBy: ID<User>,
        day: Day,
        amount: Money
    ) {
        self.familyID = familyID
        self.recurrenceID = recurrenceID
        self.userID = userID
        self.paidBy = paidBy
        self.day = day
        self.amount = amount
    }

    public static let json = Object(
        FamilyAllowancePaid.init,
        Field("familyId", \.familyID, about: "The family."),
        Field("recurrenceId", \.recurrenceID, about: "The allowance."),
        Field("userId", \.userID, about: "Whom to tell: the child."),
        Field("paidBy", \.paidBy, about: "The parent who pays."),
        Field("day", \.day, about: "The day that it was for."),
        Field("amount", \.amount, about: "How much.")
    )
}

/// A day of a recurring allowance was refused and is left out.
public struct FamilyAllowanceSkipped: EventBody, Hashable {
    /// `family.allowance.skipped`.
    public static let eventType = "family.allowance.skipped"
    public let familyID: ID<Family>
    public let recurrenceID: ID<Recurrence>
    public let userID: ID<User>
    public let childID: ID<User>
    public let day: Day
    public let amount: Money
    public let reason: String
    public let isPaused: Bool

    public init(
        familyID: ID<Family>,
        recurrenceID: ID<Recurrence>,
        userID: ID<User>,
        childID: ID<User>,
        day: Day,
        amount: Money,
        reason: String,
        isPaused: Bool
    ) {
        self.familyID = familyID
        self.recurrenceID = recurrenceID
        self.userID = userID
        self.childID = childID
        self.day = day
        self.amount = amount
        self.reason = reason
        self.isPaused = isPaused
    }

    public static let json = Object(
        FamilyAllowanceSkipped.init,
        Field("familyId", \.familyID, about: "The family."),
        Field("recurrenceId", \.recurrenceID, about: "The allowance."),
        Field("userId", \.userID, about: "Whom to tell: the parent who pays."),
        Field("childId", \.childID, about: "The child who does not get it."),
        Field("day", \.day, about: "The day that it was for."),
        Field("amount", \.amount, about: "What it would have been."),
        Field("reason", \.reason, about: "The code of the refusal."),
        Field(
            "paused",
            \.isPaused,
            about: "Whether it rests now, as no later day could do better."
        )
    )
}
