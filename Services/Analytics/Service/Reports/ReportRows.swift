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
enum ReportInput: Sendable {
    case sum(ReportRow)
    /// A month's days, which are still to be put into intervals.
    case cell(ReportCell)

    /// A cell where the row has a month, else a sum.
    init(_ row: borrowing PostgresRow) throws {
        self =
            if let month: Day = try row.value(7) {
                .cell(
                    ReportCell(
                        month: month,
                        category: try row.value(1),
                        isIncome: try row.bool(2),
                        days: try row.value(8)
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

    var isCell: Bool {
        if case .cell = self { true } else { false }
    }
}

extension [ReportInput] {
    /// The sums of all of it.
    /// - Parameter periods: the intervals, one behind the other.
    func rows(of periods: [Period]) -> [ReportRow] {
        var rows: [ReportRow] = []
        // Summed at once: a row of each day of each cell could be as many as there are bookings.
        var sums: [ReportCell.Key: MonthSums.Sum] = [:]
        for input in self {
            switch input {
            case .sum(let row): rows.append(row)
            case .cell(let cell): cell.add(to: &sums, of: periods)
            }
        }
        for (key, sum) in sums where sum.parts != 0 {
            rows.append(
                ReportRow(
                    bucket: key.bucket,
                    category: key.category,
                    isIncome: key.isIncome,
                    missing: nil,
                    amount: sum.amount,
                    parts: sum.parts,
                    transactions: sum.transactions
                )
            )
        }
        return rows
    }
}

/// What was booked in a month, one way, by day (0034_month_cells.sql).
struct ReportCell: Sendable {
    /// What its days are summed by.
    fileprivate struct Key: Hashable {
        /// Which interval, from 1.
        let bucket: Int32
        let category: CategoryID?
        let isIncome: Bool
    }

    /// Its first day.
    let month: Day
    let category: CategoryID?
    let isIncome: Bool
    /// Four of a day: which of the month, amount, parts, transactions.
    ///
    /// One day may be there several times.
    let days: [Int64]

    /// Adds each day to the sum of the interval that it is in.
    fileprivate func add(to sums: inout [Key: MonthSums.Sum], of periods: [Period]) {
        for at in stride(from: 0, to: days.count - 3, by: 4) {
            guard let day = month.adding(days: Int(days[at]) - 1),
                let index = Self.index(of: day, in: periods)
            else { continue }
            let key = Key(bucket: Int32(index + 1), category: category, isIncome: isIncome)
            sums[key, default: MonthSums.Sum()] += MonthSums.Sum(
                amount: Int128(days[at + 1]),
                parts: days[at + 2],
                transactions: days[at + 3]
            )
        }
    }

    /// Which period a day is in; nil: in none.
    private static func index(of day: Day, in periods: [Period]) -> Int? {
        var (low, high) = (0, periods.count)
        while low < high {
            let middle = (low + high) / 2
            if periods[middle].to < day { low = middle + 1 } else { high = middle }
        }
        return low < periods.count && periods[low].from <= day ? low : nil
    }
}
