/// The orders of a list of expenses.
public enum ExpenseOrder: String, StringEnum {
    /// By day, the last first.
    case newestFirst = "-date"
    /// By day, the first first.
    case oldestFirst = "date"
    /// By amount, the largest first.
    case largestFirst = "-amount"
    /// By amount, the smallest first.
    case smallestFirst = "amount"

    /// Whether amounts are compared.
    public var isByAmount: Bool { self == .largestFirst || self == .smallestFirst }
}

/// Which expenses.
public struct ExpenseQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let categoryIDs: [ID<GroupCategory>]
    public let tags: [String]
    public let words: String?
    public let isMine: Bool
    public let sort: ExpenseOrder
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
        sort: ExpenseOrder = .newestFirst,
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
        self.sort = sort
        self.limit = limit
        self.cursor = cursor
    }

    /// The most categories that are asked for at once.
    public static let anyOfMax = 50

    public static let query = QueryFields(
        ExpenseQuery.init,
        QueryField("from", \.from, about: "The first day."),
        QueryField("to", \.to, about: "The last day."),
        QueryField("minAmount", \.minAmount, about: "The smallest amount."),
        QueryField("maxAmount", \.maxAmount, about: "The largest amount."),
        QueryField(
            "currency",
            \.currency,
            about: "Only those in it; the group's where amounts are compared and it is left out."
        ),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...anyOfMax),
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
        QueryField("sort", \.sort, default: .newestFirst, about: "The order."),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}
