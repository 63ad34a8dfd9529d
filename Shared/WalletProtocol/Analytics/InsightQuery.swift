/// The figures of what all users spend or earn.
public enum SpendingMeasure: String, StringEnum {
    /// How many transactions.
    case count
    /// How many people.
    case users
    /// The sum.
    case total
    /// The mean per transaction.
    case mean
    /// The median per transaction.
    case median
    /// What nine in ten transactions are at most.
    case p90
}

/// What figures of everybody can be grouped and ordered by, of spending or of usage.
public enum InsightDimension: String, StringEnum {
    /// The COICOP division.
    case category
    /// The user's region.
    case area
    /// The user's age.
    case ageBand = "age-band"
    /// The month; of usage there is always one.
    case month
    /// The kind of account.
    case accountKind = "account-kind"
    /// The currency.
    case currency
    /// The user's language.
    case language
    /// The kind of file.
    case kind
}

/// A region of ISO 3166-1 or 3166-2, or `unknown`.
public struct AreaKey: Hashable, Sendable {
    /// `IT`, `IT-25` or `unknown`.
    public let text: String
}

extension Rule where Value.Content == [String] {
    /// Each of them reads as one of these, as it does in a body.
    static func each<Key: TextValue>(_ type: Key.Type) -> Rule {
        Rule { texts, reading in
            guard texts.contains(where: { Key.parse(Array($0.utf8)[...]) == nil }) else { return }
            reading.fail(Key.fault, "must be \(Key.expectation)")
        }
    }
}

extension AreaKey: TextValue {
    /// The region of these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> AreaKey? {
        let key = AreaKey(text: String(decoding: text, as: UTF8.self))
        if text.elementsEqual("unknown".utf8) { return key }
        let (country, part) = (text.prefix(2), text.dropFirst(2))
        guard country.count == 2, country.allSatisfy(\.isCapital) else { return nil }
        guard let dash = part.first else { return key }
        let name = part.dropFirst()
        guard dash == UInt8(ascii: "-"), (1...3).contains(name.count),
            name.allSatisfy({ $0.isCapital || $0.isDigit })
        else { return nil }
        return key
    }
    /// The region.
    public func appendText(to writer: inout JSONWriter) { writer.append(raw: text.utf8) }
    /// A region.
    public static var expectation: String { "a region of ISO 3166 (IT, IT-25), or unknown" }
    /// `invalid-value`.
    public static var fault: FieldCode { .invalidValue }
    /// A string.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "pattern": "^(unknown|[A-Z]{2}(-[A-Z0-9]{1,3})?)$"]
    }
}

/// A language as profiles have it, BCP 47.
public struct LanguageKey: Hashable, Sendable {
    /// `it`, `it-CH`.
    public let text: String
}

extension LanguageKey: TextValue {
    /// The language of these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> LanguageKey? {
        let words = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard text.count <= 35, words.first.map({ $0.count >= 2 }) == true,
            words.allSatisfy({ word in
                (1...8).contains(word.count)
                    && word.allSatisfy { ($0 & 0xDF).isCapital || $0.isDigit }
            })
        else { return nil }
        return LanguageKey(text: String(decoding: text, as: UTF8.self))
    }
    /// The language.
    public func appendText(to writer: inout JSONWriter) { writer.append(raw: text.utf8) }
    /// A language.
    public static var expectation: String { "a language of BCP 47" }
    /// `invalid-value`.
    public static var fault: FieldCode { .invalidValue }
    /// A string.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        [
            "type": "string", "maxLength": 35,
            "pattern": "^[A-Za-z0-9]{2,8}(-[A-Za-z0-9]{1,8})*$",
        ]
    }
}

extension UInt8 {
    fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

/// Of whom and what figures are asked: any of what is named; what is not named, all of it.
public struct InsightFilters: JSONObject, Hashable {
    public let categories: [CategoryKey]?
    public let areas: [AreaKey]?
    public let ageBands: [AgeBand]?
    public let months: [Month]?
    public let accountKinds: [AccountKind]?
    public let currencies: [Currency]?
    public let languages: [LanguageKey]?

    public init(
        categories: [CategoryKey]? = nil,
        areas: [AreaKey]? = nil,
        ageBands: [AgeBand]? = nil,
        months: [Month]? = nil,
        accountKinds: [AccountKind]? = nil,
        currencies: [Currency]? = nil,
        languages: [LanguageKey]? = nil
    ) {
        self.categories = categories
        self.areas = areas
        self.ageBands = ageBands
        self.months = months
        self.accountKinds = accountKinds
        self.currencies = currencies
        self.languages = languages
    }

    public static let json = Object(
        InsightFilters.init,
        Field("category", \.categories, .count(1...16), about: "Divisions, or `none`; spending's."),
        Field(
            "area",
            \.areas,
            .count(1...50),
            about: "Regions, a country with its parts, or `unknown`."
        ),
        Field("ageBand", \.ageBands, .count(1...8), about: "Ages."),
        Field("month", \.months, .count(1...120), about: "Months."),
        Field("accountKind", \.accountKinds, .count(1...4), about: "Kinds of account; spending's."),
        Field("currency", \.currencies, .count(1...50), about: "Currencies; spending's."),
        Field("language", \.languages, .count(1...50), about: "Languages; usage's.")
    )
}

/// By what the cells of an answer are ordered.
public struct InsightOrder: JSONObject, Hashable {
    public let by: String
    public let isDescending: Bool?

    public init(by: String, isDescending: Bool? = nil) {
        self.by = by
        self.isDescending = isDescending
    }

    public static let json = Object(
        InsightOrder.init,
        Field(
            "by",
            \.by,
            about: """
                One of the query's measures or dimensions. By a measure, what is suppressed comes \
                last either way; a measure of usage orders by its `users`.
                """
        ),
        Field("descending", \.isDescending, about: "Whether the largest is first.")
    )
}

/// A query for figures of everybody: which, by what, of whom, in what order and how many.
public struct InsightQuery: JSONObject, Hashable {
    public let measures: [String]
    public let dimensions: [InsightDimension]?
    public let filters: InsightFilters?
    public let from: Day?
    public let to: Day?
    public let direction: Direction?
    public let convertedTo: Currency?
    public let order: [InsightOrder]?
    public let limit: Int?

    /// More cells than this are in no answer.
    public static let limitMax = 50_000

    public init(
        measures: [String],
        dimensions: [InsightDimension]? = nil,
        filters: InsightFilters? = nil,
        from: Day? = nil,
        to: Day? = nil,
        direction: Direction? = nil,
        convertedTo: Currency? = nil,
        order: [InsightOrder]? = nil,
        limit: Int? = nil
    ) {
        self.measures = measures
        self.dimensions = dimensions
        self.filters = filters
        self.from = from
        self.to = to
        self.direction = direction
        self.convertedTo = convertedTo
        self.order = order
        self.limit = limit
    }

    public static let json = Object(
        InsightQuery.init,
        Field(
            "measures",
            \.measures,
            .count(1...6),
            about: "Any of "
                + SpendingMeasure.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
                + " of spending, or one of usage: "
                + UsageMeasure.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") + "."
        ),
        Field(
            "dimensions",
            \.dimensions,
            .count(0...6),
            about: """
                What cells there are; one for everything where left out. `language` and `kind` are \
                usage's, `category`, `account-kind` and `currency` spending's.
                """
        ),
        Field("filters", \.filters, about: "Of whom and what; of all where left out."),
        Field("from", \.from, about: "A day of the first month; the last month where left out."),
        Field("to", \.to, about: "A day of the last month; the last month where left out."),
        Field("direction", \.direction, about: "Which way; `out` where left out. Spending's."),
        Field(
            "in",
            \.convertedTo,
            about: """
                The currency of the figures: one that is released in, EUR where left out. Of a \
                month that is kept in another they are told at the mean of its rates. Spending's.
                """
        ),
        Field(
            "order",
            \.order,
            .count(0...6),
            about: "By what the cells are ordered; by their keys where left out."
        ),
        Field(
            "limit",
            \.limit,
            .range(1...limitMax),
            about: "How many cells, told or suppressed; all where left out."
        )
    )
}
