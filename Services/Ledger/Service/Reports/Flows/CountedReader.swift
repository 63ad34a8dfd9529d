import Postgres
import ServiceKit
import WalletProtocol

/// Reads what counts, within its bounds: of months whose sums are kept those, else the rows.
enum CountedReader {
    /// - Throws: 400 `invalid-query` where it would be more than a report walks over.
    static func rows(
        _ filter: CountedFilter,
        _ key: CountedKey,
        _ kept: KeptSums,
        _ transaction: Transaction
    ) async throws -> [CountedRow] {
        var rows: [CountedRow] = []
        for part in parts(of: filter, kept) where !part.scope.accounts.isEmpty {
            rows += try await transaction.query(CountedStatements.sums(part, by: key))
        }
        let parts = rows.reduce(0) { $0 + $1.count }
        if let months = kept.months(of: filter), !months.scope.accounts.isEmpty {
            rows += try await transaction.query(
                KeptStatements.sums,
                months.scope.accounts.map(\.id),
                key == .place,
                months.period.from,
                months.period.to,
                filter.direction.map { [$0 == .incoming] } ?? [false, true],
                CountedStatements.sumsMax + 1
            )
        }
        guard parts <= CountedStatements.partsMax, rows.count <= CountedStatements.sumsMax else {
            throw APIError.query(
                "from",
                .outOfRange,
                """
                the report would be of more than it may: ask for fewer days, or for some of your \
                accounts or categories
                """
            )
        }
        return rows
    }

    /// What is to be read from the rows: all of the accounts of which nothing is kept, and of the
    /// others the days around what is.
    private static func parts(of filter: CountedFilter, _ kept: KeptSums) -> [CountedFilter] {
        guard let months = kept.months(of: filter) else { return [filter] }
        var rest = filter
        let ids = Set(months.scope.accounts.map(\.id))
        rest.scope.accounts.removeAll { ids.contains($0.id) }
        var (head, tail) = (months, months)
        var parts = [rest]
        if let end = months.period.from.adding(days: -1), filter.period.from <= end {
            head.period = ReportPeriod(filter.period.from, end)
            parts.append(head)
        }
        if let start = months.period.to.adding(days: 1), start <= filter.period.to {
            tail.period = ReportPeriod(start, filter.period.to)
            parts.append(tail)
        }
        return parts
    }
}

extension KeptSums {
    /// What of a report is kept: its accounts that are, in the months that all of them have.
    fileprivate func months(of filter: CountedFilter) -> CountedFilter? {
        var months = filter
        months.scope.accounts.removeAll { closedBefore[$0.id] == nil }
        guard let closed = months.scope.accounts.compactMap({ closedBefore[$0.id] }).min(),
            let period = filter.period.months(before: closed)
        else { return nil }
        months.period = period
        return months
    }
}
