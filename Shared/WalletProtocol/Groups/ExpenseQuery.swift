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

/// The forms of a list of expenses.
public enum ExpenseListFormat: String, StringEnum {
    /// `application/json`: a page.
    case json
    /// `text/csv`: all rows as one table (RFC 4180).
    case csv

    /// The media type of the table.
    static let table = "text/csv"

    /// The Content-Type of the table, with its charset (RFC 4180, section 3).
    public static let tableType = "\(table); charset=utf-8; header=present"
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
    public let near: TransactionVicinity?
    public let sort: ExpenseOrder
    public let groupBy: TransactionGrouping?
    public let expand: TransactionExpansion
    public let format: ExpenseListFormat
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
        sort: ExpenseOrder = .newestFirst,
        groupBy: TransactionGrouping? = nil,
        expand: TransactionExpansion = TransactionExpansion(),
        format: ExpenseListFormat = .json,
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
        self.sort = sort
        self.groupBy = groupBy
        self.expand = expand
        self.format = format
        self.limit = limit
        self.cursor = cursor
    }

    /// The most categories that are asked for at once.
    public static let anyOfMax = 50

    /// How a list of amounts comes to one currency.
    static let currencyRule =
        "Only those in it. Where amounts are compared and it is left out, it is the one that all "
        + "of the group's expenses are in; 422 where they are in several."

    public static let query = QueryFields(
        ExpenseQuery.init,
        QueryField("from", \.from, about: "The first day."),
        QueryField("to", \.to, about: "The last day."),
        QueryField("minAmount", \.minAmount, about: "The smallest amount; needs one currency."),
        QueryField("maxAmount", \.maxAmount, about: "The largest amount; needs one currency."),
        QueryField("currency", \.currency, about: currencyRule),
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
        QueryField(
            "near",
            \.near,
            about: "Latitude, longitude and kilometres around it: `45.46,9.19,1.5`."
        ),
        QueryField(
            "sort",
            \.sort,
            default: .newestFirst,
            about: "The order; by amount needs one currency."
        ),
        QueryField("groupBy", \.groupBy, about: "What the rows are put together by."),
        QueryField(
            "expand",
            \.expand,
            default: TransactionExpansion(),
            about: "What is told beside; amounts in the group's currency, each at its day's rate."
        ),
        QueryField(
            "format",
            \.format,
            default: .json,
            about: """
                The form of the answer. `csv` returns all rows at once, whatever `limit`, \
                `cursor`, `groupBy` and `expand` are.
                """
        ),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}

/// What a group of a list of expenses comes to in one currency, over the whole filter.
public struct ExpenseGroup: JSONObject, Hashable {
    public let key: String
    public let count: Int
    public let outgoing: Total

    public init(key: String, count: Int, outgoing: Total) {
        self.key = key
        self.count = count
        self.outgoing = outgoing
    }

    public static let json = Object(
        ExpenseGroup.init,
        Field("key", \.key, about: "The category, day or month."),
        Field("count", \.count, about: "Its rows."),
        Field("out", \.outgoing, about: "What was spent: above zero, as each row's amount is.")
    )
}

/// A page of expenses.
public struct ExpensePage: JSONObject, Hashable {
    public let items: [ExpenseView]
    public let nextCursor: Cursor?
    public let groups: [ExpenseGroup]?
    public let unconverted: Int?

    public init(
        items: [ExpenseView],
        nextCursor: Cursor? = nil,
        groups: [ExpenseGroup]? = nil,
        unconverted: Int? = nil
    ) {
        self.items = items
        self.nextCursor = nextCursor
        self.groups = groups
        self.unconverted = unconverted
    }

    /// As many groups has a page.
    public static let groupsMax = 1_000

    public static let json = Object(
        ExpensePage.init,
        Field("items", \.items, about: "The rows, in the list's order."),
        Field("nextCursor", \.nextCursor, about: "Absent on the last page."),
        Field(
            "groups",
            \.groups,
            about: "Each group, once for each currency, over the whole filter: on the first page "
                + "the first thousand, in the list's order, on others those of their rows."
        ),
        Field(
            "unconverted",
            \.unconverted,
            about: "How many of the rows have no rate, or none right now."
        )
    )
}
