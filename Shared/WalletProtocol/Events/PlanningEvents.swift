/// How an envelope came to hold less than nothing.
public enum OverspendingCause: String, StringEnum {
    /// By what was spent.
    case spending
    /// By what was taken out of it or transferred.
    case transfer
}

/// More has been spent of a category in a month than was set aside for it; told once a crossing.
public struct BudgetExceeded: JSONObject, Hashable {
    public let userID: ID<User>
    public let categoryID: CategoryID
    public let month: Month
    public let budget: Total
    public let spent: Total
    public let available: Total
    public let cause: OverspendingCause

    public init(
        userID: ID<User>,
        categoryID: CategoryID,
        month: Month,
        budget: Total,
        spent: Total,
        available: Total,
        cause: OverspendingCause
    ) {
        self.userID = userID
        self.categoryID = categoryID
        self.month = month
        self.budget = budget
        self.spent = spent
        self.available = available
        self.cause = cause
    }

    public static let json = Object(
        BudgetExceeded.init,
        Field("userId", \.userID, about: "Whose."),
        Field("categoryId", \.categoryID, about: "The category."),
        Field("month", \.month, about: "The month, by its first day's."),
        Field(
            "budget",
            \.budget,
            about: "What was set aside, with what the months before have left."
        ),
        Field("spent", \.spent, about: "What was spent."),
        Field("available", \.available, about: "`budget` without `spent`: below nothing."),
        Field("cause", \.cause, about: "How it came.")
    )
}

/// Of a family's envelope more has been spent in a month than was in it; told once a crossing.
public struct HouseholdBudgetExceeded: JSONObject, Hashable {
    public let familyID: ID<Family>
    public let envelopeID: ID<HouseholdEnvelope>
    public let month: Month
    public let budget: Total
    public let spent: Total
    public let available: Total
    public let cause: OverspendingCause

    public init(
        familyID: ID<Family>,
        envelopeID: ID<HouseholdEnvelope>,
        month: Month,
        budget: Total,
        spent: Total,
        available: Total,
        cause: OverspendingCause
    ) {
        self.familyID = familyID
        self.envelopeID = envelopeID
        self.month = month
        self.budget = budget
        self.spent = spent
        self.available = available
        self.cause = cause
    }

    public static let json = Object(
        HouseholdBudgetExceeded.init,
        Field("familyId", \.familyID, about: "The family, which groups knows."),
        Field("envelopeId", \.envelopeID, about: "The envelope."),
        Field("month", \.month, about: "The month."),
        Field(
            "budget",
            \.budget,
            about: "What was set aside, with what the months before have left."
        ),
        Field("spent", \.spent, about: "What was spent, by all parents."),
        Field("available", \.available, about: "`budget` without `spent`: below nothing."),
        Field("cause", \.cause, about: "How it came.")
    )
}

/// A recurring transaction was refused and is left out.
public struct RecurrenceSkipped: JSONObject, Hashable {
    public let recurrenceID: ID<Recurrence>
    public let userID: ID<User>
    public let day: Day
    public let amount: Money
    public let reason: String
    public let rests: Bool

    public init(
        recurrenceID: ID<Recurrence>,
        userID: ID<User>,
        day: Day,
        amount: Money,
        reason: String,
        rests: Bool
    ) {
        self.recurrenceID = recurrenceID
        self.userID = userID
        self.day = day
        self.amount = amount
        self.reason = reason
        self.rests = rests
    }

    public static let json = Object(
        RecurrenceSkipped.init,
        Field("recurrenceId", \.recurrenceID, about: "The recurrence."),
        Field("userId", \.userID, about: "Whose."),
        Field("day", \.day, about: "The day that it was for."),
        Field("amount", \.amount, about: "What it would have been."),
        Field("reason", \.reason, about: "The code of the refusal."),
        Field(
            "rests",
            \.rests,
            about: "Whether the recurrence rests now, as no later one could do better."
        )
    )
}

/// A day of a standing order was refused and is left out.
public struct StandingOrderSkipped: JSONObject, Hashable {
    public let standingOrderID: ID<StandingOrder>
    public let userID: ID<User>
    public let day: Day
    public let amount: Money
    public let reason: String
    public let isPaused: Bool

    public init(
        standingOrderID: ID<StandingOrder>,
        userID: ID<User>,
        day: Day,
        amount: Money,
        reason: String,
        isPaused: Bool
    ) {
        self.standingOrderID = standingOrderID
        self.userID = userID
        self.day = day
        self.amount = amount
        self.reason = reason
        self.isPaused = isPaused
    }

    public static let json = Object(
        StandingOrderSkipped.init,
        Field("standingOrderId", \.standingOrderID, about: "The standing order."),
        Field("userId", \.userID, about: "Whose."),
        Field("day", \.day, about: "The day that it was for."),
        Field("amount", \.amount, about: "What would have been paid."),
        Field("reason", \.reason, about: "The code of the refusal."),
        Field(
            "paused",
            \.isPaused,
            about: "Whether the order is paused now, as no later day could do better."
        )
    )
}

extension BudgetExceeded: EventBody {
    /// `wallet.budget.exceeded.v1`.
    public static let eventType = "wallet.budget.exceeded.v1"
}

extension HouseholdBudgetExceeded: EventBody {
    /// `wallet.budget.household-exceeded.v1`.
    public static let eventType = "wallet.budget.household-exceeded.v1"
}

extension RecurrenceSkipped: EventBody {
    /// `wallet.recurrence.skipped.v1`.
    public static let eventType = "wallet.recurrence.skipped.v1"
}

extension StandingOrderSkipped: EventBody {
    /// `wallet.standing-order.skipped.v1`.
    public static let eventType = "wallet.standing-order.skipped.v1"
}
