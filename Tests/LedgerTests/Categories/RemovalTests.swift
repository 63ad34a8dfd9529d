import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import ServiceKit

/// Categories that are taken away with more in them than one call may carry.
@Suite struct RemovalTests {
    /// Many transactions in a category, by amounts.
    private func fill(
        _ books: Books,
        _ account: ID<Account>,
        of user: ID<User>,
        _ category: CategoryID,
        _ amounts: [Int64]
    ) async throws {
        var rest = amounts[...]
        while !rest.isEmpty {
            let postings = rest.prefix(500).map { amount in
                var posting = Posting.record(amount, on: account, by: user)
                posting.category = category
                return posting
            }
            rest = rest.dropFirst(500)
            let outcomes = try await books.service.post(postings)
            #expect(outcomes.allSatisfy { $0.status == .posted })
        }
    }

    private func sweep(_ books: Books) async throws {
        let sweep = CategorySweep(database: books.service, relayBell: RelayBell())
        while try await sweep.sweepOne() {}
    }

    @Test func manyGoToOthersBehindTheCall() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let wallet = try await books.account(of: ada, .wallet)
            let food = try await books.category(of: ada, "Food")
            try await fill(books, wallet, of: ada, food, Array(repeating: -1, count: 1_300))
            let contents = CategoryContents(category: food, owner: ada)
            try await contents.remove(deleting: false, ifMatch: nil, in: books.service)
            // The name is free, nothing has gone yet, and none is lost on the way.
            #expect(try await books.service.queryOne(CategoryStatements.find, ada, food) == nil)
            #expect(try await books.categories().map(\.count) == [1_300])
            try await sweep(books)
            #expect(try await books.categories().map(\.count) == [1_300])
            #expect(try await books.categories().map(\.isDefault) == [true])
            #expect(try await books.balance(wallet) == -1_300)
            // What was under way is looked for once more, then it is done with.
            try await books.owner.execute(longAgo)
            try await fill(books, wallet, of: ada, food, [])
            try await sweep(books)
            #expect(try await books.count(unswept) == 0)
            try await books.check()
        }
    }

    @Test func manyAreDeletedBehindTheCallThroughKills() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let wallet = try await books.account(of: ada, .wallet, holding: 77)
            let food = try await books.category(of: ada, "Food")
            try await fill(books, wallet, of: ada, food, (0..<1_700).map { $0 % 7 - 3 })
            let contents = CategoryContents(category: food, owner: ada)
            try await contents.remove(deleting: true, ifMatch: nil, in: books.service)
            let bound = LoopBound(books, to: actor)
            await atOnce(3, on: actor) { actor, number in
                let books = bound.on(actor)
                let sweep = CategorySweep(
                    database: books.service,
                    relayBell: RelayBell()
                )
                for _ in 0..<8 {
                    if number == 2 {
                        await books.cutService()
                        try? await books.service.loop.sleep(nanoseconds: 20_000_000)
                    } else {
                        do { while try await sweep.sweepOne() {} } catch { continue }
                    }
                }
            }
            try await books.owner.execute(now)
            try await sweep(books)
            #expect(try await books.balance(wallet) == 77)
            #expect(try await books.categories().map(\.count) == [1])
            try await books.check()
        }
    }

    @Test func aDeletionThatWouldOverdrawIsRefusedWholeHoweverLargeItIs() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .current)
            let pay = try await books.category(of: ada, "Pay")
            try await fill(books, account, of: ada, pay, Array(repeating: 10, count: 600))
            _ = try await books.service.post([.record(-1, on: account, by: ada)])
            let contents = CategoryContents(category: pay, owner: ada)
            await #expect(throws: APIError.self) {
                try await contents.remove(deleting: true, ifMatch: nil, in: books.service)
            }
            #expect(try await books.service.queryOne(CategoryStatements.find, ada, pay) != nil)
            #expect(try await books.balance(account) == 5_999)
            // With that cent back it can go.
            _ = try await books.service.post([.record(1, on: account, by: ada)])
            try await contents.remove(deleting: true, ifMatch: nil, in: books.service)
            try await sweep(books)
            #expect(try await books.balance(account) == 0)
            try await books.check()
        }
    }

    /// Lines say less than the whole may be: what would not fit in one is in «Others» as a whole.
    @Test func linesThatDoNotFitInOneBecomeTheWhole() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let wallet = try await books.account(of: ada, .wallet)
            let food = try await books.category(of: ada, "Food")
            let fun = try await books.category(of: ada, "Fun")
            let others = try #require(
                try await books.service.queryOne(CategoryStatements.others, ada)
            )
            var posting = Posting.record(.max, on: wallet, by: ada)
            posting.lines = [
                Posting.Line(category: food, amount: .max),
                Posting.Line(category: fun, amount: -.max),
                Posting.Line(category: others, amount: .max),
            ]
            let outcomes = try await books.service.post([posting])
            #expect(outcomes.map(\.status) == [.posted])
            let contents = CategoryContents(category: food, owner: ada)
            try await contents.remove(deleting: false, ifMatch: nil, in: books.service)
            try await sweep(books)
            #expect(try await books.categories().map(\.isDefault) == [true])
            #expect(try await books.count(currentLines) == 0)
            #expect(try await books.balance(wallet) == .max)
            try await books.check()
        }
    }

    /// What is spent while they go cannot be taken back: it stays, in «Others».
    @Test func whatCannotGoAnyMoreStaysInOthers() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .current)
            let pay = try await books.category(of: ada, "Pay")
            try await fill(books, account, of: ada, pay, Array(repeating: 10, count: 600))
            let contents = CategoryContents(category: pay, owner: ada)
            try await contents.remove(deleting: true, ifMatch: nil, in: books.service)
            _ = try await books.service.post([.record(-995, on: account, by: ada)])
            try await sweep(books)
            #expect(try await books.balance(account) == 5)
            // 100 incomes stand, and what was spent.
            #expect(try await books.categories().map(\.count) == [101])
            try await books.check()
        }
    }
}

extension Books {
    /// How many transactions stand in each category.
    fileprivate func categories() async throws -> [(count: Int64, isDefault: Bool)] {
        try await owner.query(byCategory)
    }
}

private let byCategory = Statement(
    """
    select count(*), c.is_default from ledger.money_transaction as t
    join ledger.category as c on c.id = t.category_id
    where t.reversed_by is null
    group by c.id
    order by c.id
    """
) { row in try (count: row.int64(0), isDefault: row.bool(1)) }
private let currentLines = Statement(
    "select count(*) from ledger.transaction_line where is_current"
) { row in try row.int64(0) }
private let longAgo = Statement<Void>(
    """
    update ledger.category set deleted_at = now() - interval '1 minute', sweep_at = now()
    where deleted_at is not null
    """
)
private let now = Statement<Void>(
    "update ledger.category set sweep_at = now() where deleted_at is not null"
)
private let unswept = Statement(
    "select count(*) from ledger.category where deleted_at is not null and swept_at is null"
) { row in try row.int64(0) }
