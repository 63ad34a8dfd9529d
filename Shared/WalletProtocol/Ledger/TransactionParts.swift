/// A part of a payment over several categories.
public struct TransactionLine: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let amount: Money

    public init(categoryID: CategoryID, amount: Money) {
        self.categoryID = categoryID
        self.amount = amount
    }

    public static let json = Object(
        TransactionLine.init,
        Field("categoryId", \.categoryID, about: "The category; each has one line at most."),
        Field(
            "amount",
            \.amount,
            .sent,
            about: "In the transaction's currency; the lines sum to its amount."
        )
    )

    /// The most lines of one transaction.
    public static let countMax = 50
}

/// Where something was.
public struct TransactionLocation: JSONObject, Hashable {
    public let latitude: Double
    public let longitude: Double
    public let label: String?

    public init(latitude: Double, longitude: Double, label: String? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.label = label
    }

    public static let json = Object(
        TransactionLocation.init,
        Field(
            "lat",
            \.latitude,
            .range(-90...90),
            about: "Degrees north, kept to the sixth digit after the point."
        ),
        Field(
            "lon",
            \.longitude,
            .range(-180...180),
            about: "Degrees east, kept to the sixth digit after the point."
        ),
        Field("label", \.label, .line(1...140), about: "The place in words.")
    )
}

extension TransactionLocation {
    private static let scale = 1_000_000.0

    /// Degrees from millionths of them, as databases keep them.
    public init(latitude: Int32, longitude: Int32, label: String?) {
        self.init(
            latitude: Double(latitude) / Self.scale,
            longitude: Double(longitude) / Self.scale,
            label: label
        )
    }

    /// Millionths of a degree; both fit where the bounds of `json` were seen to.
    public var millionths: (latitude: Int32, longitude: Int32) {
        (
            latitude: Int32((latitude * Self.scale).rounded()),
            longitude: Int32((longitude * Self.scale).rounded())
        )
    }
}

/// A word that a user has put on a transaction.
public enum TransactionTags {
    /// The most tags of one transaction.
    public static let countMax = 20
    /// The most characters of a tag.
    public static let lengthMax = 40

    /// Without the spaces around it.
    public static func trimmed(_ text: String) -> String {
        LineText.normalized(text, 0...lengthMax)
    }
}

extension Rule where Value.Content == [String] {
    /// Tags: each one line of 1 to 40 characters without the spaces around them, 20 at most.
    public static var tags: Rule {
        let (most, length) = (TransactionTags.countMax, TransactionTags.lengthMax)
        return Rule(schema: [JSONMember("maxItems", .integer(Int64(most)))]) { tags, reading in
            if tags.count > most {
                return reading.fail(.tooMany, "must have at most \(most) elements")
            }
            for (index, tag) in tags.enumerated() {
                let text = TransactionTags.trimmed(tag)
                let scalars = text.unicodeScalars
                let at = "/\(index)"
                if LineText.isInvisible(text) {
                    reading.fail(.blank, "must not be blank", at: at)
                } else if scalars.count > length {
                    reading.fail(.tooLong, "must have at most \(length) characters", at: at)
                } else if scalars.contains(where: { $0.properties.generalCategory == .control }) {
                    reading.fail(
                        .invalidCharacter,
                        "must not contain control characters",
                        at: at
                    )
                }
            }
        }
    }
}

/// An amount as it is in the user's currency, at its day's rate.
public struct ConvertedAmount: JSONObject, Hashable {
    public let amount: Total
    public let rate: RateView?

    public init(amount: Total, rate: RateView?) {
        self.amount = amount
        self.rate = rate
    }

    public static let json = Object(
        ConvertedAmount.init,
        Field("amount", \.amount, about: "Rounded half to even."),
        Field("rate", \.rate, about: "The rate; absent within one currency.")
    )
}
