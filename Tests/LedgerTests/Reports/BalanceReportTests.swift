import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Balances over time, against rows that are added up beside the books.
@Suite struct BalanceReportTests {
    private static func reader(_ books: Books) -> BalanceReader {
        BalanceReader(
            database: books.service,
            rates: .shared,
            blocking: BlockingPool(threads: 1, queueMax: 4)
        )
    }

    @Test(arguments: ledgerSeeds)
    func balancesAreThoseOfAModelThatAddsRows(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var model = try await ReportModel(books, seed: seed)
            for step in 0..<240 {
                let note: Comment = "seed \(seed), step \(step)"
                try await model.step(note)
                guard step % 4 == 3 else { continue }
                let (one, other) = (try model.someDay(), try model.someDay())
                let some = model.wallets.shuffled(using: &model.chance)
                    .prefix([0, 0, 1, 3, 6].randomElement(using: &model.chance) ?? 0)
                let query = BalanceReportQuery(
                    from: min(one, other),
                    to: max(one, other),
                    interval: try #require(
                        ReportInterval.allCases.randomElement(using: &model.chance)
                    ),
                    currency: [nil, .usd, .jpy].randomElement(using: &model.chance) ?? nil,
                    accountIDs: some.map(\.id)
                )
                var reader = Self.reader(books)
                // The sums of ended months are kept, or are not.
                reader.linesMin = [0, 0, .max].randomElement(using: &model.chance) ?? 0
                let report = try await reader.report(
                    query,
                    of: model.subject(today: try model.someDay())
                )
                try Self.check(report, query, model, note)
            }
            try await books.check("seed \(seed)")
        }
    }

    private static func check(
        _ report: BalanceReport,
        _ query: BalanceReportQuery,
        _ model: ReportModel,
        _ note: Comment
    ) throws {
        let wallets = model.wallets.filter {
            query.accountIDs.isEmpty ? $0.isOwn : query.accountIDs.contains($0.id)
        }
        let from = try #require(query.from)
        #expect(report.points.first?.from == from && report.points.last?.to == query.to, note)
        let ends = [try #require(from.adding(days: -1))] + report.points.map(\.to)
        #expect(Set(report.accounts.map(\.accountID)) == Set(wallets.map(\.id)), note)
        for account in report.accounts {
            #expect(
                ([account.opening] + account.balances).map(\.minorUnits)
                    == ends.map { model.balance(account.accountID, endOf: $0) },
                note
            )
        }
        let currency = query.currency ?? model.person.currency
        for (end, point) in zip(ends, [report.opening] + report.points) {
            var sum: Int128 = 0
            var apart: [Currency: Int128] = [:]
            for (own, wallets) in Dictionary(grouping: wallets, by: \.currency) {
                let held = wallets.reduce(Int128(0)) { $0 + model.balance($1.id, endOf: end) }
                if let shown = model.shown(held, own, in: currency, on: end) {
                    sum += shown
                } else if held != 0 {
                    apart[own] = held
                }
            }
            #expect(point.to == end, note)
            #expect(point.balance == Total(minorUnits: sum, currency), note)
            let told = point.unconverted.map { ($0.currency, $0.minorUnits) }
            #expect(Dictionary(uniqueKeysWithValues: told) == apart, note)
        }
        for one in report.currencies {
            let own = wallets.filter { $0.currency == one.currency }
            #expect(
                ([one.opening] + one.balances).map(\.minorUnits)
                    == ends.map { end in own.reduce(0) { $0 + model.balance($1.id, endOf: end) } },
                note
            )
        }
    }

    @Test func morePointsOrBalancesThanAnAnswerHoldsAreRefused() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let person = try #require(try await books.service.queryOne(PeopleStatements.find, ada))
            let subject = ReportSubject(
                user: ada,
                person: person,
                today: someDay,
                isOfChild: false
            )
            func report(_ days: Int, _ interval: ReportInterval) async throws -> BalanceReport {
                try await Self.reader(books).report(
                    BalanceReportQuery(
                        from: someDay.adding(days: 1 - days),
                        to: someDay,
                        interval: interval
                    ),
                    of: subject
                )
            }
            // Without an account it is empty, and valid.
            let empty = try await report(1_000, .day)
            #expect(empty.points.count == 1_000 && empty.accounts.isEmpty)
            #expect(empty.points.allSatisfy { $0.balance == .zero(.eur) })
            let points = await #expect(throws: APIError.self) { try await report(1_001, .day) }
            #expect(points?.errors.map(\.pointer) == ["query:interval"])
            _ = try await report(1_001, .week)
            for _ in 0..<6 { _ = try await books.account(of: ada, .wallet) }
            let balances = await #expect(throws: APIError.self) { try await report(1_000, .day) }
            #expect(balances?.errors.map(\.pointer) == ["query:accountId"])
            #expect(try await report(833, .day).accounts.count == 6)
        }
    }

    @Test func whatClosedCountsAsLongAsItHeldSomething() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let person = try #require(try await books.service.queryOne(PeopleStatements.find, ada))
            let (open, gone) = try await (
                books.account(of: ada, .wallet), books.account(of: ada, .wallet)
            )
            for (offset, amount) in [(0, Int64(500)), (3, -500)] {
                var posting = Posting.record(amount, on: gone, by: ada)
                posting.day = someDay.adding(days: offset)
                _ = try await books.service.post([posting])
            }
            try await books.owner.execute(closeAccount, gone)
            let subject = ReportSubject(
                user: ada,
                person: person,
                today: someDay,
                isOfChild: false
            )
            func accounts(_ offset: Int, _ some: [ID<Account>] = []) async throws -> [ID<Account>] {
                let day = try #require(someDay.adding(days: offset))
                return try await Self.reader(books).report(
                    BalanceReportQuery(from: day, to: day, accountIDs: some),
                    of: subject
                ).accounts.map(\.accountID)
            }
            #expect(try await Set(accounts(1)) == [open, gone])
            #expect(try await Set(accounts(3)) == [open, gone])
            #expect(try await accounts(4) == [open])
            #expect(try await accounts(4, [gone]) == [gone])
        }
    }
}
