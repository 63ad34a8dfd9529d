/// A part of a payment over several categories.
public struct TransactionLine: JSONObject, Hashable {
    /// The category; each has one line at most.
    public let categoryID: CategoryID
    /// In the transaction's currency; the lines sum to its amount.
    public let amount: Money

    /// All of it.
    public init(categoryID: CategoryID, amount: Money) {
        self.categoryID = categoryID
        self.amount = amount
    }

    /// The description.
    public static let json = Object(
        TransactionLine.init,
        Field("categoryId", \.categoryID),
        Field("amount", \.amount, .sent)
    )

    /// The most lines of one transaction.
    public static let countMax = 50
}

/// Where something was.
public struct TransactionLocation: JSONObject, Hashable {
    /// Degrees north, kept to the sixth digit after the point.
    public let latitude: Double
    /// Degrees east, kept to the sixth digit after the point.
    public let longitude: Double
    /// The place in words.
    public let label: String?

    /// All of it.
    public init(latitude: Double, longitude: Double, label: String? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.label = label
    }

    /// The description.
    public static let json = Object(
        TransactionLocation.init,
        Field("lat", \.latitude, .range(-90...90)),
        Field("lon", \.longitude, .range(-180...180)),
        Field("label", \.label, .line(1...140))
    )
}

/// A word that a user has put on a transaction.
public enum TransactionTags {
    /// The most tags of one transaction.
    public static let countMax = 20
    /// The most characters of a tag.
    public static let lengthMax = 40

    /// Without the spaces around it.
    public static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
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
                let scalars = TransactionTags.trimmed(tag).unicodeScalars
                let at = "/\(index)"
                if scalars.isEmpty {
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
    /// Rounded half to even.
    public let amount: Total
    /// The rate; absent within one currency.
    public let rate: RateView?

    /// All of it.
    public init(amount: Total, rate: RateView?) {
        self.amount = amount
        self.rate = rate
    }

    /// The description.
    public static let json = Object(
        ConvertedAmount.init,
        Field("amount", \.amount),
        Field("rate", \.rate)
    )
}
