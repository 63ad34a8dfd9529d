/// What is to be told of an envelope.
public enum BudgetAlert: String, StringEnum {
    /// Taking out, or transferring, has left less than nothing in it.
    case negative = "budget-negative"
    /// More has been spent than was in it.
    case exceeded = "budget-exceeded"
}

/// What is set aside for a category in a month, and what has become of it.
public struct Envelope: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let month: Month
    public let rolledOver: Total
    public let allocated: Total
    public let spent: Total
    public let available: Total
    public let percent: Nullable<ExactDecimal>
    public let unconverted: [Total]

    public init(
        categoryID: CategoryID,
        month: Month,
        rolledOver: Total,
        allocated: Total,
        spent: Total,
        available: Total,
        percent: Nullable<ExactDecimal>,
        unconverted: [Total] = []
    ) {
        self.categoryID = categoryID
        self.month = month
        self.rolledOver = rolledOver
        self.allocated = allocated
        self.spent = spent
        self.available = available
        self.percent = percent
        self.unconverted = unconverted
    }

    public static let json = Object(
        Envelope.init,
        Field("categoryId", \.categoryID, about: "The category."),
        Field("month", \.month, about: "The month, by its first day's."),
        Field(
            "rolledOver",
            \.rolledOver,
            about: """
                What the months before have left or overspent, since the first with an allocation.
                """
        ),
        Field("allocated", \.allocated, about: "What was allocated to the month."),
        Field("spent", \.spent, about: "What was spent in it, less what came back."),
        Field("available", \.available, about: "`rolledOver` and `allocated` without `spent`."),
        Field(
            "percent",
            \.percent,
            about: """
                `spent` of `rolledOver` and `allocated`, to one digit; null where these are not \
                above 0.
                """
        ),
        Field(
            "unconverted",
            \.unconverted,
            about: "Spent in currencies that had no rate on the day, by currency; not in `spent`."
        )
    )
}

/// A page of the envelopes of a month.
public struct BudgetPage: JSONObject, Hashable {
    public let month: Month
    public let from: Day
    public let to: Day
    public let items: [Envelope]
    public let nextCursor: Cursor?

    public init(
        month: Month,
        from: Day,
        to: Day,
        items: [Envelope],
        nextCursor: Cursor? = nil
    ) {
        self.month = month
        self.from = from
        self.to = to
        self.items = items
        self.nextCursor = nextCursor
    }

    public static let json = Object(
        BudgetPage.init,
        Field("month", \.month, about: "The month."),
        Field("from", \.from, about: "Its first day."),
        Field("to", \.to, about: "Its last day."),
        Field("items", \.items, about: "One for each category, by the categories' names."),
        Field("nextCursor", \.nextCursor, about: "Absent on the last page.")
    )
}

/// Which envelopes.
public struct BudgetQuery: QueryObject, Hashable {
    public let month: Month?
    public let limit: Int
    public let cursor: Cursor?

    public init(month: Month? = nil, limit: Int = 200, cursor: Cursor? = nil) {
        self.month = month
        self.limit = limit
        self.cursor = cursor
    }

    public static let query = QueryFields(
        BudgetQuery.init,
        QueryField("month", \.month, about: "The month; the current one where left out."),
        QueryField("limit", \.limit, .range(1...200), default: 200, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}

/// What is put into an envelope.
public struct NewAllocation: JSONObject, Hashable {
    public let amount: Money
    public let month: Month?

    public static let json = Object(
        NewAllocation.init,
        Field(
            "amount",
            \.amount,
            .sent,
            about: "In the user's currency: what is added; minus takes out."
        ),
        Field("month", \.month, about: "The month; the current one where left out.")
    )
}

/// The envelope after an allocation.
public struct AllocationView: JSONObject, Hashable {
    /// The envelope as it is now.
    public let envelope: Envelope
    public let alerts: [BudgetAlert]

    public init(envelope: Envelope, alerts: [BudgetAlert]) {
        self.envelope = envelope
        self.alerts = alerts
    }

    /// The description: the envelope's own fields, and the alerts.
    public static let json = Object(
        AllocationView.init(
            categoryID:
            month:
            rolledOver:
            allocated:
            spent:
            available:
            percent:
            unconverted:
            alerts:
        ),
        Field("categoryId", \.envelope.categoryID, about: "The category."),
        Field("month", \.envelope.month, about: "The month, by its first day's."),
        Field(
            "rolledOver",
            \.envelope.rolledOver,
            about: """
                What the months before have left or overspent, since the first with an allocation.
                """
        ),
        Field("allocated", \.envelope.allocated, about: "What was allocated to the month."),
        Field("spent", \.envelope.spent, about: "What was spent in it, less what came back."),
        Field(
            "available",
            \.envelope.available,
            about: "`rolledOver` and `allocated` without `spent`."
        ),
        Field(
            "percent",
            \.envelope.percent,
            about: """
                `spent` of `rolledOver` and `allocated`, to one digit; null where these are not \
                above 0.
                """
        ),
        Field(
            "unconverted",
            \.envelope.unconverted,
            about: "Spent in currencies that had no rate on the day, by currency; not in `spent`."
        ),
        Field("alerts", \.alerts, about: "What is to be told of it.")
    )

    private init(
        categoryID: CategoryID,
        month: Month,
        rolledOver: Total,
        allocated: Total,
        spent: Total,
        available: Total,
        percent: Nullable<ExactDecimal>,
        unconverted: [Total],
        alerts: [BudgetAlert]
    ) {
        envelope = Envelope(
            categoryID: categoryID,
            month: month,
            rolledOver: rolledOver,
            allocated: allocated,
            spent: spent,
            available: available,
            percent: percent,
            unconverted: unconverted
        )
        self.alerts = alerts
    }
}

/// What goes from one envelope to another.
public struct NewBudgetTransfer: JSONObject, Hashable {
    public let fromCategoryID: CategoryID
    public let toCategoryID: CategoryID
    public let amount: Money
    public let month: Month?

    public static let json = Object(
        NewBudgetTransfer.init,
        Field(
            "fromCategoryId",
            \.fromCategoryID,
            about: "Out of this one, which may fall below nothing."
        ),
        Field("toCategoryId", \.toCategoryID, about: "Into this one."),
        Field(
            "amount",
            \.amount,
            .sent,
            .positive,
            about: "Above nothing, in the user's currency."
        ),
        Field("month", \.month, about: "The month; the current one where left out.")
    )
}

/// Both envelopes after a transfer.
public struct BudgetTransferView: JSONObject, Hashable {
    public let from: Envelope
    public let to: Envelope
    public let alerts: [BudgetAlert]

    public init(from: Envelope, to: Envelope, alerts: [BudgetAlert]) {
        self.from = from
        self.to = to
        self.alerts = alerts
    }

    public static let json = Object(
        BudgetTransferView.init,
        Field("from", \.from, about: "The one that gave."),
        Field("to", \.to, about: "The one that got."),
        Field("alerts", \.alerts, about: "What is to be told of the one that gave.")
    )
}

/// Envelopes per category and month, each from nothing, in the user's currency.
public enum Budgets {
    /// Those of a month.
    public static let list = Endpoint<BudgetQuery, NoBody, BudgetPage>(
        "listBudgets",
        .get,
        "/v1/budgets",
        of: .ledger,
        for: .user,
        summary: "The envelopes of a month",
        description: """
            One for each category, also without an allocation. A month begins on the user's \
            `monthStart`. An envelope rolls over from its first allocation on; amounts of other \
            currencies count at their day's rate.
            """
    )

    /// Puts something in, or takes it out.
    public static let allocate = Endpoint<NoQuery, NewAllocation, AllocationView>(
        "allocateBudget",
        .post,
        "/v1/budgets/{categoryId}/allocations",
        of: .ledger,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [.notFound, .currencyMismatch],
        summary: "Put something into an envelope, or take it out"
    )

    /// Moves something from one to another.
    public static let transfer = Endpoint<NoQuery, NewBudgetTransfer, BudgetTransferView>(
        "transferBudget",
        .post,
        "/v1/budget-transfers",
        of: .ledger,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [.currencyMismatch],
        summary: "Move something from one envelope to another"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [list.erased, allocate.erased, transfer.erased]
}
