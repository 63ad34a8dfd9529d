import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// What is kept of a day or, where it is null, of a month.
private let kept = Statement(
    """
    select category_id, currency, month, is_income, null::date, amount, part_count,
        transaction_count, cardinality(days)
    from analytics.report_cell
    union all
    select c.category_id, c.currency, c.month, c.is_income, d.day, sum(d.amount),
        sum(d.part_count)::int8, sum(d.transaction_count)::int8, cardinality(c.days)
    from analytics.report_cell c
    cross join lateral analytics.cell_days(c.month, c.days) as d
    group by 1, 2, 3, 4, 5, 9
    """
) { row in
    (
        place: Place(
            category: try row.value(0),
            currency: try row.value(1),
            month: try row.value(2),
            isIncome: try row.value(3),
            day: try row.value(4)
        ),
        sum: MonthSums.Sum(
            amount: try row.value(5),
            parts: try row.int64(6),
            transactions: try row.int64(7)
        ),
        numbers: try row.int32(8)
    )
}

private struct Place: Hashable {
    let category: CategoryID
    let currency: Currency
    let month: Day
    let isIncome: Bool
    let day: Day?
}

/// Cells by themselves, without facts.
@Suite struct CellTests {
    /// Whose, on what and when is chosen among few, so that many meet.
    private struct Crowd {
        var random: SeededGenerator
        let owners = [ID<CellOwner>.new(), .new()].sorted()
        let account = ID<Account>.new()
        let categories = [CategoryID.new(), .new()]

        mutating func change(on first: Day) throws -> CellChange {
            let chosen = Int.random(in: 0..<2, using: &random)
            let size =
                Int.random(in: 0..<20, using: &random) == 0
                ? Int64.max - 3 : Int64.random(in: 0...500, using: &random)
            return CellChange(
                owner: owners[chosen],
                account: account,
                category: categories[chosen],
                amount: Money(
                    minorUnits: Bool.random(using: &random) ? size : -size,
                    Bool.random(using: &random) ? .eur : .jpy
                ),
                day: try #require(first.adding(days: Int.random(in: 0..<60, using: &random))),
                part: Int32.random(in: 0..<2, using: &random),
                sign: Int.random(in: 0..<3, using: &random) == 0 ? -1 : 1
            )
        }
    }

    @Test func aCellIsTheSumOfItsChangesHoweverManyAndHoweverLarge() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withBench { _, bench in
            var crowd = Crowd(random: SeededGenerator(seed: seed))
            let first = try #require(Day("2024-01-31"))
            var model: [Place: MonthSums.Sum] = [:]
            for _ in 0..<40 {
                let count = Int.random(in: 1...120, using: &crowd.random)
                let changes = try (0..<count).map { _ in try crowd.change(on: first) }
                for change in changes {
                    for day in [change.day, nil] {
                        let place = Place(
                            category: change.category,
                            currency: change.amount.currency,
                            month: change.day.month.firstDay,
                            isIncome: change.amount.minorUnits >= 0,
                            day: day
                        )
                        model[place, default: .init()] += MonthSums.Sum(change)
                    }
                }
                try await bench.database.transaction { try await Cells.apply(changes, in: $0) }
            }
            var found: [Place: MonthSums.Sum] = [:]
            for row in try await bench.database.query(kept) where row.sum != .init() {
                found[row.place] = row.sum
                // Days are merged long before it is all that ever happened.
                #expect(row.numbers < 1_000, "seed \(seed)")
            }
            #expect(found == model.filter { $0.value != .init() }, "seed \(seed)")
            #expect(found.values.contains { Int64(exactly: $0.amount) == nil }, "seed \(seed)")
        }
    }

    @Test func twoWhoWriteTheSameCellsDoSoInOneOrder() throws {
        let seed = UInt64.random(in: .min ... .max)
        var crowd = Crowd(random: SeededGenerator(seed: seed))
        let first = try #require(Day("2024-01-31"))
        let changes = try (0..<500).map { _ in try crowd.change(on: first) }
        let keys = MonthSums(changes).cells.map(\.key)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
        let taken = changes.map {
            CellChange(
                owner: $0.owner,
                account: $0.account,
                category: $0.category,
                amount: $0.amount,
                day: $0.day,
                part: $0.part,
                sign: -$0.sign
            )
        }
        // What is taken off at once touches nothing.
        #expect(MonthSums(changes + taken).cells.isEmpty, "seed \(seed)")
    }
}

/// How a report reads the days of a cell.
@Suite struct ReportCellTests {
    @Test func eachDayOfACellCountsInItsIntervalAndNoOther() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let text = "2024-0\(Int.random(in: 1...9, using: &random))-01"
            let month = try #require(Day(text)).month
            let start = month.firstDay.adding(days: .random(in: -40...31, using: &random))
            let end = try #require(start?.adding(days: .random(in: 0...90, using: &random)))
            let period = Period(try #require(start), through: end)
            let interval = try #require(ReportInterval.allCases.randomElement(using: &random))
            let periods = try Buckets(of: period, by: interval).periods
            var numbers: [Int64] = []
            var days: [Day: MonthSums.Sum] = [:]
            func book(_ number: Int, _ amount: Int64, _ parts: Int64) throws {
                numbers += [Int64(number), amount, parts, parts]
                let day = try #require(month.firstDay.adding(days: number - 1))
                days[day, default: MonthSums.Sum()] += MonthSums.Sum(
                    amount: Int128(amount),
                    parts: parts,
                    transactions: parts
                )
            }
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let number = Int.random(in: 1...month.lastDay.parts.day, using: &random)
                let amount = Int64.random(in: 0...Int64.max, using: &random)
                try book(number, amount, 1)
                // Some are taken back.
                if Bool.random(using: &random) { try book(number, -amount, -1) }
            }
            var wanted: [Int32: MonthSums.Sum] = [:]
            for (day, sum) in days where sum.parts != 0 {
                let index = periods.firstIndex { $0.from <= day && day <= $0.to }
                if let index { wanted[Int32(index + 1), default: MonthSums.Sum()] += sum }
            }
            // As of two accounts: the same days in two cells.
            let half = numbers.count / 8 * 4
            let cells = [numbers[..<half], numbers[half...]].map { numbers in
                ReportInput.cell(
                    ReportCell(
                        month: month.firstDay,
                        category: nil,
                        isIncome: true,
                        days: Array(numbers)
                    )
                )
            }
            var sums: [Int32: MonthSums.Sum] = [:]
            for row in cells.rows(of: periods) {
                #expect(row.parts != 0 && row.isIncome && row.missing == nil, "seed \(seed)")
                #expect(sums[row.bucket] == nil, "seed \(seed)")
                sums[row.bucket] = MonthSums.Sum(
                    amount: row.amount,
                    parts: row.parts,
                    transactions: row.transactions
                )
            }
            #expect(sums == wanted, "seed \(seed): \(numbers), \(period) by \(interval)")
        }
    }
}
