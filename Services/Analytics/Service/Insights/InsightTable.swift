import WalletProtocol

/// Puts an answer's cells together: figures where they may be told, and keys alone where not.
struct InsightTable: Sendable {
    let scope: InsightScope
    /// What is told coarser than asked for.
    let merged: [SpendingDimension]

    /// More cells than this are not listed where nothing is told of them.
    static let combinationsMax = 5_000

    /// The cells, by their keys.
    ///
    /// A cell of too few people and one of nobody look the same, or the list itself would tell that
    /// somebody is there: every combination of keys that anybody could name is listed as
    /// suppressed. Regions and currencies are open sets; of them those are listed that are told of
    /// or asked for. Where that is too many, only what is told is listed, and it is not whole.
    func cells(
        told: [[String?]: ToldFigures]
    ) throws -> (cells: [SpendingCell], isWhole: Bool) {
        guard let all = combinations(Array(told.keys)) else {
            let keys = told.keys.sorted { left, right in
                left.lexicographicallyPrecedes(right) { ($0 ?? "") < ($1 ?? "") }
            }
            return (try keys.map { try cell($0, told[$0]) }, false)
        }
        return (try all.map { try cell($0, told[$0]) }, true)
    }

    /// The sums by currency of what has no rate.
    func sums(told: [[String?]: ToldFigures]) -> [Total] {
        told.compactMap { key, figures in
            key.last.flatMap { $0 }.flatMap { Currency($0) }
                .map { Total(minorUnits: figures.total, $0) }
        }.sorted { $0.currency < $1.currency }
    }

    private func combinations(_ told: [[String?]]) -> [[String?]]? {
        var all: [[String?]] = [[]]
        for (index, dimension) in SpendingDimension.allCases.enumerated() {
            let isKey = scope.groupBy.contains(dimension)
            let choices: [String?] =
                isKey ? words(of: dimension, told.compactMap { $0[index] }) : [nil]
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
            case .area: asked + told + ["unknown"]
            case .month: scope.period.months.map(\.text)
            case .currency: asked + told + [scope.currency.code]
            case .ageBand where merged.contains(.ageBand): CubeTables.ages.map(\.name)
            case .category, .ageBand, .accountKind: InsightScope.words(of: dimension) ?? []
            }
        return Set(named.filter { scope.accepts($0, of: dimension) }).sorted()
    }

    private func cell(_ keys: [String?], _ figures: ToldFigures?) throws -> SpendingCell {
        let currency = scope.currency
        let total = figures.map { Total(minorUnits: $0.total, currency) }
        let one = figures?.cell
        let ages = merged.contains(.ageBand) ? CubeTables.ages.first { $0.name == keys[2] } : nil
        return SpendingCell(
            category: keys[0].flatMap { CategoryKey(word: $0) },
            area: keys[1],
            ageBand: keys[2].flatMap { AgeBand(rawValue: $0) },
            ageBands: ages.flatMap { $0.bands.count > 1 ? $0.bands : nil },
            month: keys[3].flatMap { Month($0) },
            accountKind: keys[4].flatMap { AccountKind(rawValue: $0) },
            currency: keys[5].flatMap { Currency($0) },
            isSuppressed: figures == nil,
            total: total,
            count: figures.map { Int($0.bookings) },
            users: one.map { Int($0.users) },
            mean: try figures.flatMap { try total?.divided(by: $0.bookings) },
            median: try one.map { one in
                try Total(minorUnits: one.middle.low, currency)
                    .adding(Total(minorUnits: one.middle.high, currency)).divided(by: 2)
            },
            p90: one.map { Total(minorUnits: $0.ninth, currency) }
        )
    }
}
