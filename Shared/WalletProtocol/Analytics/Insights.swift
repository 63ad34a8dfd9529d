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

    /// A band; `65+` also as it comes out of an address in which nobody has escaped the plus.
    public static func parse(_ text: ArraySlice<UInt8>) -> AgeBand? {
        let word = String(decoding: text, as: UTF8.self)
        return AgeBand(rawValue: word == "65 " ? "65+" : word)
    }
}

/// What insights are asked of.
public struct SpendingQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let groupBy: [SpendingDimension]
    public let categories: [CategoryKey]
    public let areas: [String]
    public let ageBands: [AgeBand]
    public let months: [Month]
    public let accountKinds: [AccountKind]
    public let currencies: [Currency]
    public let direction: Direction
    public let convertedTo: Currency
    public let format: ReportFormat

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
        format: ReportFormat = .json
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

    public static let query = QueryFields(
        SpendingQuery.init,
        QueryField(
            "from",
            \.from,
            about: "A day of the first month; the last month where left out."
        ),
        QueryField("to", \.to, about: "A day of the last month; the last month where left out."),
        QueryField(
            "groupBy",
            \.groupBy,
            .count(0...6),
            about: "What cells there are; one for everything where left out."
        ),
        QueryField("category", \.categories, about: "Any of these divisions, or `none`."),
        QueryField(
            "area",
            \.areas,
            .count(0...50),
            .each(AreaKey.self),
            about: "Any of these regions, a country with its parts, or `unknown`."
        ),
        QueryField("ageBand", \.ageBands, about: "Any of these ages."),
        QueryField("month", \.months, about: "Any of these months."),
        QueryField("accountKind", \.accountKinds, about: "Any of these kinds."),
        QueryField("currency", \.currencies, about: "Any of these currencies."),
        QueryField("direction", \.direction, default: .outgoing, about: "Which way."),
        QueryField(
            "in",
            \.convertedTo,
            default: .eur,
            about: """
                The currency of the figures: one that is released in. Of a month that is kept in \
                another they are told at the mean of its rates.
                """
        ),
        QueryField("format", \.format, default: .json, about: "The form of the answer.")
    )
}

/// One cell; a suppressed one has its keys and no figures.
public struct SpendingCell: JSONObject, Hashable {
    public let category: CategoryKey?
    public let area: String?
    public let ageBand: AgeBand?
    public let ageBands: [AgeBand]?
    public let month: Month?
    public let accountKind: AccountKind?
    public let currency: Currency?
    public let isSuppressed: Bool
    public let total: Total?
    public let count: Int?
    public let users: Int?
    public let mean: Total?
    public let median: Total?
    public let p90: Total?

    public init(
        category: CategoryKey? = nil,
        area: String? = nil,
        ageBand: AgeBand? = nil,
        ageBands: [AgeBand]? = nil,
        month: Month? = nil,
        accountKind: AccountKind? = nil,
        currency: Currency? = nil,
        isSuppressed: Bool,
        total: Total? = nil,
        count: Int? = nil,
        users: Int? = nil,
        mean: Total? = nil,
        median: Total? = nil,
        p90: Total? = nil
    ) {
        self.category = category
        self.area = area
        self.ageBand = ageBand
        self.ageBands = ageBands
        self.month = month
        self.accountKind = accountKind
        self.currency = currency
        self.isSuppressed = isSuppressed
        self.total = total
        self.count = count
        self.users = users
        self.mean = mean
        self.median = median
        self.p90 = p90
    }

    public static let json = Object(
        SpendingCell.init,
        Field("category", \.category, about: "The division, where asked for."),
        Field("area", \.area, about: "The region, where asked for."),
        Field("ageBand", \.ageBand, about: "The ages, where asked for."),
        Field("ageBands", \.ageBands, about: "The ages, where several bands are told together."),
        Field("month", \.month, about: "The month, where asked for."),
        Field("accountKind", \.accountKind, about: "The kind of account, where asked for."),
        Field("currency", \.currency, about: "The currency, where asked for."),
        Field("suppressed", \.isSuppressed, about: "Whether it would tell of too few people."),
        Field("total", \.total, about: "The sum, zero or more."),
        Field("count", \.count, about: "How many transactions."),
        Field(
            "users",
            \.users,
            about: "How many people; of a sum over months or values of a filter it is not told."
        ),
        Field("mean", \.mean, about: "The mean per transaction."),
        Field("median", \.median, about: "The median per transaction, as `users`."),
        Field("p90", \.p90, about: "What nine in ten are at most, as `users`.")
    )
}

/// A month of which figures are told.
public struct ReleasedMonth: JSONObject, Hashable {
    public let month: Month
    public let asOf: Instant

    public init(month: Month, asOf: Instant) {
        self.month = month
        self.asOf = asOf
    }

    public static let json = Object(
        ReleasedMonth.init,
        Field("month", \.month, about: "The month."),
        Field("asOf", \.asOf, about: "Its figures are the ledger's of then.")
    )
}

/// What all users spend or earn.
public struct SpendingInsights: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let direction: Direction
    public let currency: Currency
    public let asOf: Instant?
    public let months: [ReleasedMonth]
    public let merged: [SpendingDimension]
    public let usersMin: Int
    public private(set) var cells: [SpendingCell]
    public let unconverted: [Total]
    public let unconvertedMonths: [ReleasedMonth]
    public let isUnlisted: Bool?

    public init(
        from: Day,
        to: Day,
        direction: Direction,
        currency: Currency,
        asOf: Instant?,
        months: [ReleasedMonth],
        merged: [SpendingDimension] = [],
        usersMin: Int,
        cells: [SpendingCell],
        unconverted: [Total],
        unconvertedMonths: [ReleasedMonth] = [],
        isUnlisted: Bool? = nil
    ) {
        self.from = from
        self.to = to
        self.direction = direction
        self.currency = currency
        self.asOf = asOf
        self.months = months
        self.merged = merged
        self.usersMin = usersMin
        self.cells = cells
        self.unconverted = unconverted
        self.unconvertedMonths = unconvertedMonths
        self.isUnlisted = isUnlisted
    }

    /// The same with other cells.
    public func showing(_ cells: [SpendingCell]) -> SpendingInsights {
        var other = self
        other.cells = cells
        return other
    }

    public static let json = Object(
        SpendingInsights.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("direction", \.direction, about: "Which way."),
        Field("currency", \.currency, about: "The currency of the figures."),
        Field(
            "asOf",
            \.asOf,
            about: """
                When the newest release was begun of those that are done; `months` says of when \
                each month is. None before the first.
                """
        ),
        Field(
            "months",
            \.months,
            about: """
                The months that figures are of, each as it was when it was last released; what few \
                people have booked since waits, as do months of few.
                """
        ),
        Field(
            "merged",
            \.merged,
            about: """
                What is told coarser than asked for, as else too little could be: regions as their \
                countries, ages as bands together. A filter of it has it told as it is, or not.
                """
        ),
        Field("usersMin", \.usersMin, about: "Cells of fewer people are suppressed."),
        Field("cells", \.cells, about: "The cells, by their keys."),
        Field(
            "unconverted",
            \.unconverted,
            about: """
                What has no rate and is in no figure, one a currency, where it may be told; \
                released by itself.
                """
        ),
        Field(
            "unconvertedMonths",
            \.unconvertedMonths,
            about: "The months that `unconverted` is of, as `months`, which are the figures'."
        ),
        Field("unlisted", \.isUnlisted, about: UnlistedCells.about)
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
        response: .jsonOr(ReportFormat.others),
        summary: "What all users spend, by cell",
        description: """
            Cells of fewer than `usersMin` people are suppressed together with what would reveal \
            them; no call can return one person's data. Figures are of whole calendar months, \
            those that `from` and `to` are days of: each month is suppressed by itself, and a \
            figure of several months, or of several values of a filter, is told where each of \
            them is told by itself, so that no two can be subtracted. Months of too few people \
            are in no figure: `months` has the others. A suppressed cell has too few people, or \
            none, or goes with one that has; regions and currencies are listed where they are \
            told of or asked for. Figures are those of releases: of a month from the third day \
            after its end on. A month is released anew once people enough differ, and what that \
            hides is worth it: else it stays as it was, `months` says when. What then differs \
            from an earlier release by fewer than `usersMin` people, or was not told by it, is \
            suppressed.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        spending.erased, usage.erased, query.erased,
    ]
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
