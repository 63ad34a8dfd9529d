import Foundation
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

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
            }
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

    private func compareReports(
        _ history: History,
        _ bench: Bench,
        _ seed: UInt64,
        _ random: inout SeededGenerator
    ) async throws {
        let user = try #require(history.users.randomElement(using: &random))
        let accounts = history.accounts[user]?.map(\.id) ?? []
        let categories = history.categories[user] ?? []
        let scope = ReportScope(
            user: user,
            period: try period(&random),
            currency: try #require(History.currencies.randomElement(using: &random)),
            accounts: Bool.random(using: &random) ? [] : Array(accounts.prefix(1)),
            categories: Bool.random(using: &random) ? [] : Array(categories.prefix(2))
        )
        let expected = history.model.summary(scope)
        let summary = try await bench.reports.summary(scope)
        #expect(summary.income.minorUnits == expected.income, "seed \(seed): \(scope)")
        #expect(summary.expenses.minorUnits == expected.expenses, "seed \(seed): \(scope)")
        #expect(summary.net.minorUnits == expected.income - expected.expenses, "seed \(seed)")
        #expect(summary.count == expected.count, "seed \(seed): \(scope)")
        let missing = Dictionary(
            uniqueKeysWithValues: summary.unconverted.map { ($0.currency, $0.minorUnits) }
        )
        #expect(missing == expected.missing, "seed \(seed): \(scope)")

        for direction in Direction.allCases {
            let report = try await bench.reports.categories(scope, direction)
            let totals = Dictionary(
                uniqueKeysWithValues: report.items.map { ($0.categoryID, $0.amount.minorUnits) }
            )
            let wanted = history.model.categories(scope, direction)
            #expect(
                totals.filter { $0.value > 0 } == wanted.filter { $0.value > 0 },
                "seed \(seed)"
            )
            let whole = direction == .incoming ? expected.income : expected.expenses
            #expect(report.total.minorUnits == whole, "seed \(seed): \(scope)")
            let amounts = report.items.map(\.amount.minorUnits)
            #expect(amounts == amounts.sorted(by: >), "seed \(seed)")
        }
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
        let expected = history.model.insights(scope)
        let view = try await bench.insights.spending(query, by: .new())
        var seen: Set<[String?]> = []
        for cell in view.cells {
            let key = [
                cell.category?.word, cell.area, cell.ageBand?.rawValue, cell.month?.text,
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
            #expect(cell.users == figures.users.count, "seed \(seed): \(key)")
            #expect(cell.count == figures.amounts.count, "seed \(seed): \(key)")
            let total = figures.amounts.reduce(0, +)
            #expect(cell.total?.minorUnits == total, "seed \(seed): \(key)")
            let sorted = figures.amounts.sorted()
            let middle = sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]
            let median = Model.halfEven(middle, over: 2)
            #expect(cell.median?.minorUnits == median, "seed \(seed): \(key)")
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
