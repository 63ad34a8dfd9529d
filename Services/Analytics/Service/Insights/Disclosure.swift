import WalletProtocol

/// What a release tells of one month for an answer.
struct InsightMonth: Sendable {
    let month: Month
    /// Of when its figures are.
    let asOf: Instant
    /// How many people a figure of it is of at least.
    let usersMin: Int
    /// Those of the answer's tables that are told, and no others.
    let cells: [CellRow]

    /// As an answer tells of it.
    var released: ReleasedMonth { ReleasedMonth(month: month, asOf: asOf) }
}

/// A figure of an answer.
struct ToldFigures: Sendable {
    let bookings: Int64
    let total: Int128
    /// The one cell that it is.
    ///
    /// Of several bookings add up, and tell no more than the cells do. People and amounts do not:
    /// how many are in A or B, less those in A, may be the one who is in B alone.
    let cell: CellFigures?

    /// Of cells that have no booking in common, one at least.
    init(_ cells: [CellFigures]) {
        bookings = cells.reduce(0) { $0 + $1.bookings }
        total = cells.reduce(0) { $0 + $1.total }
        cell = cells.count == 1 ? cells[0] : nil
    }
}

/// The figures of an answer: sums of cells that are told, and of nothing else.
///
/// A figure of several coordinates, or months, is told where each of them is told by itself, and is
/// then no more than anybody could add up. Of a coordinate of few people nothing is told, as of one
/// that nobody is in; were a sum told of the one and not of the other, it would tell whether
/// somebody is there. So whatever is hidden, an answer is the same as without it.
///
/// Each calendar month is decided by itself. Were a period decided as a whole, two that overlap
/// could be subtracted: what is of one month alone, or one day, would follow though it is hidden.
/// Hence days stand for their months. A month that was never taken up is in no answer: it tells
/// nothing, and withholding sums with it would tell that somebody has booked there.
///
/// Where a month tells too little of a table, all months are answered from a coarser one, unless a
/// filter is of what it puts together.
struct Disclosure: Sendable {
    private let scope: InsightScope
    private let months: [InsightMonth]
    private let summands: [SpendingDimension: Set<String>]

    init(_ scope: InsightScope, _ months: [InsightMonth]) {
        self.scope = scope
        self.months = months
        summands = CubeTables.dimensions.reduce(into: [:]) { all, dimension in
            all[dimension] = scope.summands(of: dimension)
        }
    }

    /// The figures that are told, by the answer's keys; nil for what it is not grouped by.
    func told() -> [[String?]: ToldFigures] {
        var parts: [[String?]: [CellFigures]] = [:]
        for cell in months.lazy.flatMap(\.cells) where isAccepted(cell) {
            parts[key(of: cell), default: []].append(cell.figures)
        }
        let count = summands.values.reduce(scope.groupBy.contains(.month) ? 1 : months.count) {
            $0 * $1.count
        }
        return parts.filter { $0.value.count == count }.mapValues(ToldFigures.init)
    }

    private func isAccepted(_ cell: CellRow) -> Bool {
        CubeTables.dimensions.allSatisfy { dimension in
            guard let name = cell.coordinate(of: dimension) else { return true }
            guard let summands = summands[dimension] else {
                return scope.accepts(name, of: dimension)
            }
            // A country is of its own table: a region's is named like it where that is not known.
            let isOfItsTable = dimension != .area || name.contains("-") == cell.isOfRegion
            return isOfItsTable && summands.contains(name)
        }
    }

    private func key(of cell: CellRow) -> [String?] {
        SpendingDimension.allCases.map { dimension in
            scope.groupBy.contains(dimension) ? cell.coordinate(of: dimension) : nil
        }
    }

    /// The tables that are asked for: two where figures are sums of countries and of regions.
    static func tables(_ scope: InsightScope) -> [[Int]] {
        let levels = zip(CubeTables.dimensions, CubeTables.depths).map { dimension, depth in
            scope.groupBy.contains(dimension) || scope.summands(of: dimension) != nil ? depth : 0
        }
        guard let areas = scope.summands(of: .area) else { return [levels] }
        return Set(areas.map { $0.contains("-") ? 2 : 1 }).sorted().map { level in
            var table = levels
            table[CubeTables.area] = level
            return table
        }
    }

    /// Of each of a table's dimensions the names that what is asked for is of; nil for all.
    static func names(_ scope: InsightScope, in table: [Int]) -> [[String]?] {
        CubeTables.dimensions.enumerated().map { axis, dimension in
            guard table[axis] > 0, let words = scope.filters[dimension] else { return nil }
            guard dimension == .area, let areas = scope.summands(of: dimension) else {
                return words
            }
            return areas.filter { $0.contains("-") == (table[axis] == 2) }.sorted()
        }
    }

    /// The dimensions that are told coarser than asked for: those that are in whichever month,
    /// where all months can be.
    static func merged(
        _ scope: InsightScope,
        _ tables: [[Int]],
        _ months: [CubeHeader]
    ) -> [SpendingDimension] {
        let merged = CubeTables.dimensions.enumerated().compactMap { axis, dimension in
            let isMerged = months.contains { month in
                tables.contains { (month.merged.tables[$0] ?? $0)[axis] < $0[axis] }
            }
            let mayBe = scope.groupBy.contains(dimension) && scope.filters[dimension] == nil
            return isMerged && mayBe ? dimension : nil
        }
        // Not where it takes all that a month tells, as of one from before bands were merged.
        let choices = [merged] + merged.map { [$0] }
        return choices.first { dimensions in
            months.allSatisfy { month in
                tables.allSatisfy { table in
                    month.closed.contains(table)
                        || !month.closed.contains(levels(table, merging: dimensions))
                }
            }
        } ?? []
    }

    /// A table with these dimensions, and no others, coarser than asked for.
    static func levels(_ asked: [Int], merging dimensions: [SpendingDimension]) -> [Int] {
        zip(CubeTables.dimensions, asked).map { dimensions.contains($0) ? min($1, 1) : $1 }
    }
}

extension CellRow {
    /// Where it is on a dimension: an area, or its country where it is of all of it.
    func coordinate(of dimension: SpendingDimension) -> String? {
        let index = SpendingDimension.allCases.firstIndex(of: dimension) ?? 0
        return coordinates[index] ?? (dimension == .area ? country : nil)
    }

    /// Whether it is of a region, be it that none is known, and not of all of a country.
    fileprivate var isOfRegion: Bool {
        SpendingDimension.allCases.firstIndex(of: .area).map { coordinates[$0] != nil } ?? false
    }
}
