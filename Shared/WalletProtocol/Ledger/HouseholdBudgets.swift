/// What a parent has spent of an envelope.
public struct HouseholdSpending: JSONObject, Hashable {
    public let userID: ID<User>?
    public let spent: Total

    public init(userID: ID<User>? = nil, spent: Total) {
        self.userID = userID
        self.spent = spent
    }

    public static let json = Object(
        HouseholdSpending.init,
        Field("userId", \.userID, about: "The parent; absent for all who were one then."),
        Field("spent", \.spent, about: "What was spent, less what came back.")
    )
}

/// An envelope of a family's in a month.
public struct HouseholdEnvelopeMonth: JSONObject, Hashable {
    public let envelope: HouseholdEnvelopeView
    public let month: Month
    public let rolledOver: Total
    public let allocated: Total
    public let spent: Total
    public let available: Total
    public let percent: Nullable<ExactDecimal>
    public let unconverted: [Total]
    public let spentBy: [HouseholdSpending]

    public init(
        envelope: HouseholdEnvelopeView,
        month: Month,
        rolledOver: Total,
        allocated: Total,
        spent: Total,
        available: Total,
        percent: Nullable<ExactDecimal>,
        unconverted: [Total],
        spentBy: [HouseholdSpending]
    ) {
        self.envelope = envelope
        self.month = month
        self.rolledOver = rolledOver
        self.allocated = allocated
        self.spent = spent
        self.available = available
        self.percent = percent
        self.unconverted = unconverted
        self.spentBy = spentBy
    }

    public static let json = Object(
        HouseholdEnvelopeMonth.init,
        Field("envelope", \.envelope, about: "Which, with the caller's categories in the month."),
        Field("month", \.month, about: "The month."),
        Field(
            "rolledOver",
            \.rolledOver,
            about: """
                What the months before have left or overspent, since the first with an allocation.
                """
        ),
        Field("allocated", \.allocated, about: "What was allocated to the month."),
        Field("spent", \.spent, about: "What all parents spent in it, less what came back."),
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
        ),
        Field("spentBy", \.spentBy, about: "`spent`, by those who have booked any of it.")
    )
}

/// A family's envelopes in a month.
public struct HouseholdBudget: JSONObject, Hashable {
    public let month: Month
    public let from: Day
    public let to: Day
    public let currency: Currency
    public let items: [HouseholdEnvelopeMonth]

    public init(
        month: Month,
        from: Day,
        to: Day,
        currency: Currency,
        items: [HouseholdEnvelopeMonth]
    ) {
        self.month = month
        self.from = from
        self.to = to
        self.currency = currency
        self.items = items
    }

    public static let json = Object(
        HouseholdBudget.init,
        Field("month", \.month, about: "The month."),
        Field("from", \.from, about: "Its first day."),
        Field("to", \.to, about: "Its last day."),
        Field("currency", \.currency, about: "The family's."),
        Field("items", \.items, about: "One for each envelope, by name.")
    )
}

/// Which month.
public struct HouseholdMonthQuery: QueryObject, Hashable {
    public let month: Month?

    public init(month: Month? = nil) { self.month = month }

    public static let query = QueryFields(
        HouseholdMonthQuery.init,
        QueryField("month", \.month, about: "The month; the current one where left out.")
    )
}

/// What is put into a family's envelope.
public struct NewHouseholdAllocation: JSONObject, Hashable {
    public let amount: Money
    public let month: Month?

    public static let json = Object(
        NewHouseholdAllocation.init,
        Field(
            "amount",
            \.amount,
            .sent,
            about: "In the family's currency: what is added; minus takes out."
        ),
        Field("month", \.month, about: "The month; the current one where left out.")
    )
}

/// A family's envelope after an allocation.
public struct HouseholdAllocationView: JSONObject, Hashable {
    public let budget: HouseholdEnvelopeMonth
    public let alerts: [BudgetAlert]

    public init(budget: HouseholdEnvelopeMonth, alerts: [BudgetAlert]) {
        self.budget = budget
        self.alerts = alerts
    }

    public static let json = Object(
        HouseholdAllocationView.init,
        Field("budget", \.budget, about: "The envelope as it is now."),
        Field("alerts", \.alerts, about: "What is to be told of it.")
    )
}

/// What goes from one of a family's envelopes to another.
public struct NewHouseholdTransfer: JSONObject, Hashable {
    public let fromEnvelopeID: ID<HouseholdEnvelope>
    public let toEnvelopeID: ID<HouseholdEnvelope>
    public let amount: Money
    public let month: Month?

    public static let json = Object(
        NewHouseholdTransfer.init,
        Field(
            "fromEnvelopeId",
            \.fromEnvelopeID,
            about: "Out of this one, which may fall below nothing."
        ),
        Field("toEnvelopeId", \.toEnvelopeID, about: "Into this one."),
        Field(
            "amount",
            \.amount,
            .sent,
            .positive,
            about: "Above nothing, in the family's currency."
        ),
        Field("month", \.month, about: "The month; the current one where left out.")
    )
}

/// Both of a family's envelopes after a transfer.
public struct HouseholdTransferView: JSONObject, Hashable {
    public let from: HouseholdEnvelopeMonth
    public let to: HouseholdEnvelopeMonth
    public let alerts: [BudgetAlert]

    public init(
        from: HouseholdEnvelopeMonth,
        to: HouseholdEnvelopeMonth,
        alerts: [BudgetAlert]
    ) {
        self.from = from
        self.to = to
        self.alerts = alerts
    }

    public static let json = Object(
        HouseholdTransferView.init,
        Field("from", \.from, about: "The one that gave."),
        Field("to", \.to, about: "The one that got."),
        Field("alerts", \.alerts, about: "What is to be told of the one that gave.")
    )
}

/// Envelopes that the parents of a family share, from nothing, in the family's currency.
public enum HouseholdBudgets {
    /// How many a family has at most.
    public static let envelopesMax = 100

    /// Those of a month.
    public static let get = Endpoint<HouseholdMonthQuery, NoBody, HouseholdBudget>(
        "getHouseholdBudget",
        .get,
        "/v1/families/me/budget",
        of: .ledger,
        for: .user,
        errors: [.notFound, .parentsOnly],
        summary: "The family's envelopes in a month",
        description: """
            A month begins on the first. Counted is what each parent has booked in the categories \
            that they have put into an envelope; of others' bookings nobody sees more than the \
            sum. An envelope rolls over from its first allocation on; amounts of other currencies \
            count at their day's rate.
            """
    )

    /// Puts something in, or takes it out.
    public static let allocate = Endpoint<
        NoQuery, NewHouseholdAllocation, HouseholdAllocationView
    >(
        "allocateHouseholdBudget",
        .post,
        "/v1/families/me/budget/envelopes/{id}/allocations",
        of: .ledger,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [.notFound, .parentsOnly, .currencyMismatch],
        summary: "Put something into an envelope of the family's, or take it out"
    )

    /// Moves something from one to another.
    public static let transfer = Endpoint<NoQuery, NewHouseholdTransfer, HouseholdTransferView>(
        "transferHouseholdBudget",
        .post,
        "/v1/families/me/budget-transfers",
        of: .ledger,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [.notFound, .parentsOnly, .currencyMismatch],
        summary: "Move something from one envelope of the family's to another"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] =
        [get.erased, allocate.erased, transfer.erased] + HouseholdEnvelopes.all
}
