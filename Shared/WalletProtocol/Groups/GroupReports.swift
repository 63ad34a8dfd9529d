/// What a group's totals are told apart by.
public enum GroupTotalsGrouping: String, StringEnum {
    /// By category.
    case category
    /// By calendar month.
    case month
}

/// Which totals.
public struct GroupTotalsQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let groupBy: GroupTotalsGrouping?
    public let cursor: Cursor?

    public init(
        from: Day? = nil,
        to: Day? = nil,
        groupBy: GroupTotalsGrouping? = nil,
        cursor: Cursor? = nil
    ) {
        self.from = from
        self.to = to
        self.groupBy = groupBy
        self.cursor = cursor
    }

    public static let query = QueryFields(
        GroupTotalsQuery.init,
        QueryField("from", \.from, about: "The first day; of the first expense where left out."),
        QueryField("to", \.to, about: "The last day."),
        QueryField("groupBy", \.groupBy, about: "What they are told apart by."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}

/// What was spent, in one currency.
public struct GroupTotal: JSONObject, Hashable {
    public let categoryID: ID<GroupCategory>?
    public let month: String?
    public let count: Int
    public let group: Total
    public let mine: Total
    public let share: Total

    public init(
        categoryID: ID<GroupCategory>? = nil,
        month: String? = nil,
        count: Int,
        group: Total,
        mine: Total,
        share: Total
    ) {
        self.categoryID = categoryID
        self.month = month
        self.count = count
        self.group = group
        self.mine = mine
        self.share = share
    }

    public static let json = Object(
        GroupTotal.init,
        Field("categoryId", \.categoryID, about: "The category, where they are told apart by it."),
        Field("month", \.month, about: "The month, where they are told apart by it: `2026-11`."),
        Field("count", \.count, about: "Of so many expenses."),
        Field("group", \.group, about: "What all have spent."),
        Field(
            "mine",
            \.mine,
            about: "What the caller paid less the others' shares of it, settled or not."
        ),
        Field("share", \.share, about: "The caller's shares of everything.")
    )
}

/// What a group has spent.
public struct GroupTotalsView: JSONObject, Hashable {
    public let totals: [GroupTotal]
    public let nextCursor: Cursor?

    public init(totals: [GroupTotal], nextCursor: Cursor? = nil) {
        self.totals = totals
        self.nextCursor = nextCursor
    }

    /// How many one answer holds.
    public static let countMax = 1_000

    public static let json = Object(
        GroupTotalsView.init,
        Field(
            "totals",
            \.totals,
            about: "By currency, and what they are told apart by; up to 1,000."
        ),
        Field("nextCursor", \.nextCursor, about: "Absent on the last page.")
    )
}

/// What expenses' positions are put together by.
public enum ExpensePlacing: String, StringEnum {
    /// Those within about a hundred metres.
    case place
}

/// Which positions: the filters of the list.
public struct ExpensePositionQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let categoryIDs: [ID<GroupCategory>]
    public let tags: [String]
    public let words: String?
    public let isMine: Bool
    public let near: TransactionVicinity?
    public let groupBy: ExpensePlacing?
    public let limit: Int
    public let cursor: Cursor?

    public init(
        from: Day? = nil,
        to: Day? = nil,
        minAmount: ExactDecimal? = nil,
        maxAmount: ExactDecimal? = nil,
        currency: Currency? = nil,
        categoryIDs: [ID<GroupCategory>] = [],
        tags: [String] = [],
        words: String? = nil,
        isMine: Bool = false,
        near: TransactionVicinity? = nil,
        groupBy: ExpensePlacing? = nil,
        limit: Int = 50,
        cursor: Cursor? = nil
    ) {
        self.from = from
        self.to = to
        self.minAmount = minAmount
        self.maxAmount = maxAmount
        self.currency = currency
        self.categoryIDs = categoryIDs
        self.tags = tags
        self.words = words
        self.isMine = isMine
        self.near = near
        self.groupBy = groupBy
        self.limit = limit
        self.cursor = cursor
    }

    public static let query = QueryFields(
        ExpensePositionQuery.init,
        QueryField("from", \.from, about: "The first day."),
        QueryField("to", \.to, about: "The last day."),
        QueryField("minAmount", \.minAmount, about: "The smallest amount; needs one currency."),
        QueryField("maxAmount", \.maxAmount, about: "The largest amount; needs one currency."),
        QueryField("currency", \.currency, about: ExpenseQuery.currencyRule),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...ExpenseQuery.anyOfMax),
            about: "Any of these categories."
        ),
        QueryField("tag", \.tags, .tags, about: "With any of these tags."),
        QueryField("query", \.words, .line(1...100), about: "Words in name or description."),
        QueryField(
            "mine",
            \.isMine,
            default: false,
            about: "Only those that the caller wrote down."
        ),
        QueryField(
            "near",
            \.near,
            about: "Latitude, longitude and kilometres around it: `45.46,9.19,1.5`."
        ),
        QueryField(
            "groupBy",
            \.groupBy,
            about: "What they are put together by; places come from south to north, as many as an "
                + "answer holds, whatever the limit."
        ),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}

/// What is told of an expense, or of a place, beside where it is.
public struct ExpensePositionProperties: JSONObject, Hashable {
    public let name: String?
    public let date: Day?
    public let amount: Money?
    public let categoryID: ID<GroupCategory>?
    public let label: String?
    public let count: Int?
    public let totals: [Total]?

    public init(
        name: String? = nil,
        date: Day? = nil,
        amount: Money? = nil,
        categoryID: ID<GroupCategory>? = nil,
        label: String? = nil,
        count: Int? = nil,
        totals: [Total]? = nil
    ) {
        self.name = name
        self.date = date
        self.amount = amount
        self.categoryID = categoryID
        self.label = label
        self.count = count
        self.totals = totals
    }

    public static let json = Object(
        ExpensePositionProperties.init,
        Field("name", \.name, about: "What it was, of an expense."),
        Field("date", \.date, about: "The day, of an expense."),
        Field("amount", \.amount, about: "All of it, of an expense."),
        Field("categoryId", \.categoryID, about: "The category, of an expense."),
        Field("label", \.label, about: "The place in words."),
        Field("count", \.count, about: "How many expenses, of a place."),
        Field("totals", \.totals, about: "What was spent there by currency, of a place.")
    )
}

/// An expense and where it was, or a place where some were.
public struct ExpensePositionFeature: JSONObject, Hashable {
    public let type: PositionFeature.Kind
    public let id: ID<Expense>?
    public let geometry: GeoPoint
    public let properties: ExpensePositionProperties

    public init(
        id: ID<Expense>? = nil,
        geometry: GeoPoint,
        properties: ExpensePositionProperties
    ) {
        self.init(type: .feature, id: id, geometry: geometry, properties: properties)
    }

    private init(
        type: PositionFeature.Kind,
        id: ID<Expense>?,
        geometry: GeoPoint,
        properties: ExpensePositionProperties
    ) {
        self.type = type
        self.id = id
        self.geometry = geometry
        self.properties = properties
    }

    public static let json = Object(
        ExpensePositionFeature.init(type:id:geometry:properties:),
        Field("type", \.type, about: "`Feature`."),
        Field("id", \.id, about: "The expense, where it is one."),
        Field("geometry", \.geometry, about: "Where it was."),
        Field("properties", \.properties, about: "What it was.")
    )
}

/// A page of positions: a GeoJSON object with a member of our own (RFC 7946, 6.1).
public struct ExpensePositionPage: JSONObject, Hashable {
    public let type: PositionPage.Kind
    public let features: [ExpensePositionFeature]
    public let nextCursor: Cursor?

    public init(features: [ExpensePositionFeature], nextCursor: Cursor? = nil) {
        self.init(type: .collection, features: features, nextCursor: nextCursor)
    }

    private init(
        type: PositionPage.Kind,
        features: [ExpensePositionFeature],
        nextCursor: Cursor?
    ) {
        self.type = type
        self.features = features
        self.nextCursor = nextCursor
    }

    public static let json = Object(
        ExpensePositionPage.init(type:features:nextCursor:),
        Field("type", \.type, about: "`FeatureCollection`."),
        Field("features", \.features, about: "The expenses, newest first, or the places."),
        Field("nextCursor", \.nextCursor, about: "Absent on the last page.")
    )
}

/// What a group has spent, and where.
public enum GroupReports {
    /// How many places one answer holds.
    public static let placesMax = 1_000

    /// What was spent.
    public static let totals = Endpoint<GroupTotalsQuery, NoBody, GroupTotalsView>(
        "getGroupTotals",
        .get,
        "/v1/groups/{id}/totals",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "What a group has spent, and what of it is the caller's"
    )

    /// Where.
    public static let positions = Endpoint<ExpensePositionQuery, NoBody, ExpensePositionPage>(
        "listExpensePositions",
        .get,
        "/v1/groups/{id}/positions",
        of: .groups,
        for: .user,
        response: .jsonAs("application/geo+json"),
        errors: [.notFound, .currencyMismatch],
        summary: "Where a group's expenses were, as GeoJSON, newest first or by place"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [totals.erased, positions.erased]
}
