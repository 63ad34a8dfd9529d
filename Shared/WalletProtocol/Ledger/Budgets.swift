/// What is to be told of an envelope.
public enum BudgetAlert: String, StringEnum {
    /// Taking out, or transferring, has left less than nothing in it.
    case negative = "budget-negative"
    /// More has been spent than was in it.
    case exceeded = "budget-exceeded"
}

/// What is set aside for a category in a month, and what has become of it.
public struct Envelope: JSONObject, Hashable {
    /// The category.
    public let categoryID: CategoryID
    /// The month, by its first day's.
    public let month: Month
    /// What the months before have left or overspent, since the first with an allocation.
    public let rolledOver: Total
    /// What was allocated to the month.
    public let allocated: Total
    /// What was spent in it, less what came back.
    public let spent: Total
    /// `rolledOver` and `allocated` without `spent`.
    public let available: Total
    /// `spent` of `rolledOver` and `allocated`, to one digit; null where these are not above 0.
    public let percent: Nullable<ExactDecimal>
    /// Spent in currencies that had no rate on the day, by currency; not in `spent`.
    public let unconverted: [Total]

    /// All of it.
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

    /// The description.
    public static let json = Object(
        Envelope.init,
        Field("categoryId", \.categoryID),
        Field("month", \.month),
        Field("rolledOver", \.rolledOver),
        Field("allocated", \.allocated),
        Field("spent", \.spent),
        Field("available", \.available),
        Field("percent", \.percent),
        Field("unconverted", \.unconverted)
    )
}

/// A page of the envelopes of a month.
public struct BudgetPage: JSONObject, Hashable {
    /// The month.
    public let month: Month
    /// Its first day.
    public let from: Day
    /// Its last day.
    public let to: Day
    /// One for each category, by the categories' names.
    public let items: [Envelope]
    /// Absent on the last page.
    public let nextCursor: Cursor?

    /// All of it.
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

    /// The description.
    public static let json = Object(
        BudgetPage.init,
        Field("month", \.month),
        Field("from", \.from),
        Field("to", \.to),
        Field("items", \.items),
        Field("nextCursor", \.nextCursor)
    )
}

/// Which envelopes.
public struct BudgetQuery: QueryObject, Hashable {
    /// The month; the current one where left out.
    public let month: Month?
    /// How many.
    public let limit: Int
    /// Where the page begins.
    public let cursor: Cursor?

    /// All of it.
    public init(month: Month? = nil, limit: Int = 200, cursor: Cursor? = nil) {
        self.month = month
        self.limit = limit
        self.cursor = cursor
    }

    /// The description.
    public static let query = QueryFields(
        BudgetQuery.init,
        QueryField("month", \.month),
        QueryField("limit", \.limit, .range(1...200), default: 200),
        QueryField("cursor", \.cursor)
    )
}

/// What is put into an envelope.
public struct NewAllocation: JSONObject, Hashable {
    /// In the user's currency: what is added; minus takes out.
    public let amount: Money
    /// The month; the current one where left out.
    public let month: Month?

    /// All of it.
    public init(amount: Money, month: Month? = nil) {
        self.amount = amount
        self.month = month
    }

    /// The description.
    public static let json = Object(
        NewAllocation.init,
        Field("amount", \.amount, .sent),
        Field("month", \.month)
    )
}

/// The envelope after an allocation.
public struct AllocationView: JSONObject, Hashable {
    /// The envelope as it is now.
    public let envelope: Envelope
    /// What is to be told of it.
    public let alerts: [BudgetAlert]

    /// All of it.
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
        Field("categoryId", \.envelope.categoryID),
        Field("month", \.envelope.month),
        Field("rolledOver", \.envelope.rolledOver),
        Field("allocated", \.envelope.allocated),
        Field("spent", \.envelope.spent),
        Field("available", \.envelope.available),
        Field("percent", \.envelope.percent),
        Field("unconverted", \.envelope.unconverted),
        Field("alerts", \.alerts)
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
    /// Out of this one, which may fall below nothing.
    public let fromCategoryID: CategoryID
    /// Into this one.
    public let toCategoryID: CategoryID
    /// Above nothing, in the user's currency.
    public let amount: Money
    /// The month; the current one where left out.
    public let month: Month?

    /// All of it.
    public init(
        fromCategoryID: CategoryID,
        toCategoryID: CategoryID,
        amount: Money,
        month: Month? = nil
    ) {
        self.fromCategoryID = fromCategoryID
        self.toCategoryID = toCategoryID
        self.amount = amount
        self.month = month
    }

    /// The description.
    public static let json = Object(
        NewBudgetTransfer.init,
        Field("fromCategoryId", \.fromCategoryID),
        Field("toCategoryId", \.toCategoryID),
        Field("amount", \.amount, .sent, .positive),
        Field("month", \.month)
    )
}

/// Both envelopes after a transfer.
public struct BudgetTransferView: JSONObject, Hashable {
    /// The one that gave.
    public let from: Envelope
    /// The one that got.
    public let to: Envelope
    /// What is to be told of the one that gave.
    public let alerts: [BudgetAlert]

    /// All of it.
    public init(from: Envelope, to: Envelope, alerts: [BudgetAlert]) {
        self.from = from
        self.to = to
        self.alerts = alerts
    }

    /// The description.
    public static let json = Object(
        BudgetTransferView.init,
        Field("from", \.from),
        Field("to", \.to),
        Field("alerts", \.alerts)
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
