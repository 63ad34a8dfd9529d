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

    /// The same with other cells.
    func grouped(by dimensions: [SpendingDimension]) -> InsightScope {
        var other = self
        other.groupBy = dimensions
        return other
    }

    /// The coordinates of a dimension that figures are the sum of; nil where each has cells of its
    /// own, or whatever can be named is in.
    ///
    /// A region of a country that is among them is in the country.
    func summands(of dimension: SpendingDimension) -> Set<String>? {
        guard let words = filters[dimension].map(Set.init), dimension != .month,
            !groupBy.contains(dimension)
        else { return nil }
        if let all = Self.words(of: dimension), words.isSuperset(of: all) { return nil }
        guard dimension == .area else { return words }
        return words.filter { word in
            let country = CubeTables.country(of: word)
            return word == country || !words.contains(country)
        }
    }

    /// The coordinates of a dimension that there can be; nil of an open set.
    static func words(of dimension: SpendingDimension) -> [String]? {
        switch dimension {
        case .category: Coicop.allCases.map(\.rawValue) + ["none"]
        case .ageBand: AgeBand.allCases.map(\.rawValue)
        case .accountKind: AccountKind.allCases.map(\.rawValue)
        case .area, .month, .currency: nil
        }
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
