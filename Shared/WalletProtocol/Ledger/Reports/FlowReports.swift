// What came in or went out, by whom it went to and by where that was.

/// What a report by payee or by place is of.
public struct FlowReportQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let direction: Direction
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let currency: Currency?
    public let accountIDs: [ID<Account>]
    public let categoryIDs: [CategoryID]
    public let limit: Int
    public let format: ReportFormat

    public init(
        from: Day? = nil,
        to: Day? = nil,
        direction: Direction = .outgoing,
        minAmount: ExactDecimal? = nil,
        maxAmount: ExactDecimal? = nil,
        currency: Currency? = nil,
        accountIDs: [ID<Account>] = [],
        categoryIDs: [CategoryID] = [],
        limit: Int = 50,
        format: ReportFormat = .json
    ) {
        self.from = from
        self.to = to
        self.direction = direction
        self.minAmount = minAmount
        self.maxAmount = maxAmount
        self.currency = currency
        self.accountIDs = accountIDs
        self.categoryIDs = categoryIDs
        self.limit = limit
        self.format = format
    }

    public static let query = QueryFields(
        FlowReportQuery.init,
        QueryField("from", \.from, about: ReportTexts.from),
        QueryField("to", \.to, about: ReportTexts.to),
        QueryField("direction", \.direction, default: .outgoing, about: "Which way."),
        QueryField(
            "minAmount",
            \.minAmount,
            about: "The smallest magnitude, as it is shown in `currency`."
        ),
        QueryField(
            "maxAmount",
            \.maxAmount,
            about: "The largest magnitude, as it is shown in `currency`."
        ),
        QueryField("currency", \.currency, about: ReportTexts.currency),
        QueryField(
            "accountId",
            \.accountIDs,
            .count(0...TransactionQuery.anyOfMax),
            about: ReportTexts.accounts
        ),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...TransactionQuery.anyOfMax),
            about: ReportTexts.categories
        ),
        QueryField(
            "limit",
            \.limit,
            .range(1...1_000),
            default: 50,
            about: "How many, the largest first; what is beyond is summed in `rest`."
        ),
        QueryField("format", \.format, default: .json, about: ReportTexts.format)
    )
}

/// What went to one payee, or came from them.
public struct PayeeShare: JSONObject, Hashable {
    public let name: String?
    public let amount: Total
    public let count: Int
    public let percent: ExactDecimal
    public let previous: Total

    public init(
        name: String?,
        amount: Total,
        count: Int,
        percent: ExactDecimal,
        previous: Total
    ) {
        self.name = name
        self.amount = amount
        self.count = count
        self.percent = percent
        self.previous = previous
    }

    public static let json = Object(
        PayeeShare.init,
        Field(
            "name",
            \.name,
            about: """
                As its transactions are called: the commonest of the spellings that differ in case \
                alone. Absent for those without a name.
                """
        ),
        Field("amount", \.amount, about: "Their total, zero or more."),
        Field("count", \.count, about: "How many transactions."),
        Field("percent", \.percent, about: ReportTexts.percent),
        Field("previous", \.previous, about: "What it was in the period before.")
    )
}

/// What went to whom, or came from whom.
public struct PayeeReport: JSONObject, Hashable {
    public let from: Day
    public let to: Day
    public let currency: Currency
    public let total: Total
    public let count: Int
    public let items: [PayeeShare]
    public let rest: ReportRest
    public let previous: PeriodBefore
    public let unconverted: [Total]

    public init(
        from: Day,
        to: Day,
        currency: Currency,
        total: Total,
        count: Int,
        items: [PayeeShare],
        rest: ReportRest,
        previous: PeriodBefore,
        unconverted: [Total]
    ) {
        self.from = from
        self.to = to
        self.currency = currency
        self.total = total
        self.count = count
        self.items = items
        self.rest = rest
        self.previous = previous
        self.unconverted = unconverted
    }

    public static let json = Object(
        PayeeReport.init,
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("currency", \.currency, about: "The currency of the totals."),
        Field("total", \.total, about: "All of it, zero or more."),
        Field("count", \.count, about: "How many transactions."),
        Field("items", \.items, about: "The payees, the largest first."),
        Field("rest", \.rest, about: "The payees that are not in `items`."),
        Field("previous", \.previous, about: "The period before."),
        Field("unconverted", \.unconverted, about: ReportTexts.unconverted)
    )
}

/// What is told of a place.
public struct PlaceProperties: JSONObject, Hashable {
    public let label: String?
    public let amount: Total
    public let count: Int
    public let percent: ExactDecimal
    public let previous: Total

    public init(
        label: String?,
        amount: Total,
        count: Int,
        percent: ExactDecimal,
        previous: Total
    ) {
        self.label = label
        self.amount = amount
        self.count = count
        self.percent = percent
        self.previous = previous
    }

    public static let json = Object(
        PlaceProperties.init,
        Field("label", \.label, about: "The place in words, as one of its transactions has it."),
        Field("amount", \.amount, about: "What was there in all, zero or more."),
        Field("count", \.count, about: "How many transactions."),
        Field("percent", \.percent, about: ReportTexts.percent),
        Field("previous", \.previous, about: "What it was in the period before.")
    )
}

/// A place, and what was spent or earned there.
public struct PlaceFeature: JSONObject, Hashable {
    public let type: PositionFeature.Kind
    public let geometry: GeoPoint
    public let properties: PlaceProperties

    public init(geometry: GeoPoint, properties: PlaceProperties) {
        self.init(type: .feature, geometry: geometry, properties: properties)
    }

    private init(type: PositionFeature.Kind, geometry: GeoPoint, properties: PlaceProperties) {
        self.type = type
        self.geometry = geometry
        self.properties = properties
    }

    public static let json = Object(
        PlaceFeature.init(type:geometry:properties:),
        Field("type", \.type, about: "`Feature`."),
        Field(
            "geometry",
            \.geometry,
            about: "Where it is, to a thousandth of a degree: about a hundred metres."
        ),
        Field("properties", \.properties, about: "What was spent or earned there.")
    )
}

/// What went where: a GeoJSON object with members of our own (RFC 7946, 6.1).
public struct PlaceReport: JSONObject, Hashable {
    public let type: PositionPage.Kind
    public let features: [PlaceFeature]
    public let from: Day
    public let to: Day
    public let currency: Currency
    public let total: Total
    public let count: Int
    public let rest: ReportRest
    public let previous: PeriodBefore
    public let unconverted: [Total]

    public init(
        features: [PlaceFeature],
        from: Day,
        to: Day,
        currency: Currency,
        total: Total,
        count: Int,
        rest: ReportRest,
        previous: PeriodBefore,
        unconverted: [Total]
    ) {
        self.init(
            type: .collection,
            features: features,
            from: from,
            to: to,
            currency: currency,
            total: total,
            count: count,
            rest: rest,
            previous: previous,
            unconverted: unconverted
        )
    }

    private init(
        type: PositionPage.Kind,
        features: [PlaceFeature],
        from: Day,
        to: Day,
        currency: Currency,
        total: Total,
        count: Int,
        rest: ReportRest,
        previous: PeriodBefore,
        unconverted: [Total]
    ) {
        self.type = type
        self.features = features
        self.from = from
        self.to = to
        self.currency = currency
        self.total = total
        self.count = count
        self.rest = rest
        self.previous = previous
        self.unconverted = unconverted
    }

    public static let json = Object(
        PlaceReport.init(
            type:
            features:
            from:
            to:
            currency:
            total:
            count:
            rest:
            previous:
            unconverted:
        ),
        Field("type", \.type, about: "`FeatureCollection`."),
        Field("features", \.features, about: "The places, the largest amounts first."),
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("currency", \.currency, about: "The currency of the totals."),
        Field("total", \.total, about: "All that has a location, zero or more."),
        Field("count", \.count, about: "How many transactions have a location."),
        Field("rest", \.rest, about: "The places that are not in `features`."),
        Field("previous", \.previous, about: "The period before."),
        Field("unconverted", \.unconverted, about: ReportTexts.unconverted)
    )
}
