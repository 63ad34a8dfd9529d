/// How an envelope came to hold less than nothing.
public enum OverspendingCause: String, StringEnum {
    /// By what was spent.
    case spending
    /// By what was taken out of it or transferred.
    case transfer
}

/// More has been spent of a category in a month than was set aside for it; told once a crossing.
public struct BudgetExceeded: JSONObject, Hashable {
    /// Whose.
    public let userID: ID<User>
    /// The category.
    public let categoryID: CategoryID
    /// The month, by its first day's.
    public let month: Month
    /// What was set aside, with what the months before have left.
    public let budget: Total
    /// What was spent.
    public let spent: Total
    /// `budget` without `spent`: below nothing.
    public let available: Total
    /// How it came.
    public let cause: OverspendingCause

    /// All of it.
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

    /// The description.
    public static let json = Object(
        BudgetExceeded.init,
        Field("userId", \.userID),
        Field("categoryId", \.categoryID),
        Field("month", \.month),
        Field("budget", \.budget),
        Field("spent", \.spent),
        Field("available", \.available),
        Field("cause", \.cause)
    )
}

/// A recurring transaction was refused and is left out.
public struct RecurrenceSkipped: JSONObject, Hashable {
    /// The recurrence.
    public let recurrenceID: ID<Recurrence>
    /// Whose.
    public let userID: ID<User>
    /// The day that it was for.
    public let day: Day
    /// What it would have been.
    public let amount: Money
    /// The code of the refusal.
    public let reason: String
    /// Whether the recurrence rests now, as no later one could do better.
    public let rests: Bool

    /// All of it.
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

    /// The description.
    public static let json = Object(
        RecurrenceSkipped.init,
        Field("recurrenceId", \.recurrenceID),
        Field("userId", \.userID),
        Field("day", \.day),
        Field("amount", \.amount),
        Field("reason", \.reason),
        Field("rests", \.rests)
    )
}

extension BudgetExceeded: EventBody {
    /// `wallet.budget.exceeded.v1`.
    public static let eventType = "wallet.budget.exceeded.v1"
}

extension RecurrenceSkipped: EventBody {
    /// `wallet.recurrence.skipped.v1`.
    public static let eventType = "wallet.recurrence.skipped.v1"
}
