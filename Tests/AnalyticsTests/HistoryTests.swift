import Foundation
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

private let recount = Statement<Void>("select analytics.recount_cells($1::uuid)")

private let cellCount = Statement(
    "select count(*) from analytics.report_cell where part_count <> 0"
) { row in try row.int64(0) }

/// Cells that are not the sum of what there is, be it nothing.
let wrongCells = Statement(
    """
    with booked as (
        select user_id as owner_id, day, currency, category_id, account_id, amount, part
        from analytics.fact
        where not is_reversed
        union all
        select group_id, day, currency, category_id, group_id, -amount, 0
        from analytics.group_expense
    ), plain as (
        select owner_id, grain, currency, start, category_id, account_id,
            amount >= 0 as is_income, sum(amount) as amount, count(*) as part_count,
            count(*) filter (where part = 0) as transaction_count
        from booked
        cross join lateral (
            values ('day', day), ('month', date_trunc('month', day::timestamp)::date)
        ) as grained (grain, start)
        group by 1, 2, 3, 4, 5, 6, 7
    ), kept as (
        select owner_id, 'month' as grain, currency, month as start, category_id, account_id,
            is_income, amount, part_count::numeric, transaction_count::numeric
        from analytics.report_cell
        union all
        select c.owner_id, 'day', c.currency, d.day, c.category_id, c.account_id, c.is_income,
            sum(d.amount), sum(d.part_count), sum(d.transaction_count)
        from analytics.report_cell c
        cross join lateral analytics.cell_days(c.month, c.days) as d
        group by 1, 2, 3, 4, 5, 6, 7
    )
    select cell::text || ' is not ' || plain::text
    from (
        select owner_id, grain, currency, start, category_id, account_id, is_income, amount,
            part_count, transaction_count
        from kept
        where amount <> 0 or part_count <> 0 or transaction_count <> 0
    ) as cell
    full join plain using (owner_id, grain, currency, start, category_id, account_id, is_income)
    where (cell.amount, cell.part_count, cell.transaction_count)
        is distinct from (plain.amount, plain.part_count, plain.transaction_count)
    limit 10
    """
) { row in try row.value(0, as: String?.self) }

/// A random stream of events against a real database and the model beside it.
@Suite struct HistoryTests {
    /// Two more under `deploy/test --deep`.
    static let seeds: [UInt64] =
        [.random(in: 0...UInt64.max)]
        + (ProcessInfo.processInfo.environment["EZWALLET_DEEP"] == nil ? [] : [1, 2])

    @Test(arguments: seeds)
    func everyReportIsTheModels(seed: UInt64) async throws {
        try await withBench(rates: Model.table) { _, bench in
            var random = SeededGenerator(seed: seed)
            let history = History(userCount: 100, transactionCount: 900, using: &random)
            var events = history.events(using: &random)[...]
            while !events.isEmpty {
                try await bench.apply(Array(events.prefix(100)))
                events = events.dropFirst(100)
                guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
                // Worked out anew in the middle, they are what they were.
                let user = try #require(history.users.randomElement(using: &random))
                _ = try await bench.database.query(recount, user)
            }
            let wrong = try await bench.database.query(wrongCells)
            #expect(wrong.isEmpty, "seed \(seed)")
            let cells = try await bench.database.queryOne(cellCount)
            #expect((cells ?? 0) > 500, "seed \(seed)")
            try await bench.release()
            var told = 0
            for _ in 0..<30 {
                try await compareReports(history, bench, seed, &random)
                told += try await compareInsights(history, bench, seed, &random)
            }
            #expect(told > 0, "seed \(seed): all was suppressed")
        }
    }

    private func period(_ random: inout SeededGenerator) throws -> Period {
        let from = try #require(
            Day(daysSince1970: 19_475 + Int.random(in: 0..<40, using: &random))
        )
        let to = try #require(from.adding(days: Int.random(in: 0..<60, using: &random)))
        return try Period.ofReport(from: from, to: to, today: to)
    }

    private func scope(
        _ history: History,
        _ random: inout SeededGenerator
    ) throws -> ReportScope {
        let user = try #require(history.users.randomElement(using: &random))
        let group = try #require(history.groups.randomElement(using: &random))
        let isGroup = Int.random(in: 0..<3, using: &random) == 0
        let accounts = history.accounts[user]?.map(\.id) ?? []
        let categories =
            isGroup
            ? history.model.expenses[group]?.values.map(\.category).sorted() ?? []
            : history.categories[user] ?? []
        var scope = ReportScope(
            subject: isGroup ? .group(group) : .person(user),
            period: try period(&random),
            currency: try #require(History.currencies.randomElement(using: &random)),
            accounts: isGroup || Bool.random(using: &random) ? [] : Array(accounts.prefix(1)),
            categories: Bool.random(using: &random) ? [] : Array(categories.prefix(2))
        )
        if Int.random(in: 0..<4, using: &random) == 0 {
            scope.least = Int64.random(in: 0...500, using: &random)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            scope.most = Int64.random(in: 500...100_000, using: &random)
        }
        return scope
    }

    private func compareReports(
        _ history: History,
        _ bench: Bench,
        _ seed: UInt64,
        _ random: inout SeededGenerator
    ) async throws {
        let all = try scope(history, &random)
        for direction in [nil, .incoming, .outgoing] as [Direction?] {
            try await compareSummary(all.going(direction), history.model, bench, seed)
        }
        try await compareOverTime(all, history.model, bench, seed, &random)
        let expected = history.model.summary(all)
        for direction in Direction.allCases {
            let scope = all.going(direction)
            let report = try await bench.reports.categories(scope)
            let wanted = history.model.categories(scope).filter { $0.value.hasConverted }
            var flat: [CategoryID: Int128] = [:]
            var tops: [CategoryID: Int128] = [:]
            for item in report.items {
                tops[item.categoryID] = item.amount.minorUnits
                if item.parts.isEmpty { flat[item.categoryID] = item.amount.minorUnits }
                for part in item.parts { flat[part.categoryID] = part.amount.minorUnits }
                let sum = item.parts.reduce(0) { $0 + $1.amount.minorUnits }
                #expect(item.parts.isEmpty || sum == item.amount.minorUnits, "seed \(seed)")
                let tenths = item.parts.reduce(0) { $0 + self.tenths($1.percent) }
                #expect(item.parts.isEmpty || tenths == self.tenths(item.percent), "seed \(seed)")
            }
            #expect(flat == wanted.mapValues { $0.income + $0.expenses }, "seed \(seed): \(scope)")
            #expect(
                tops.filter { $0.value > 0 }
                    == history.model.tops(scope).mapValues { $0.income + $0.expenses }
                    .filter { $0.value > 0 },
                "seed \(seed)"
            )
            let whole = direction == .incoming ? expected.income : expected.expenses
            #expect(report.total.minorUnits == whole, "seed \(seed): \(scope)")
            let percent = report.items.reduce(0) { $0 + self.tenths($1.percent) }
            #expect(percent == (whole == 0 ? 0 : 1_000), "seed \(seed)")
            let amounts = report.items.map(\.amount.minorUnits)
            #expect(amounts == amounts.sorted(by: >), "seed \(seed)")
            try comparePrevious(report, scope, history.model, seed)
        }
    }

    private func tenths(_ percent: ExactDecimal) -> Int64 {
        percent.scale == 0 ? percent.coefficient * 10 : percent.coefficient
    }

    private func comparePrevious(
        _ report: CategoryReport,
        _ scope: ReportScope,
        _ model: Model,
        _ seed: UInt64
    ) throws {
        let period = try #require(scope.period.previous)
        let before = model.tops(scope.of(period)).mapValues { $0.income + $0.expenses }
        #expect(report.previous?.from == period.from && report.previous?.to == period.to)
        #expect(report.previous?.total.minorUnits == before.values.reduce(0, +), "seed \(seed)")
        for item in report.items {
            #expect(item.previous.minorUnits == before[item.categoryID] ?? 0, "seed \(seed)")
        }
    }

    private func compareSummary(
        _ scope: ReportScope,
        _ model: Model,
        _ bench: Bench,
        _ seed: UInt64
    ) async throws {
        let expected = model.summary(scope)
        let summary = try await bench.reports.summary(scope)
        #expect(summary.income.minorUnits == expected.income, "seed \(seed): \(scope)")
        #expect(summary.expenses.minorUnits == expected.expenses, "seed \(seed): \(scope)")
        #expect(summary.net.minorUnits == expected.income - expected.expenses, "seed \(seed)")
        #expect(summary.count == expected.count, "seed \(seed): \(scope)")
        let missing = Dictionary(
            uniqueKeysWithValues: summary.unconverted.map { ($0.currency, $0.minorUnits) }
        )
        #expect(missing == expected.missing, "seed \(seed): \(scope)")
        let before = model.summary(scope.of(try #require(scope.period.previous)))
        #expect(summary.previous?.income.minorUnits == before.income, "seed \(seed): \(scope)")
        #expect(summary.previous?.expenses.minorUnits == before.expenses, "seed \(seed): \(scope)")
    }

    /// Each point is the summary of its days, and all days have one.
    private func compareOverTime(
        _ scope: ReportScope,
        _ model: Model,
        _ bench: Bench,
        _ seed: UInt64,
        _ random: inout SeededGenerator
    ) async throws {
        let interval = try #require(ReportInterval.allCases.randomElement(using: &random))
        let report = try await bench.reports.trends(scope, by: interval, nil)
        let flow = try await bench.reports.cashFlow(scope, by: interval)
        let byCategory = try await bench.reports.trends(scope, by: interval, .category)
        let points = try #require(report.series.first).points
        #expect(points.first?.from == scope.period.from && points.last?.to == scope.period.to)
        var sum: Int128 = 0
        var series: [CategoryID: [Int128]] = [:]
        for (index, point) in points.enumerated() {
            let next = index + 1 < points.count ? points[index + 1].from : nil
            #expect(next == nil || point.to.adding(days: 1) == next, "seed \(seed)")
            #expect(Self.name(of: point.from, interval) == Self.name(of: point.to, interval))
            #expect(next.map { Self.name(of: $0, interval) } != Self.name(of: point.to, interval))
            let part = scope.of(Period(point.from, through: point.to))
            let expected = model.summary(part)
            #expect(point.income.minorUnits == expected.income, "seed \(seed): \(part)")
            #expect(point.expenses.minorUnits == expected.expenses, "seed \(seed): \(part)")
            sum += expected.income - expected.expenses
            #expect(flow.points[index].cumulative.minorUnits == sum, "seed \(seed): \(part)")
            for (top, sums) in model.tops(part) {
                series[top, default: points.map { _ in 0 }][index] = sums.income + sums.expenses
            }
        }
        #expect(flow.net.minorUnits == sum && flow.points.count == points.count, "seed \(seed)")
        var told: [CategoryID: [Int128]] = [:]
        for one in byCategory.series {
            told[try #require(one.categoryID)] = one.points.map {
                $0.income.minorUnits + $0.expenses.minorUnits
            }
        }
        let moved = series.filter { $0.value.contains { $0 != 0 } }
        #expect(told.filter { $0.value.contains { $0 != 0 } } == moved, "seed \(seed): \(scope)")
        #expect(byCategory.series.count >= moved.count, "seed \(seed)")
    }

    /// Which day, week or more a day is in, written another way than the service finds it.
    private static func name(of day: Day, _ interval: ReportInterval) -> String {
        let (year, month, _) = day.parts
        switch interval {
        case .day: return day.text
        case .week: return "\((Int(day.daysSince1970) + 3) / 7)"
        case .month: return "\(year) \(month)"
        case .quarter: return "\(year) \((month + 2) / 3)"
        case .year: return "\(year)"
        }
    }

    /// The key of the cell that one is told in: its country, and the first of the bands together.
    private func merged(_ key: [String?], _ dimensions: [SpendingDimension]) -> [String?] {
        var key = key
        if dimensions.contains(.area) { key[1] = key[1].map { String($0.prefix { $0 != "-" }) } }
        let first = ["25-34": "18-24", "45-54": "35-44", "65+": "55-64"]
        if dimensions.contains(.ageBand) { key[2] = key[2].map { first[$0] ?? $0 } }
        return key
    }

    /// Answers how many cells were told.
    private func compareInsights(
        _ history: History,
        _ bench: Bench,
        _ seed: UInt64,
        _ random: inout SeededGenerator
    ) async throws -> Int {
        let period = try period(&random)
        let query = SpendingQuery(
            from: period.from,
            to: period.to,
            groupBy: Array(
                SpendingDimension.allCases.shuffled(using: &random)
                    .prefix(Int.random(in: 0...2, using: &random))
            ),
            categories: Int.random(in: 0..<7, using: &random) > 0 ? [] : [.division(.food), .none],
            areas: Int.random(in: 0..<7, using: &random) > 0
                ? [] : [["IT"], ["IT-RM", "FR"], ["unknown"]].randomElement(using: &random) ?? [],
            ageBands: Int.random(in: 0..<7, using: &random) > 0 ? [] : [.from25, .unknown],
            months: Int.random(in: 0..<7, using: &random) > 0 ? [] : [period.from.month],
            accountKinds: Int.random(in: 0..<7, using: &random) > 0 ? [] : [.wallet, .current],
            currencies: Int.random(in: 0..<7, using: &random) > 0 ? [] : [.eur],
            direction: Bool.random(using: &random) ? .incoming : .outgoing,
            convertedTo: Bool.random(using: &random)
                ? .eur : try #require(History.currencies.randomElement(using: &random))
        )
        let scope = try InsightScope(query, today: period.to)
        let view = try await bench.insights.spending(query, by: .new())
        var expected: [[String?]: Model.Figures] = [:]
        for (key, figures) in history.model.insights(scope, in: view.months.map(\.month)) {
            let key = merged(key, view.merged)
            expected[key, default: Model.Figures()].parts.merge(figures.parts) { $0 + $1 }
            expected[key, default: Model.Figures()].users.formUnion(figures.users)
        }
        var seen: Set<[String?]> = []
        // Of months, or of values of a filter that the answer is not grouped by.
        let isSum =
            view.months.count > 1 && !scope.groupBy.contains(.month)
            || CubeTables.dimensions.contains { (scope.summands(of: $0)?.count ?? 0) > 1 }
        for cell in view.cells {
            let key = [
                cell.category?.word, cell.area,
                cell.ageBands?.first?.rawValue ?? cell.ageBand?.rawValue, cell.month?.text,
                cell.accountKind?.rawValue, cell.currency?.code,
            ]
            let isNew = seen.insert(key).inserted
            #expect(isNew, "seed \(seed): \(key) twice")
            guard !cell.isSuppressed else {
                #expect(cell.total == nil && cell.users == nil && cell.median == nil)
                continue
            }
            let figures = try #require(expected[key], "seed \(seed): \(key)")
            #expect(figures.users.count >= Bench.usersMin, "seed \(seed): \(key)")
            #expect(cell.users == (isSum ? nil : figures.users.count), "seed \(seed): \(key)")
            let sorted = figures.amounts
            #expect(cell.count == sorted.count, "seed \(seed): \(key)")
            func told(_ amount: Int128, _ part: [String]) -> Int128 {
                let month = part.lazy.compactMap { Month($0) }.first ?? period.from.month
                return Model.told(amount, of: month, in: query.convertedTo)
            }
            let total = figures.parts.reduce(0) { $0 + told($1.value.reduce(0, +), $1.key) }
            #expect(cell.total?.minorUnits == total, "seed \(seed): \(key)")
            let part = figures.parts.keys.first ?? []
            let middle =
                told(sorted[(sorted.count - 1) / 2], part) + told(sorted[sorted.count / 2], part)
            let median = Model.halfEven(middle, over: 2)
            #expect(cell.median?.minorUnits == (isSum ? nil : median), "seed \(seed): \(key)")
            let ninth = told(sorted[(sorted.count * 9 + 9) / 10 - 1], part)
            #expect(cell.p90?.minorUnits == (isSum ? nil : ninth), "seed \(seed): \(key)")
            let mean = Model.halfEven(total, over: Int128(sorted.count))
            #expect(cell.mean?.minorUnits == mean, "seed \(seed): \(key)")
        }
        // Of open sets, what is not told is not listed.
        if !scope.groupBy.contains(.area), !scope.groupBy.contains(.currency) {
            let missing = expected.keys.filter { !seen.contains($0) }
            #expect(missing.isEmpty, "seed \(seed): \(missing)")
        }
        return view.cells.count { !$0.isSuppressed }
    }
}
