// GeoJSON (RFC 7946): where transactions were.

/// A place on the Earth, as GeoJSON has it.
///
/// Source: RFC 7946, 3.1.1 and 3.1.2: longitude before latitude, in degrees of WGS 84.
public struct GeoPoint: JSONObject, Hashable {
    /// What the object is.
    public enum Kind: String, StringEnum {
        /// One place.
        case point = "Point"
    }
    public let type: Kind
    public let coordinates: [Double]

    /// The place at these degrees.
    public init(longitude: Double, latitude: Double) {
        self.init(type: .point, coordinates: [longitude, latitude])
    }

    private init(type: Kind, coordinates: [Double]) {
        self.type = type
        self.coordinates = coordinates
    }

    public static let json = Object(
        GeoPoint.init(type:coordinates:),
        Field("type", \.type, about: "`Point`."),
        Field("coordinates", \.coordinates, .count(2...2), about: "Longitude, then latitude.")
    )
}

/// What is told of a transaction beside where it was.
public struct PositionProperties: JSONObject, Hashable {
    public let name: String
    public let date: Day
    public let amount: Money
    public let accountID: ID<Account>
    public let categoryID: CategoryID
    public let label: String?

    public init(
        name: String,
        date: Day,
        amount: Money,
        accountID: ID<Account>,
        categoryID: CategoryID,
        label: String?
    ) {
        self.name = name
        self.date = date
        self.amount = amount
        self.accountID = accountID
        self.categoryID = categoryID
        self.label = label
    }

    public static let json = Object(
        PositionProperties.init,
        Field("name", \.name, about: "What it was."),
        Field("date", \.date, about: "The day."),
        Field("amount", \.amount, about: "Signed; minus is money out."),
        Field("accountId", \.accountID, about: "The account."),
        Field(
            "categoryId",
            \.categoryID,
            about: "The category; of one that is split, its first line's."
        ),
        Field("label", \.label, about: "The place in words.")
    )
}

/// A transaction and where it was.
public struct PositionFeature: JSONObject, Hashable {
    /// What the object is.
    public enum Kind: String, StringEnum {
        /// Something at a place.
        case feature = "Feature"
    }
    public let type: Kind
    public let id: ID<MoneyTransaction>
    public let geometry: GeoPoint
    public let properties: PositionProperties

    /// Of a transaction; nil where it has no location.
    public init?(_ view: TransactionView) {
        guard let location = view.location else { return nil }
        self.init(
            type: .feature,
            id: view.id,
            geometry: GeoPoint(longitude: location.longitude, latitude: location.latitude),
            properties: PositionProperties(
                name: view.name,
                date: view.date,
                amount: view.amount,
                accountID: view.accountID,
                categoryID: view.categoryID,
                label: location.label
            )
        )
    }

    private init(
        type: Kind,
        id: ID<MoneyTransaction>,
        geometry: GeoPoint,
        properties: PositionProperties
    ) {
        self.type = type
        self.id = id
        self.geometry = geometry
        self.properties = properties
    }

    public static let json = Object(
        PositionFeature.init(type:id:geometry:properties:),
        Field("type", \.type, about: "`Feature`."),
        Field("id", \.id, about: "The transaction."),
        Field("geometry", \.geometry, about: "Where it was."),
        Field("properties", \.properties, about: "What it was.")
    )
}

/// A page of positions: a GeoJSON object with a member of our own (RFC 7946, 6.1).
public struct PositionPage: JSONObject, Hashable {
    /// What the object is.
    public enum Kind: String, StringEnum {
        /// Several things, each at its place.
        case collection = "FeatureCollection"
    }
    public let type: Kind
    public let features: [PositionFeature]
    public let nextCursor: Cursor?

    /// A page.
    public init(features: [PositionFeature], nextCursor: Cursor?) {
        self.init(type: .collection, features: features, nextCursor: nextCursor)
    }

    private init(type: Kind, features: [PositionFeature], nextCursor: Cursor?) {
        self.type = type
        self.features = features
        self.nextCursor = nextCursor
    }

    public static let json = Object(
        PositionPage.init(type:features:nextCursor:),
        Field("type", \.type, about: "`FeatureCollection`."),
        Field("features", \.features, about: "The rows, newest first."),
        Field(
            "nextCursor",
            \.nextCursor,
            about: "What to ask for the next page with. Absent on the last page."
        )
    )
}

extension Transactions {
    /// Where those that a filter leaves were.
    public static let positions = Endpoint<PositionQuery, NoBody, PositionPage>(
        "listTransactionPositions",
        .get,
        "/v1/transactions/positions",
        of: .ledger,
        for: .user,
        response: .jsonAs("application/geo+json"),
        errors: [.currencyMismatch],
        summary: "Where transactions were, as GeoJSON, newest first",
        description: "Those of the list that have a location; its filters, and its pages."
    )
}
