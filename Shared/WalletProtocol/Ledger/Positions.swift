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
    /// `Point`.
    public let type: Kind
    /// Degrees east, then degrees north.
    public let coordinates: [Double]

    /// The place at these degrees.
    public init(longitude: Double, latitude: Double) {
        self.init(type: .point, coordinates: [longitude, latitude])
    }

    private init(type: Kind, coordinates: [Double]) {
        self.type = type
        self.coordinates = coordinates
    }

    /// The description.
    public static let json = Object(
        GeoPoint.init(type:coordinates:),
        Field("type", \.type),
        Field("coordinates", \.coordinates, .count(2...2), about: "Longitude, then latitude.")
    )
}

/// What is told of a transaction beside where it was.
public struct PositionProperties: JSONObject, Hashable {
    /// What it was.
    public let name: String
    /// The day.
    public let date: Day
    /// Signed; minus is money out.
    public let amount: Money
    /// The account.
    public let accountID: ID<Account>
    /// The category; of one that is split, its first line's.
    public let categoryID: CategoryID
    /// The place in words.
    public let label: String?

    /// All of it.
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

    /// The description.
    public static let json = Object(
        PositionProperties.init,
        Field("name", \.name),
        Field("date", \.date),
        Field("amount", \.amount),
        Field("accountId", \.accountID),
        Field("categoryId", \.categoryID),
        Field("label", \.label)
    )
}

/// A transaction and where it was.
public struct PositionFeature: JSONObject, Hashable {
    /// What the object is.
    public enum Kind: String, StringEnum {
        /// Something at a place.
        case feature = "Feature"
    }
    /// `Feature`.
    public let type: Kind
    /// The transaction.
    public let id: ID<MoneyTransaction>
    /// Where it was.
    public let geometry: GeoPoint
    /// What it was.
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

    /// The description.
    public static let json = Object(
        PositionFeature.init(type:id:geometry:properties:),
        Field("type", \.type),
        Field("id", \.id),
        Field("geometry", \.geometry),
        Field("properties", \.properties)
    )
}

/// A page of positions: a GeoJSON object with a member of our own (RFC 7946, 6.1).
public struct PositionPage: JSONObject, Hashable {
    /// What the object is.
    public enum Kind: String, StringEnum {
        /// Several things, each at its place.
        case collection = "FeatureCollection"
    }
    /// `FeatureCollection`.
    public let type: Kind
    /// The rows, newest first.
    public let features: [PositionFeature]
    /// What to ask for the next page with.
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

    /// The description.
    public static let json = Object(
        PositionPage.init(type:features:nextCursor:),
        Field("type", \.type),
        Field("features", \.features),
        Field("nextCursor", \.nextCursor, about: "Absent on the last page.")
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
