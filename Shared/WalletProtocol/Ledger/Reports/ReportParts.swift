/// What a report over time is told apart by.
public enum ReportInterval: String, StringEnum {
    /// Calendar days.
    case day
    /// From Monday to Sunday (ISO 8601).
    case week
    /// Calendar months.
    case month
    /// Three of them, from January on.
    case quarter
    /// Calendar years.
    case year
}

/// The forms of a report.
public enum ReportFormat: String, StringEnum {
    /// `application/json`.
    case json
    /// `text/csv`: comma-separated values (RFC 4180).
    case csv
    /// `application/pdf`: charts and tables, in the reader's language.
    case pdf
    /// `image/svg+xml`: the chart alone.
    case svg
    /// `image/png`: the chart alone.
    case png

    /// As what it is sent.
    public var mediaType: String {
        switch self {
        case .json: "application/json"
        case .csv: "text/csv"
        case .pdf: "application/pdf"
        case .svg: "image/svg+xml"
        case .png: "image/png"
        }
    }

    /// The Content-Type of CSV, with its charset (RFC 4180, section 3).
    public static let csvType = "\(ReportFormat.csv.mediaType); charset=utf-8"

    /// Those that are not JSON.
    static let others = allCases.filter { $0 != .json }.map(\.mediaType)
}

/// What of a report by payee or place is beyond its `limit`.
public struct ReportRest: JSONObject, Hashable {
    public let items: Int
    public let amount: Total
    public let count: Int
    public let percent: ExactDecimal

    public init(items: Int, amount: Total, count: Int, percent: ExactDecimal) {
        self.items = items
        self.amount = amount
        self.count = count
        self.percent = percent
    }

    public static let json = Object(
        ReportRest.init,
        Field("items", \.items, about: "How many more there are."),
        Field("amount", \.amount, about: "Their total, zero or more."),
        Field("count", \.count, about: "How many transactions."),
        Field("percent", \.percent, about: "Their part of the whole.")
    )
}

/// The period before, of which a report tells beside its own.
///
/// Whole months before where it begins on the first of a month, so that 1 to 26 March stands beside
/// 1 to 26 February; else as many days right before.
public struct PeriodBefore: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let total: Total
    public let count: Int
    public let unconverted: [Total]

    public init(from: Day, to: Day, total: Total, count: Int, unconverted: [Total]) {
        self.from = from
        self.to = to
        self.total = total
        self.count = count
        self.unconverted = unconverted
    }

    public static let json = Object(
        PeriodBefore.init,
        Field(
            "from",
            \.from,
            about: """
                The first day: as many months earlier as the period has days of, where that begins \
                on the first of one; else as many days right before.
                """
        ),
        Field("to", \.to, about: "The last day."),
        Field("total", \.total, about: "What it was then, zero or more."),
        Field("count", \.count, about: "How many transactions."),
        Field("unconverted", \.unconverted, about: ReportTexts.unconverted)
    )
}

/// Sentences that more than one report has.
enum ReportTexts {
    static let from = "The first day; the month's of the last one where left out."
    static let to = "The last day; today where left out."
    static let currency = "The currency of the totals; the user's where left out."
    static let unconverted = "What has no rate and is in no total, one a currency."
    static let accounts = "Any of these accounts."
    static let categories = "Any of these categories; of what is split, those parts."
    static let format = "The form of the answer; pictures are of the first chart alone."
    static let percent = "Its part of the whole, one digit after the point; all add to 100."
    /// What counts, of all that is spent and earned.
    static let counted = """
        Transactions, or parts of those that are split, of the caller's own books: transfers \
        between own accounts are neither in nor out, nor is what others owe for shared expenses or \
        pay back; of a shared expense the caller's share counts. Amounts of other currencies count \
        at their day's rate, each rounded by itself, half to even.
        """
}
