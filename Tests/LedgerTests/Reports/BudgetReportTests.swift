import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// The use of envelopes is what each month's envelopes tell by themselves.
@Suite struct BudgetReportTests {
    @Test(arguments: ledgerSeeds)
    func everyMonthIsAsItsEnvelopesTellIt(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var model = try await ReportModel(books, seed: seed)
            let store = BudgetStore(
                database: books.service,
                people: People(database: books.service, relayBell: RelayBell()),
                rates: .shared,
                blocking: BlockingPool(threads: 1, queueMax: 4)
            )
            for step in 0..<120 {
                let note: Comment = "seed \(seed), step \(step)"
                try await model.step(note)
                let category = try #require(model.categories.randomElement(using: &model.chance))
                if step % 9 == 0 {
                    let month = try model.someDay().month
                    let amount = Int64.random(in: -900...9_000, using: &model.chance)
                    try await store.read(model.ada) { reader, transaction in
                        try await reader.allocate(amount, to: category, in: month, transaction)
                    }
                }
                guard step % 6 == 5 else { continue }
                let (one, other) = (try model.someDay(), try model.someDay())
                let query = BudgetReportQuery(
                    from: min(one, other),
                    to: max(one, other),
                    categoryIDs: Bool.random(using: &model.chance) ? [category] : []
                )
                let report = try await BudgetReportReader(budgets: store).report(
                    query,
                    of: model.subject(today: max(one, other))
                )
                let count = query.categoryIDs.isEmpty ? model.categories.count : 1
                #expect(report.items.count == count, note)
                try await Self.check(report, query, store, model.ada, note)
            }
        }
    }

    private static func check(
        _ report: BudgetReport,
        _ query: BudgetReportQuery,
        _ store: BudgetStore,
        _ user: ID<User>,
        _ note: Comment
    ) async throws {
        let (from, to) = (try #require(query.from), try #require(query.to))
        var months: [Month] = []
        var month = from.month
        while month <= to.month {
            months.append(month)
            month = try #require(month.adding(1))
        }
        #expect(report.months.map(\.month) == months, note)
        #expect(report.from == from.month.firstDay && report.to == to.month.lastDay, note)
        var spent: [CategoryID: (now: Int128, before: Int128)] = [:]
        for (index, month) in months.enumerated() {
            let before = try #require(month.adding(-months.count))
            let (page, earlier) = try await (
                store.page(BudgetQuery(month: month), of: user),
                store.page(BudgetQuery(month: before), of: user)
            )
            let own = page.items.filter { one in
                report.items.contains { $0.categoryID == one.categoryID }
            }
            #expect(report.items.map { $0.months[index] } == own, note)
            let sums = [
                own.map(\.rolledOver), own.map(\.allocated), own.map(\.spent), own.map(\.available),
            ].map { $0.reduce(Int128(0)) { $0 + $1.minorUnits } }
            let told = report.months[index]
            #expect(
                [told.rolledOver, told.allocated, told.spent, told.available].map(\.minorUnits)
                    == sums,
                note
            )
            for one in page.items {
                spent[one.categoryID, default: (0, 0)].now += one.spent.minorUnits
            }
            for one in earlier.items {
                spent[one.categoryID, default: (0, 0)].before += one.spent.minorUnits
            }
        }
        for item in report.items {
            #expect(item.spent.minorUnits == spent[item.categoryID]?.now, note)
            #expect(item.previous.minorUnits == spent[item.categoryID]?.before, note)
        }
        let shown = report.items.map(\.categoryID).compactMap { spent[$0] }
        #expect(report.spent.minorUnits == shown.reduce(0) { $0 + $1.now }, note)
        #expect(report.previous.minorUnits == shown.reduce(0) { $0 + $1.before }, note)
    }
}
