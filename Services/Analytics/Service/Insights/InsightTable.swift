import WalletProtocol

/// Puts an answer's cells together: figures where they may be told, and keys alone where not.
struct InsightTable: Sendable {
    let scope: InsightScope
    let usersMin: Int

    /// More cells than this are not listed where nothing is told of them.
    static let combinationsMax = 5_000

    /// The cells, by their keys.
    ///
    /// A cell of too few people and one of nobody look the same, or the list itself would tell that
    /// somebody is there: every combination of keys that anybody could name is listed as
    /// suppressed. Regions and currencies are open sets; of them those are listed that are told of
    /// or asked for. Where that is too many, only what is told is listed.
    /// - Parameters:
    ///   - users: the users of every cell and margin of each month, before filters.
    ///   - figures: the figures of the answer's cells, after filters.
    func cells(users: [CubeRow], figures: [FigureRow]) throws -> [SpendingCell] {
        let disclosure = Disclosure(scope, users: users, usersMin: usersMin)
        let told = figures.filter {
            $0.users >= Int64(usersMin) && disclosure.tells($0.coordinates)
        }
        guard let all = combinations(told) else {
            return try told.map { try cell($0.coordinates, $0) }
        }
        let rows = Dictionary(told.map { ($0.coordinates, $0) }) { first, _ in first }
        return try all.map { try cell($0, rows[$0]) }
    }

    /// Those of the sums by currency that may be told.
    func told(_ sums: [Total], users: [CubeRow]) -> [Total] {
        let disclosure = Disclosure(scope, users: users, usersMin: usersMin)
        return sums.filter { sum in
            disclosure.tells(
                SpendingDimension.allCases.map { $0 == .currency ? sum.currency.code : nil }
            )
        }
    }

    private func combinations(_ told: [FigureRow]) -> [[String?]]? {
        var all: [[String?]] = [[]]
        for (index, dimension) in SpendingDimension.allCases.enumerated() {
            let isKey = scope.groupBy.contains(dimension)
            let choices: [String?] =
                isKey ? words(of: dimension, told.compactMap { $0.coordinates[index] }) : [nil]
            guard all.count * choices.count <= Self.combinationsMax else { return nil }
            all = all.flatMap { known in choices.map { known + [$0] } }
        }
        return all
    }

    /// The coordinates of a dimension that anybody could name, or is told of.
    private func words(of dimension: SpendingDimension, _ told: [String]) -> [String] {
        let asked = scope.filters[dimension] ?? []
        let named: [String] =
            switch dimension {
            case .category: Coicop.allCases.map(\.rawValue) + ["none"]
            case .area: asked + told + ["unknown"]
            case .ageBand: AgeBand.allCases.map(\.rawValue)
            case .month: scope.period.months.map(\.text)
            case .accountKind: AccountKind.allCases.map(\.rawValue)
            case .currency: asked + told + [scope.currency.code]
            }
        return Set(named.filter { scope.accepts($0, of: dimension) }).sorted()
    }

    private func cell(_ keys: [String?], _ row: FigureRow?) throws -> SpendingCell {
        let currency = scope.currency
        let total = row.map { Total(minorUnits: $0.total, currency) }
        return SpendingCell(
            category: keys[0].flatMap { CategoryKey(word: $0) },
            area: keys[1],
            ageBand: keys[2].flatMap { AgeBand(rawValue: $0) },
            month: keys[3].flatMap { Month($0) },
            accountKind: keys[4].flatMap { AccountKind(rawValue: $0) },
            currency: keys[5].flatMap { Currency($0) },
            isSuppressed: row == nil,
            total: total,
            count: row.map { Int($0.count) },
            users: row.map { Int($0.users) },
            mean: try row.flatMap { try total?.divided(by: $0.count) },
            median: try row?.middle.map { low, high in
                try Total(minorUnits: low, currency)
                    .adding(Total(minorUnits: high, currency)).divided(by: 2)
            }
        )
    }
}
