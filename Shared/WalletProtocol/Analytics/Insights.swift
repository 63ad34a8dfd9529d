/// What insights can be grouped by.
public enum SpendingDimension: String, StringEnum {
    /// The COICOP division.
    case category
    /// The user's region.
    case area
    /// The user's age on the transaction's day.
    case ageBand = "age-band"
    /// The month.
    case month
    /// The kind of account.
    case accountKind = "account-kind"
    /// The currency.
    case currency
}

/// The ages that insights tell apart.
public enum AgeBand: String, StringEnum {
    /// Children.
    case under18 = "0-17"
    /// 18 to 24.
    case from18 = "18-24"
    /// 25 to 34.
    case from25 = "25-34"
    /// 35 to 44.
    case from35 = "35-44"
    /// 45 to 54.
    case from45 = "45-54"
    /// 55 to 64.
    case from55 = "55-64"
    /// 65 and above.
    case from65 = "65+"
    /// No day of birth is known.
    case unknown
}

/// The forms of an answer.
public enum InsightFormat: String, StringEnum {
    /// `application/json`.
    case json
    /// `text/csv`.
    case csv
}

/// What insights are asked of.
public struct SpendingQuery: QueryObject, Hashable {
    /// A day of the first month; the last month where left out.
    public let from: Day?
    /// A day of the last month; the last month where left out.
    public let to: Day?
    /// What cells there are; one for everything where left out.
    public let groupBy: [SpendingDimension]
    /// Any of these divisions, or `none`.
    public let categories: [CategoryKey]
    /// Any of these regions, a country with its parts, or `unknown`.
    public let areas: [String]
    /// Any of these ages.
    public let ageBands: [AgeBand]
    /// Any of these months.
    public let months: [Month]
    /// Any of these kinds.
    public let accountKinds: [AccountKind]
    /// Any of these currencies.
    public let currencies: [Currency]
    /// Which way.
    public let direction: Direction
    /// The currency of the figures, at each day's rate.
    public let convertedTo: Currency
    /// The form of the answer.
    public let format: InsightFormat

    /// All of it.
    public init(
        from: Day? = nil,
        to: Day? = nil,
        groupBy: [SpendingDimension] = [],
        categories: [CategoryKey] = [],
        areas: [String] = [],
        ageBands: [AgeBand] = [],
        months: [Month] = [],
        accountKinds: [AccountKind] = [],
        currencies: [Currency] = [],
        direction: Direction = .outgoing,
        convertedTo: Currency = .eur,
        format: InsightFormat = .json
    ) {
        self.from = from
        self.to = to
        self.groupBy = groupBy
        self.categories = categories
        self.areas = areas
        self.ageBands = ageBands
        self.months = months
        self.accountKinds = accountKinds
        self.currencies = currencies
        self.direction = direction
        self.convertedTo = convertedTo
        self.format = format
    }

    /// The description.
    public static let query = QueryFields(
        SpendingQuery.init,
        QueryField("from", \.from),
        QueryField("to", \.to),
        QueryField("groupBy", \.groupBy, .count(0...6)),
        QueryField("category", \.categories),
        QueryField("area", \.areas, .count(0...50)),
        QueryField("ageBand", \.ageBands),
        QueryField("month", \.months),
        QueryField("accountKind", \.accountKinds),
        QueryField("currency", \.currencies),
        QueryField("direction", \.direction, default: .outgoing),
        QueryField("in", \.convertedTo, default: .eur),
        QueryField("format", \.format, default: .json)
    )
}

/// One cell; a suppressed one has its keys and no figures.
public struct SpendingCell: JSONObject, Hashable {
    /// The division, where asked for.
    public let category: CategoryKey?
    /// The region, where asked for.
    public let area: String?
    /// The ages, where asked for.
    public let ageBand: AgeBand?
    /// The month, where asked for.
    public let month: Month?
    /// The kind of account, where asked for.
    public let accountKind: AccountKind?
    /// The currency, where asked for.
    public let currency: Currency?
    /// Whether it would tell of too few people.
    public let isSuppressed: Bool
    /// The sum, zero or more.
    public let total: Total?
    /// How many transactions.
    public let count: Int?
    /// How many people.
    public let users: Int?
    /// The mean per transaction.
    public let mean: Total?
    /// The median per transaction.
    public let median: Total?

    /// All of it.
    public init(
        category: CategoryKey? = nil,
        area: String? = nil,
        ageBand: AgeBand? = nil,
        month: Month? = nil,
        accountKind: AccountKind? = nil,
        currency: Currency? = nil,
        isSuppressed: Bool,
        total: Total? = nil,
        count: Int? = nil,
        users: Int? = nil,
        mean: Total? = nil,
        median: Total? = nil
    ) {
        self.category = category
        self.area = area
        self.ageBand = ageBand
        self.month = month
        self.accountKind = accountKind
        self.currency = currency
        self.isSuppressed = isSuppressed
        self.total = total
        self.count = count
        self.users = users
        self.mean = mean
        self.median = median
    }

    /// The description.
    public static let json = Object(
        SpendingCell.init,
        Field("category", \.category),
        Field("area", \.area),
        Field("ageBand", \.ageBand),
        Field("month", \.month),
        Field("accountKind", \.accountKind),
        Field("currency", \.currency),
        Field("suppressed", \.isSuppressed),
        Field("total", \.total),
        Field("count", \.count),
        Field("users", \.users),
        Field("mean", \.mean),
        Field("median", \.median)
    )
}

/// What all users spend or earn.
public struct SpendingInsights: JSONObject, Hashable {
    /// The first day.
    public let from: Day
    /// The last day.
    public let to: Day
    /// Which way.
    public let direction: Direction
    /// The currency of the figures.
    public let currency: Currency
    /// Cells of fewer people are suppressed.
    public let usersMin: Int
    /// The cells, by their keys.
    public let cells: [SpendingCell]
    /// What has no rate and is in no figure, one a currency, where it may be told.
    public let unconverted: [Total]

    /// All of it.
    public init(
        from: Day,
        to: Day,
        direction: Direction,
        currency: Currency,
        usersMin: Int,
        cells: [SpendingCell],
        unconverted: [Total]
    ) {
        self.from = from
        self.to = to
        self.direction = direction
        self.currency = currency
        self.usersMin = usersMin
        self.cells = cells
        self.unconverted = unconverted
    }

    /// The description.
    public static let json = Object(
        SpendingInsights.init,
        Field("from", \.from),
        Field("to", \.to),
        Field("direction", \.direction),
        Field("currency", \.currency),
        Field("usersMin", \.usersMin),
        Field("cells", \.cells),
        Field("unconverted", \.unconverted)
    )
}

/// Figures of everybody, for the role `coo`.
public enum Insights {
    /// What all users spend.
    public static let spending = Endpoint<SpendingQuery, NoBody, SpendingInsights>(
        "getSpendingInsights",
        .get,
        "/v1/insights/spending",
        of: .analytics,
        for: .role(.coo),
        response: .jsonOr(["text/csv"]),
        summary: "What all users spend, by cell",
        description: """
            Cells of fewer than ten people are suppressed together with what would reveal them; \
            no call can return one person's data. Figures are of whole calendar months, those \
            that `from` and `to` are days of: each month is suppressed by itself, and several \
            are told where each of them may be, so that no two periods can be subtracted. A \
            suppressed cell has too few people, or none, or goes with one that has; regions and \
            currencies are listed where they are told of or asked for.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [spending.erased]
}

/// A COICOP division, or `none` for what has none.
public enum CategoryKey: Hashable, Sendable {
    /// A division.
    case division(Coicop)
    /// No division.
    case none
}

extension CategoryKey: TextValue, QueryValue {
    /// Two digits, or `none`.
    public static func parse(_ text: ArraySlice<UInt8>) -> CategoryKey? {
        text.elementsEqual("none".utf8)
            ? CategoryKey.none : Coicop.parse(text).map { .division($0) }
    }
    /// Two digits, or `none`.
    public func appendText(to writer: inout JSONWriter) {
        switch self {
        case .division(let division): division.appendText(to: &writer)
        case .none: writer.append(raw: "none".utf8)
        }
    }
    /// A division.
    public static var expectation: String { "a COICOP division, 01 to 15, or none" }
    /// `unknown-value`.
    public static var fault: FieldCode { .unknownValue }
    /// A string among these.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        let words = Coicop.allCases.map(\.rawValue) + ["none"]
        return ["type": "string", "enum": .array(words.map { .string($0) })]
    }
}
