import WalletProtocol

/// What a release has of one month for an answer's table.
struct InsightMonth: Sendable {
    let month: Month
    /// The level of each dimension of `CubeTables` in the table that it is answered from.
    let levels: [Int]
    /// Nothing of the table is told, not even which cells nobody is in.
    let isClosed: Bool
    let cells: [CellRow]
    /// Of when its figures are; nil where there are people, and too few for any to be told.
    var asOf: Instant?
    /// How many people a figure of it is of at least.
    var usersMin = 0
}

/// Which figures of an answer may be told: those that are sums of cells that may be told.
///
/// Each calendar month is decided by itself, and a figure of several months is told where each of
/// them may be. Were a period decided as a whole, two that overlap could be subtracted: what is of
/// one month alone, or of one day, would follow though it is hidden. Hence days stand for their
/// months, and no answer for longer tells more than the answers for its months together.
///
/// A filter's cells are sums of cells of the table that has the filter's dimension too; one with a
/// hidden cell in it is not told, or overlapping filters would give hidden cells away. A filter
/// that takes in everything is none.
///
/// Where a month tells too little of a table, all months are answered from a coarser one, unless a
/// filter is of what it puts together.
struct Disclosure: Sendable {
    private static let monthIndex = SpendingDimension.allCases.firstIndex(of: .month) ?? 0
    private let scope: InsightScope
    private let months: [InsightMonth]

    init(_ scope: InsightScope, _ months: [InsightMonth]) {
        self.scope = scope
        self.months = months
    }

    /// The figures that are told, by the answer's keys; nil for what it is not grouped by.
    func told() -> [[String?]: CellFigures] {
        let isByMonth = scope.groupBy.contains(.month)
        if !isByMonth, months.contains(where: \.isClosed) { return [:] }
        var parts: [[String?]: [CellFigures]] = [:]
        var closed: Set<[String?]> = []
        for month in months where !month.isClosed {
            for cell in month.cells where isAccepted(cell, month.levels) {
                let key = key(of: cell)
                if let figures = cell.figures {
                    parts[key, default: []].append(figures)
                } else {
                    closed.insert(key)
                }
            }
        }
        return parts.filter { !closed.contains($0.key) }.mapValues { parts in
            parts.count == 1 ? parts[0] : CellFigures(parts)
        }
    }

    private func isAccepted(_ cell: CellRow, _ levels: [Int]) -> Bool {
        zip(CubeTables.dimensions, levels).allSatisfy { dimension, level in
            level == 0 || scope.accepts(cell.coordinate(of: dimension) ?? "", of: dimension)
        }
    }

    private func key(of cell: CellRow) -> [String?] {
        SpendingDimension.allCases.map { dimension in
            scope.groupBy.contains(dimension) ? cell.coordinate(of: dimension) : nil
        }
    }

    /// The table that a month is answered from.
    /// - Parameter names: what coordinates of a dimension anybody has in the month.
    static func levels(
        _ scope: InsightScope,
        names: (SpendingDimension) -> [String]
    ) -> [Int] {
        zip(CubeTables.dimensions, CubeTables.depths).map { dimension, depth in
            guard scope.axes.contains(dimension) else { return 0 }
            let isWhole =
                !scope.groupBy.contains(dimension)
                && names(dimension).allSatisfy { scope.accepts($0, of: dimension) }
            if isWhole { return 0 }
            return dimension == .area && scope.hasCountriesOnly ? 1 : depth
        }
    }

    /// The dimensions that are told coarser than asked for, in whichever month.
    static func merged(_ scope: InsightScope, _ months: [InsightTables]) -> [SpendingDimension] {
        CubeTables.dimensions.enumerated().compactMap { axis, dimension in
            guard scope.groupBy.contains(dimension), scope.filters[dimension] == nil else {
                return nil
            }
            return months.contains { $0.answered[axis] < $0.asked[axis] } ? dimension : nil
        }
    }
}

/// The table that a month is asked for, and the one from which it is best answered.
struct InsightTables {
    let asked: [Int]
    let answered: [Int]

    /// With these dimensions, and no others, coarser than asked for.
    func levels(merging dimensions: [SpendingDimension]) -> [Int] {
        zip(CubeTables.dimensions, asked).map { dimensions.contains($0) ? min($1, 1) : $1 }
    }
}

extension CellRow {
    /// Where it is on a dimension: an area, or its country where it is of all of it.
    func coordinate(of dimension: SpendingDimension) -> String? {
        let index = SpendingDimension.allCases.firstIndex(of: dimension) ?? 0
        return coordinates[index] ?? (dimension == .area ? country : nil)
    }
}
