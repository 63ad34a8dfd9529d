/// Which way money goes.
public enum Direction: String, StringEnum {
    /// Towards the user.
    case incoming = "in"
    /// Away from the user.
    case outgoing = "out"
}

/// The orders of a list of transactions.
public enum TransactionOrder: String, StringEnum {
    /// By day, the last first.
    case newestFirst = "-date"
    /// By day, the first first.
    case oldestFirst = "date"
    /// By signed amount, the largest first: incomes before expenses.
    case largestFirst = "-amount"
    /// By signed amount, the smallest first: expenses before incomes.
    case smallestFirst = "amount"
}

/// What the rows of a list are put together by.
public enum TransactionGrouping: String, StringEnum {
    /// By category: in the order in which they were made; who is split stands under each.
    case category
    /// By day, in the order of the list; the newest first where that is another.
    case day
    /// By calendar month, likewise.
    case month
}

/// What is told of a row beside itself: words with commas between them.
public struct TransactionExpansion: Hashable, Sendable {
    /// The category.
    public var category: Bool
    /// The amount in the user's currency.
    public var converted: Bool

    /// All of it.
    public init(category: Bool = false, converted: Bool = false) {
        self.category = category
        self.converted = converted
    }
}

extension TransactionExpansion: TextValue, QueryValue {
    /// The words in these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> TransactionExpansion? {
        var expansion = TransactionExpansion()
        for word in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            switch String(decoding: word, as: UTF8.self) {
            case "category" where !expansion.category: expansion.category = true
            case "converted" where !expansion.converted: expansion.converted = true
            default: return nil
            }
        }
        return expansion
    }
    /// The words.
    public func appendText(to writer: inout JSONWriter) {
        let words = [category ? "category" : nil, converted ? "converted" : nil]
        writer.append(raw: words.compactMap(\.self).joined(separator: ",").utf8)
    }
    /// The words.
    public static var expectation: String { "category, converted, or both with a comma between" }
    /// `unknown-value`.
    public static var fault: FieldCode { .unknownValue }
    /// A string.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "pattern": "^((category|converted)(,(category|converted))?)?$"]
    }
}

/// A place and how far around it: `lat,lon,km`.
public struct TransactionVicinity: Hashable, Sendable {
    /// Degrees north.
    public let latitude: Double
    /// Degrees east.
    public let longitude: Double
    /// How far.
    public let kilometres: Double

    /// Half of the way around the Earth: everywhere.
    public static let kilometresMax = 20_040.0

    /// All of it.
    public init(latitude: Double, longitude: Double, kilometres: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.kilometres = kilometres
    }
}

extension TransactionVicinity: TextValue, QueryValue {
    /// The three numbers in these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> TransactionVicinity? {
        let parts = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        // The grammar of decimals: no exponents, no words, no hexadecimal digits.
        let texts = parts.map { String(decoding: $0, as: UTF8.self) }
        guard texts.count == 3, texts.allSatisfy({ ExactDecimal($0) != nil || isMinusZero($0) })
        else { return nil }
        let numbers = texts.compactMap { Double($0) }
        guard numbers.count == 3, (-90...90).contains(numbers[0]),
            (-180...180).contains(numbers[1]), numbers[2] > 0, numbers[2] <= kilometresMax
        else { return nil }
        return TransactionVicinity(
            latitude: numbers[0],
            longitude: numbers[1],
            kilometres: numbers[2]
        )
    }

    /// What a program may write of a number that it has rounded.
    private static func isMinusZero(_ text: String) -> Bool {
        text.first == "-" && text.utf8.dropFirst().allSatisfy { $0 == 0x30 || $0 == 0x2E }
            && ExactDecimal(String(text.dropFirst())) != nil
    }
    /// The three numbers.
    public func appendText(to writer: inout JSONWriter) {
        writer.append(raw: "\(latitude),\(longitude),\(kilometres)".utf8)
    }
    /// Latitude, longitude and kilometres.
    public static var expectation: String { "latitude, longitude and kilometres: 45.46,9.19,1.5" }
    /// `invalid-value`.
    public static var fault: FieldCode { .invalidValue }
    /// A string.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "examples": ["45.46,9.19,1.5"]]
    }
}

/// Which transactions.
public struct TransactionQuery: QueryObject, Hashable {
    /// The first day.
    public let from: Day?
    /// The last day.
    public let to: Day?
    /// The smallest magnitude; needs one currency.
    public let minAmount: ExactDecimal?
    /// The largest magnitude; needs one currency.
    public let maxAmount: ExactDecimal?
    /// Any of these categories.
    public let categoryIDs: [CategoryID]
    /// Any of these accounts.
    public let accountIDs: [ID<Account>]
    /// In this folder.
    public let folderID: ID<Folder>?
    /// Which way.
    public let direction: Direction?
    /// Words in name, description, place or tags.
    public let words: String?
    /// With any of these tags.
    public let tags: [String]
    /// Around a place.
    public let near: TransactionVicinity?
    /// The order; by amount needs one currency.
    public let sort: TransactionOrder
    /// What the rows are put together by.
    public let groupBy: TransactionGrouping?
    /// What is told beside.
    public let expand: TransactionExpansion
    /// How many.
    public let limit: Int
    /// Where the page begins.
    public let cursor: Cursor?

    /// All of it.
    public init(
        from: Day? = nil,
        to: Day? = nil,
        minAmount: ExactDecimal? = nil,
        maxAmount: ExactDecimal? = nil,
        categoryIDs: [CategoryID] = [],
        accountIDs: [ID<Account>] = [],
        folderID: ID<Folder>? = nil,
        direction: Direction? = nil,
        words: String? = nil,
        tags: [String] = [],
        near: TransactionVicinity? = nil,
        sort: TransactionOrder = .newestFirst,
        groupBy: TransactionGrouping? = nil,
        expand: TransactionExpansion = TransactionExpansion(),
        limit: Int = 50,
        cursor: Cursor? = nil
    ) {
        self.from = from
        self.to = to
        self.minAmount = minAmount
        self.maxAmount = maxAmount
        self.categoryIDs = categoryIDs
        self.accountIDs = accountIDs
        self.folderID = folderID
        self.direction = direction
        self.words = words
        self.tags = tags
        self.near = near
        self.sort = sort
        self.groupBy = groupBy
        self.expand = expand
        self.limit = limit
        self.cursor = cursor
    }

    /// The most values of a parameter that may be repeated.
    public static let anyOfMax = 50

    /// The description.
    public static let query = QueryFields(
        TransactionQuery.init,
        QueryField("from", \.from),
        QueryField("to", \.to),
        QueryField("minAmount", \.minAmount),
        QueryField("maxAmount", \.maxAmount),
        QueryField("categoryId", \.categoryIDs, .count(0...anyOfMax)),
        QueryField("accountId", \.accountIDs, .count(0...anyOfMax)),
        QueryField("folderId", \.folderID),
        QueryField("direction", \.direction),
        QueryField(
            "query",
            \.words,
            .line(1...100),
            about: "Beginnings of words; case and accents do not count."
        ),
        QueryField("tag", \.tags, .tags),
        QueryField("near", \.near),
        QueryField("sort", \.sort, default: .newestFirst),
        QueryField("groupBy", \.groupBy),
        QueryField("expand", \.expand, default: TransactionExpansion()),
        QueryField("limit", \.limit, .range(1...200), default: 50),
        QueryField("cursor", \.cursor)
    )
}

/// What a group of a list comes to in one currency, over the whole filter.
public struct TransactionGroup: JSONObject, Hashable {
    /// The category, day or month.
    public let key: String
    /// Its rows.
    public let count: Int
    /// What came in; transfers between own accounts do not count.
    public let incoming: Total
    /// What went out, below zero.
    public let outgoing: Total

    /// All of it.
    public init(key: String, count: Int, incoming: Total, outgoing: Total) {
        self.key = key
        self.count = count
        self.incoming = incoming
        self.outgoing = outgoing
    }

    /// The description.
    public static let json = Object(
        TransactionGroup.init,
        Field("key", \.key),
        Field("count", \.count),
        Field("in", \.incoming),
        Field("out", \.outgoing)
    )
}

/// A page of transactions.
public struct TransactionPage: JSONObject, Hashable {
    /// The rows, in the list's order.
    public let items: [TransactionView]
    /// What to ask for the next page with.
    public let nextCursor: Cursor?
    /// Each group, once for each currency, over the whole filter.
    public let groups: [TransactionGroup]?
    /// How many of the rows have no rate.
    public let unconverted: Int?

    /// All of it.
    public init(
        items: [TransactionView],
        nextCursor: Cursor?,
        groups: [TransactionGroup]? = nil,
        unconverted: Int? = nil
    ) {
        self.items = items
        self.nextCursor = nextCursor
        self.groups = groups
        self.unconverted = unconverted
    }

    /// The description.
    public static let json = Object(
        TransactionPage.init,
        Field("items", \.items),
        Field("nextCursor", \.nextCursor, about: "Absent on the last page."),
        Field("groups", \.groups),
        Field("unconverted", \.unconverted)
    )
}
