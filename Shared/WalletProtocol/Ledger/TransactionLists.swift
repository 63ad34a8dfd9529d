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

/// The forms of a list of transactions.
public enum TransactionFormat: String, StringEnum {
    /// `application/json`: a page.
    case json
    /// `text/csv`: a table of all rows (RFC 4180).
    case csv
    /// `text/plain`: a journal of all rows, which `hledger` and `ledger` read.
    case journal

    /// The media type.
    public var mediaType: String {
        switch self {
        case .json: "application/json"
        case .csv: "text/csv"
        case .journal: "text/plain"
        }
    }

    /// How a file's name ends.
    public var fileExtension: String { rawValue }

    /// The media types of files.
    static let others = allCases.filter { $0 != .json }.map(\.mediaType)
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
        [
            "type": "string",
            "pattern": #"^-?[0-9]+(\.[0-9]+)?,-?[0-9]+(\.[0-9]+)?,[0-9]+(\.[0-9]+)?$"#,
            "examples": ["45.46,9.19,1.5"],
        ]
    }
}

/// Which transactions.
public struct TransactionQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let categoryIDs: [CategoryID]
    public let accountIDs: [ID<Account>]
    public let folderID: ID<Folder>?
    public let direction: Direction?
    public let words: String?
    public let tags: [String]
    public let near: TransactionVicinity?
    public let sort: TransactionOrder
    public let groupBy: TransactionGrouping?
    public let expand: TransactionExpansion
    public let format: TransactionFormat
    public let limit: Int
    public let cursor: Cursor?

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
        format: TransactionFormat = .json,
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
        self.format = format
        self.limit = limit
        self.cursor = cursor
    }

    /// The most values of a parameter that may be repeated.
    public static let anyOfMax = 50

    public static let query = QueryFields(
        TransactionQuery.init,
        QueryField("from", \.from, about: "The first day."),
        QueryField("to", \.to, about: "The last day."),
        QueryField("minAmount", \.minAmount, about: "The smallest magnitude; needs one currency."),
        QueryField("maxAmount", \.maxAmount, about: "The largest magnitude; needs one currency."),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...anyOfMax),
            about: "Any of these categories."
        ),
        QueryField(
            "accountId",
            \.accountIDs,
            .count(0...anyOfMax),
            about: "Any of these accounts."
        ),
        QueryField("folderId", \.folderID, about: "In this folder."),
        QueryField("direction", \.direction, about: "Which way."),
        QueryField(
            "query",
            \.words,
            .line(1...100),
            about: """
                Words in name, description, place or tags. Beginnings of words; case and accents \
                do not count.
                """
        ),
        QueryField("tag", \.tags, .tags, about: "With any of these tags."),
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
            about: "What is told beside."
        ),
        QueryField(
            "format",
            \.format,
            default: .json,
            about: "The form of the answer: a page, or all rows as a file."
        ),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}

/// What a group of a list comes to in one currency, over the whole filter.
public struct TransactionGroup: JSONObject, Hashable {
    public let key: String
    public let count: Int
    public let incoming: Total
    public let outgoing: Total

    public init(key: String, count: Int, incoming: Total, outgoing: Total) {
        self.key = key
        self.count = count
        self.incoming = incoming
        self.outgoing = outgoing
    }

    public static let json = Object(
        TransactionGroup.init,
        Field("key", \.key, about: "The category, day or month."),
        Field("count", \.count, about: "Its rows."),
        Field(
            "in",
            \.incoming,
            about: "What came in, zero or more; transfers between own accounts do not count."
        ),
        Field("out", \.outgoing, about: "What went out, zero or more.")
    )
}

/// A page of transactions.
public struct TransactionPage: JSONObject, Hashable {
    public let items: [TransactionView]
    public let nextCursor: Cursor?
    public let groups: [TransactionGroup]?
    public let unconverted: Int?

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

    /// As many groups has a page.
    public static let groupsMax = 1_000

    public static let json = Object(
        TransactionPage.init,
        Field("items", \.items, about: "The rows, in the list's order."),
        Field(
            "nextCursor",
            \.nextCursor,
            about: "What to ask for the next page with. Absent on the last page."
        ),
        Field(
            "groups",
            \.groups,
            about: "Each group, once for each currency, over the whole filter: on the first page "
                + "the first thousand, in the list's order, on others those of their rows."
        ),
        Field("unconverted", \.unconverted, about: "How many of the rows have no rate.")
    )
}
