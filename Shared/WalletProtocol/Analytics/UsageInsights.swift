/// What insights of usage tell.
public enum UsageMeasure: String, StringEnum {
    /// Who registered.
    case registrations
    /// Who was there: of the month, and as means of its days and weeks.
    case active
    /// Who of those that registered in a month was there in a later one.
    case retention
    /// How far those that registered in a month have come.
    case funnel
    /// Who took files in.
    case imports
    /// Who took files out.
    case exports
}

/// The forms of an answer.
public enum UsageFormat: String, StringEnum {
    /// `application/json`.
    case json
    /// `text/csv`.
    case csv
}

/// What insights of usage can be grouped by.
public enum UsageDimension: String, StringEnum {
    /// The person's region.
    case area
    /// The person's age.
    case ageBand = "age-band"
    /// The person's language.
    case language
    /// The kind of file.
    case kind
}

/// What people are first seen to do; each with all before it.
public enum UsageStep: String, StringEnum {
    /// They registered.
    case registered
    /// They booked income or an expense.
    case transaction
    /// They are in a group with others.
    case group
    /// They moved money to another account.
    case transfer
}

/// Which way a file went.
public enum UsedFileKind: String, StringEnum {
    /// Taken in.
    case `import`
    /// Taken out.
    case export
}

/// The kinds of files that come in and go out.
public enum UsedFileFormat: String, StringEnum {
    /// Comma-separated values.
    case csv
    /// Open Financial Exchange.
    case ofx
    /// ISO 20022.
    case camt053
    /// SWIFT.
    case mt940
    /// Quicken.
    case qif
    /// Expenses of Splitwise.
    case splitwise
    /// Expenses of Tricount.
    case tricount
    /// Expenses of Spliit.
    case spliit
    /// Expenses of Sesterce.
    case sesterce
    /// Expenses of Cospend.
    case cospend
    /// Expenses of SplitPro.
    case splitpro
    /// Expenses of a group here.
    case ezwallet
    /// A statement to read.
    case pdf
    /// Everything that is held on somebody.
    case data
    /// More than one of these, of a person in a month.
    case several
}

/// What insights of usage are asked of.
public struct UsageQuery: QueryObject, Hashable {
    public let measure: String
    public let from: Day?
    public let to: Day?
    public let groupBy: [UsageDimension]
    public let areas: [String]
    public let ageBands: [AgeBand]
    public let languages: [String]
    public let months: [Month]
    public let format: UsageFormat

    public init(
        measure: String,
        from: Day? = nil,
        to: Day? = nil,
        groupBy: [UsageDimension] = [],
        areas: [String] = [],
        ageBands: [AgeBand] = [],
        languages: [String] = [],
        months: [Month] = [],
        format: UsageFormat = .json
    ) {
        self.measure = measure
        self.from = from
        self.to = to
        self.groupBy = groupBy
        self.areas = areas
        self.ageBands = ageBands
        self.languages = languages
        self.months = months
        self.format = format
    }

    public static let query = QueryFields(
        UsageQuery.init,
        QueryField(
            "measure",
            \.measure,
            .line(1...40),
            about: "What is asked: "
                + UsageMeasure.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") + "."
        ),
        QueryField(
            "from",
            \.from,
            about: "A day of the first month; the last month where left out."
        ),
        QueryField("to", \.to, about: "A day of the last month; the last month where left out."),
        QueryField(
            "groupBy",
            \.groupBy,
            .count(0...4),
            about: "What cells there are beside the months; one of each where left out."
        ),
        QueryField(
            "area",
            \.areas,
            .count(0...50),
            .each(AreaKey.self),
            about: "This region, a country with its parts, or `unknown`; where grouped by it, any "
                + "of several."
        ),
        QueryField("ageBand", \.ageBands, about: "This age; where grouped by it, any of several."),
        QueryField(
            "language",
            \.languages,
            .count(0...50),
            .each(LanguageKey.self),
            about: "This language; where grouped by it, any of several."
        ),
        QueryField("month", \.months, about: "Any of these months."),
        QueryField("format", \.format, default: .json, about: "The form of the answer.")
    )
}

/// One cell of usage; a suppressed one has its keys and no figures.
public struct UsageCell: JSONObject, Hashable {
    public let month: Month
    public let later: Int?
    public let step: UsageStep?
    public let kind: UsedFileFormat?
    public let area: String?
    public let ageBand: AgeBand?
    public let language: String?
    public let isSuppressed: Bool
    public let users: Int?
    public let daily: ExactDecimal?
    public let weekly: ExactDecimal?
    public let count: Int?
    public let of: Int?
    public let percent: ExactDecimal?

    public init(
        month: Month,
        later: Int? = nil,
        step: UsageStep? = nil,
        kind: UsedFileFormat? = nil,
        area: String? = nil,
        ageBand: AgeBand? = nil,
        language: String? = nil,
        isSuppressed: Bool,
        users: Int? = nil,
        daily: ExactDecimal? = nil,
        weekly: ExactDecimal? = nil,
        count: Int? = nil,
        of: Int? = nil,
        percent: ExactDecimal? = nil
    ) {
        self.month = month
        self.later = later
        self.step = step
        self.kind = kind
        self.area = area
        self.ageBand = ageBand
        self.language = language
        self.isSuppressed = isSuppressed
        self.users = users
        self.daily = daily
        self.weekly = weekly
        self.count = count
        self.of = of
        self.percent = percent
    }

    public static let json = Object(
        UsageCell.init,
        Field(
            "month",
            \.month,
            about: "The month; of `retention` and `funnel` that of the registrations."
        ),
        Field("later", \.later, about: "Of `retention`: how many months after that one."),
        Field("step", \.step, about: "Of `funnel`: what they did, and all before it."),
        Field(
            "kind",
            \.kind,
            about: """
                The kind of file, where asked for: who took files of more than one is in `several` \
                and in no other.
                """
        ),
        Field("area", \.area, about: "The region, where asked for."),
        Field("ageBand", \.ageBand, about: "The ages, where asked for."),
        Field("language", \.language, about: "The language, where asked for."),
        Field("suppressed", \.isSuppressed, about: "Whether it would tell of too few people."),
        Field("users", \.users, about: "How many people."),
        Field(
            "daily",
            \.daily,
            about: "Of `active`: how many were there on a day, as the mean of the month's."
        ),
        Field(
            "weekly",
            \.weekly,
            about: """
                Of `active`: how many were there in a day's week, Monday to Sunday without what is \
                of another month, as the mean of the month's days.
                """
        ),
        Field(
            "count",
            \.count,
            about: "Of `imports` and `exports`: on how many days, each person's summed."
        ),
        Field(
            "of",
            \.of,
            about: "Of `retention` and `funnel`: how many registered, where that is told."
        ),
        Field("percent", \.percent, about: "How many of a hundred of those they are.")
    )
}

/// How the suite is used.
public struct UsageInsights: JSONObject, Hashable {
    public let measure: UsageMeasure
    public let from: Day
    public let to: Day
    public let asOf: Instant?
    public let months: [Month]
    public let usersMin: Int
    public private(set) var cells: [UsageCell]
    public let isUnlisted: Bool?

    public init(
        measure: UsageMeasure,
        from: Day,
        to: Day,
        asOf: Instant?,
        months: [Month],
        usersMin: Int,
        cells: [UsageCell],
        isUnlisted: Bool? = nil
    ) {
        self.measure = measure
        self.from = from
        self.to = to
        self.asOf = asOf
        self.months = months
        self.usersMin = usersMin
        self.cells = cells
        self.isUnlisted = isUnlisted
    }

    /// The same with other cells.
    public func showing(_ cells: [UsageCell]) -> UsageInsights {
        var other = self
        other.cells = cells
        return other
    }

    public static let json = Object(
        UsageInsights.init,
        Field("measure", \.measure, about: "What was asked."),
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("asOf", \.asOf, about: "When it was last released; none before the first."),
        Field("months", \.months, about: "The months that figures are of."),
        Field("usersMin", \.usersMin, about: "Cells of fewer people are suppressed."),
        Field("cells", \.cells, about: "The cells, by their keys: of each month that is released."),
        Field("unlisted", \.isUnlisted, about: UnlistedCells.about)
    )
}

extension Insights {
    /// How the suite is used.
    public static let usage = Endpoint<UsageQuery, NoBody, UsageInsights>(
        "getUsageInsights",
        .get,
        "/v1/insights/usage",
        of: .analytics,
        for: .role(.coo),
        response: .jsonOr([ReportFormat.csv.mediaType]),
        errors: [.unknownMeasure],
        summary: "Who registers, comes back and does what, by cell",
        description: """
            Figures are of whole calendar months, those that `from` and `to` are days of, each of \
            which is told once: with the first release from the third day after its end on. Nobody \
            sees a single log-in, then, nor does anything of a month change. Somebody is there on \
            a day, in UTC, with a log-in or the refresh of a session. A person's region, language \
            and age are those of their registration's month. Of `retention` there is a cell for \
            each month since that of the registrations. `funnel` is what those who registered in a \
            month had done by the end of the month after it: of each step those who took all \
            before it, too, in whatever order. Cells of fewer than ten people, and those that \
            differ from one that is told by fewer but not by none, are suppressed together with \
            what would reveal them; no call can return one person's data.
            """
    )
}
