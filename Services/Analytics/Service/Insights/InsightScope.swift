import WalletProtocol

/// What an insight is of, its defaults filled in.
struct InsightScope: Sendable {
    let period: Period
    let direction: Direction
    /// The currency of the figures.
    let currency: Currency
    /// What cells there are, each dimension once, in the order of `SpendingDimension`.
    private(set) var groupBy: [SpendingDimension]
    let filters: [SpendingDimension: [String]]

    init(_ query: SpendingQuery, today: Day) throws(APIError) {
        period = try .ofInsight(from: query.from, to: query.to, today: today)
        direction = query.direction
        currency = query.convertedTo
        groupBy = SpendingDimension.allCases.filter { query.groupBy.contains($0) }
        filters = [
            .category: query.categories.map(\.word),
            .area: query.areas,
            .ageBand: query.ageBands.map(\.rawValue),
            .month: query.months.map(\.text),
            .accountKind: query.accountKinds.map(\.rawValue),
            .currency: query.currencies.map(\.code),
        ].filter { !$0.value.isEmpty }
    }

    /// The dimensions whose coordinates the answer depends on, in the order of the cube's axes.
    ///
    /// The month is none: each has a cube of its own.
    var axes: [SpendingDimension] {
        SpendingDimension.allCases.filter {
            $0 != .month && (groupBy.contains($0) || filters[$0] != nil)
        }
    }

    /// The same with other cells.
    func grouped(by dimensions: [SpendingDimension]) -> InsightScope {
        var other = self
        other.groupBy = dimensions
        return other
    }

    /// Whether countries are as fine as it gets: parts of them are neither shown nor asked for.
    var hasCountriesOnly: Bool {
        !groupBy.contains(.area) && filters[.area]?.contains { $0.contains("-") } != true
    }

    /// Whether a coordinate passes the dimension's filter; a country includes its parts.
    func accepts(_ coordinate: String, of dimension: SpendingDimension) -> Bool {
        guard let words = filters[dimension] else { return true }
        guard dimension == .area else { return words.contains(coordinate) }
        return words.contains { $0 == coordinate || coordinate.hasPrefix($0 + "-") }
    }
}

extension CategoryKey {
    /// Two digits, or `none`.
    var word: String {
        switch self {
        case .division(let division): division.rawValue
        case .none: "none"
        }
    }

    /// The key of a word of ours.
    init?(word: String) {
        if word == "none" {
            self = .none
        } else {
            guard let division = Coicop(rawValue: word) else { return nil }
            self = .division(division)
        }
    }
}
