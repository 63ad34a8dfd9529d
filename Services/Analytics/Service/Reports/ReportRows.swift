import Postgres
import WalletProtocol

/// A sum of bookings one way: of an interval, and a category where they are told apart.
struct ReportRow: Sendable {
    /// Which interval, from 1.
    let bucket: Int32
    let category: CategoryID?
    let isIncome: Bool
    /// The currency of what has no rate; nil where the amount is in the report's.
    let missing: Currency?
    /// Signed.
    let amount: Int128
    let parts: Int64
    let transactions: Int64
}

/// What a report is put together from.
enum ReportPart: Sendable {
    case sum(ReportRow)
    /// What tells days apart.
    case cell(ReportCell)

    /// A sum, or, by its month, a cell.
    init(_ row: borrowing PostgresRow) throws {
        self =
            if let month: Day = try row.value(7) {
                .cell(
                    ReportCell(
                        month: month,
                        category: try row.value(1),
                        isIncome: try row.bool(2),
                        numbers: try row.value(8)
                    )
                )
            } else {
                .sum(
                    ReportRow(
                        bucket: try row.value(0),
                        category: try row.value(1),
                        isIncome: try row.bool(2),
                        missing: try row.value(3),
                        amount: try row.value(4),
                        parts: try row.int64(5),
                        transactions: try row.int64(6)
                    )
                )
            }
    }

    /// The sums of some parts.
    /// - Parameter periods: the intervals, one behind the other.
    static func rows(_ parts: [ReportPart], of periods: [Period]) -> [ReportRow] {
        var rows: [ReportRow] = []
        for part in parts {
            switch part {
            case .sum(let row): rows.append(row)
            case .cell(let cell): cell.append(to: &rows, of: periods)
            }
        }
        return rows
    }
}

/// What was booked in a month, one way, by day (0034_month_cells.sql).
struct ReportCell: Sendable {
    /// Its first day.
    let month: Day
    let category: CategoryID?
    let isIncome: Bool
    /// Four of a day: which of the month, amount, parts, transactions.
    let numbers: [Int64]

    /// Adds a sum of each day on which something is left.
    fileprivate func append(to rows: inout [ReportRow], of periods: [Period]) {
        // A day may be there several times.
        var sums = [MonthSums.Sum](repeating: MonthSums.Sum(), count: 31)
        for at in stride(from: 0, to: numbers.count - 3, by: 4) {
            let index = Int(numbers[at]) - 1
            guard sums.indices.contains(index) else { continue }
            sums[index] += MonthSums.Sum(
                amount: Int128(numbers[at + 1]),
                parts: numbers[at + 2],
                transactions: numbers[at + 3]
            )
        }
        var index = Self.index(of: month, in: periods)
        for (offset, sum) in sums.enumerated() where sum.parts != 0 {
            guard let day = month.adding(days: offset) else { return }
            while index < periods.count, periods[index].to < day { index += 1 }
            guard index < periods.count else { return }
            guard periods[index].from <= day else { continue }
            rows.append(
                ReportRow(
                    bucket: Int32(index + 1),
                    category: category,
                    isIncome: isIncome,
                    missing: nil,
                    amount: sum.amount,
                    parts: sum.parts,
                    transactions: sum.transactions
                )
            )
        }
    }

    /// The first period that ends on a day or after it.
    private static func index(of day: Day, in periods: [Period]) -> Int {
        var (low, high) = (0, periods.count)
        while low < high {
            let middle = (low + high) / 2
            if periods[middle].to < day { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
