import Postgres
import WalletProtocol

/// Reads what a release tells for answers, in one snapshot.
struct InsightReader {
    let transaction: Transaction

    /// What is told of the months of a scope in the tables that it needs, and what of it is coarser
    /// than asked for.
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
        let asked = Disclosure.tables(scope)
        let merged = Disclosure.merged(scope, asked, headers)
        let isKept = !isConverted || headers.allSatisfy { $0.base == scope.currency }
        var cells: [CellRow] = []
        for table in asked {
            cells += try await transaction.query(
                CellStatements.cells(
                    CubeWay(isIncoming: scope.direction == .incoming, isConverted: isConverted),
                    in: isKept ? nil : scope.currency,
                    of: Disclosure.levels(table, merging: merged),
                    in: headers.map(\.month),
                    named: Disclosure.names(scope, in: table)
                )
            )
        }
        guard cells.count <= CellStatements.cellsMax else {
            throw APIError.query("groupBy", .tooMany, "would make too many cells")
        }
        let byMonth = Dictionary(grouping: cells, by: \.month)
        let months = headers.map { header in
            InsightMonth(
                month: header.month.month,
                asOf: header.asOf,
                usersMin: header.usersMin,
                cells: byMonth[header.month] ?? []
            )
        }
        return (months, merged)
    }
}
