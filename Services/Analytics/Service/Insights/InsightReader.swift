import Postgres
import WalletProtocol

/// Reads what a release has for answers, in one snapshot.
struct InsightReader {
    let transaction: Transaction

    /// The months of a scope's table, each from the table that its filters need, and what of it is
    /// told coarser than asked for.
    /// - Throws: `.invalidQuery` where the cells are too many.
    func months(
        _ scope: InsightScope,
        isConverted: Bool
    ) async throws -> (months: [InsightMonth], merged: [SpendingDimension]) {
        let headers = try await transaction.query(
            CellStatements.headers,
            scope.period.from.month.firstDay,
            scope.period.to,
            scope.currency.code,
            scope.direction == .incoming,
            isConverted
        ).filter { scope.accepts($0.month.month.text, of: .month) }
        guard !headers.isEmpty else { return ([], []) }
        let names = try await names(scope, isConverted, headers.map(\.month))
        let areSummed = headers.count > 1 && !scope.groupBy.contains(.month)
        let asked = headers.map { header in
            let levels = Disclosure.levels(scope) { names[header.month]?[$0] ?? [] }
            return InsightTables(asked: levels, answered: header.merged[levels] ?? levels)
        }
        let merged = Disclosure.merged(scope, asked)
        var tables: [[Int]: [CubeHeader]] = [:]
        for (header, table) in zip(headers, asked) {
            tables[table.levels(merging: merged), default: []].append(header)
        }
        var months: [InsightMonth] = []
        for (levels, headers) in tables {
            // A figure is one cell where every axis is a key, and months are not summed.
            let axes = zip(CubeTables.dimensions, levels).filter { $0.1 > 0 }.map(\.0)
            let isOneCell = axes.allSatisfy { scope.groupBy.contains($0) } && !areSummed
            let cells = try await cells(
                scope,
                isConverted,
                levels,
                headers.map(\.month),
                hasSketches: !isOneCell
            )
            let byMonth = Dictionary(grouping: cells, by: \.month)
            months += headers.map { header in
                InsightMonth(
                    month: header.month.month,
                    levels: levels,
                    isClosed: header.closed.contains(levels),
                    cells: byMonth[header.month] ?? [],
                    asOf: header.asOf,
                    usersMin: header.usersMin
                )
            }
        }
        guard months.reduce(0, { $0 + $1.cells.count }) <= CellStatements.cellsMax else {
            throw APIError.query("groupBy", .tooMany, "would make too many cells")
        }
        return (months.sorted { $0.month < $1.month }, merged)
    }

    /// The coordinates that there are of what is filtered by and no key, by month.
    private func names(
        _ scope: InsightScope,
        _ isConverted: Bool,
        _ months: [Day]
    ) async throws -> [Day: [SpendingDimension: [String]]] {
        var names: [Day: [SpendingDimension: [String]]] = [:]
        for (axis, dimension) in CubeTables.dimensions.enumerated() {
            guard scope.axes.contains(dimension), !scope.groupBy.contains(dimension) else {
                continue
            }
            var levels = CubeTables.dimensions.map { _ in 0 }
            levels[axis] =
                dimension == .area && scope.hasCountriesOnly ? 1 : CubeTables.depths[axis]
            for cell in try await cells(scope, isConverted, levels, months, hasSketches: false) {
                guard let name = cell.coordinate(of: dimension) else { continue }
                names[cell.month, default: [:]][dimension, default: []].append(name)
            }
        }
        return names
    }

    private func cells(
        _ scope: InsightScope,
        _ isConverted: Bool,
        _ levels: [Int],
        _ months: [Day],
        hasSketches: Bool
    ) async throws -> [CellRow] {
        return try await transaction.query(
            CellStatements.cells(
                (scope.currency, scope.direction == .incoming, isConverted),
                of: levels,
                in: months,
                hasSketches: hasSketches
            )
        )
    }
}
