import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import ServiceKit

/// Those who look after envelopes behind the writes.
@Suite struct BudgetWatchTests {
    /// What a test needs of one person.
    private struct Scene {
        let books: Books
        let watch: BudgetWatch
        let user: ID<User>
        let wallet: ID<Account>
        let food: CategoryID

        func record(_ amount: Int64, daysAgo: Int = 0) async throws -> ID<MoneyTransaction> {
            var posting = Posting.record(amount, on: wallet, by: user)
            posting.category = food
            posting.day = Day.utc(.now()).adding(days: -daysAgo)
            let outcomes = try await books.service.post([posting])
            #expect(outcomes.map(\.status) == [.posted])
            return try #require(posting.transaction)
        }

        func remove(_ id: ID<MoneyTransaction>) async throws {
            let row = try #require(
                try await books.service.queryOne(TransactionStatements.find(id, for: user))?.row
            )
            let outcomes = try await books.service.post([
                Posting(reversing: row, .init(of: user), by: user)
            ])
            #expect(outcomes.map(\.status) == [.posted])
        }

        func allocate(_ amount: Int64) async throws -> Envelope {
            try await watch.store.read(user) { reader, transaction in
                let month = reader.currentMonth
                try await reader.allocate(amount, to: food, in: month, transaction)
                let found = try await reader.envelopes(of: [food], in: month, transaction)
                let envelope = try #require(found.first)
                try await reader.note(envelope, cause: .transfer, in: transaction)
                return envelope
            }
        }

        /// Lets them look, as their workers do, until they have seen all; how often was told.
        ///
        /// They wait for whoever writes anywhere in the cluster, other tests among them.
        func told() async throws -> Int64 {
            for _ in 0..<3_000 {
                while try await watch.lookThrough() {}
                guard try await books.count(unseen) > 0 else { break }
                try await books.service.loop.sleep(nanoseconds: 10_000_000)
            }
            return try await toldByNow()
        }

        func toldByNow() async throws -> Int64 {
            while try await watch.lookThrough() {}
            while try await watch.lookAtOne() {}
            return try await books.count(eventCount)
        }
    }

    private func scene(_ books: Books, _ actor: isolated LoopActor) async throws -> Scene {
        let user = try await books.person()
        let bell = RelayBell()
        let people = People(database: books.service, relayBell: bell)
        let store = BudgetStore(
            database: books.service,
            people: people,
            rates: .shared,
            blocking: BlockingPool(threads: 1, queueMax: 4)
        )
        return Scene(
            books: books,
            watch: BudgetWatch(store: store, relayBell: bell),
            user: user,
            wallet: try await books.account(of: user, .wallet),
            food: try await books.category(of: user, "Food")
        )
    }

    @Test func eachCrossingIsToldOnce() async throws {
        try await LedgerRig().run { actor, books in
            let scene = try await scene(books, actor)
            // Without an envelope there is nothing to exceed.
            _ = try await scene.record(-500)
            #expect(try await scene.told() == 0)
            #expect(try await scene.allocate(1_000).available.minorUnits == 500)
            #expect(try await scene.told() == 0)
            _ = try await scene.record(-500)
            #expect(try await scene.told() == 0)
            let last = try await scene.record(-1)
            #expect(try await scene.told() == 1)
            _ = try await scene.record(-100)
            #expect(try await scene.told() == 1)
            // Taken back and spent again is another crossing.
            try await scene.remove(last)
            #expect(try await scene.told() == 1)
            _ = try await scene.allocate(100)
            #expect(try await scene.told() == 1)
            _ = try await scene.record(-1)
            #expect(try await scene.told() == 2)
            // Taken out of it so that less than nothing is left: told in the call itself.
            _ = try await scene.allocate(1)
            #expect(try await scene.allocate(-50).available.minorUnits == -50)
            #expect(try await scene.told() == 3)
        }
    }

    @Test func whatIsEditedOrMovedCountsToo() async throws {
        try await LedgerRig().run { actor, books in
            let scene = try await scene(books, actor)
            let other = try await books.category(of: scene.user, "Other")
            _ = try await scene.allocate(1_000)
            let id = try await scene.record(-1_500)
            #expect(try await scene.told() == 1)
            let row = try #require(
                try await books.service.queryOne(
                    TransactionStatements.find(id, for: scene.user)
                )?.row
            )
            // Into another category, and back again.
            _ = try await books.service.post([
                Posting(revising: row, .init(of: scene.user), by: scene.user)
                    .moving(scene.food, to: other)
            ])
            #expect(try await scene.told() == 1)
            let moved = try #require(
                try await books.service.queryOne(
                    TransactionStatements.find(id, for: scene.user)
                )?.row
            )
            _ = try await books.service.post([
                Posting(revising: moved, .init(of: scene.user), by: scene.user)
                    .moving(other, to: scene.food)
            ])
            #expect(try await scene.told() == 2)
        }
    }

    /// Ids of transactions alone commit late: what began before others and ends behind them.
    @Test func whatCommitsLateIsSeen() async throws {
        try await LedgerRig().run { actor, books in
            let scene = try await scene(books, actor)
            _ = try await scene.allocate(100)
            let bound = LoopBound(scene, to: actor)
            let steps = Steps(on: actor.loop)
            let late = actor.spawn { actor in
                let scene = bound.on(actor)
                do {
                    try await scene.books.service.transaction { transaction in
                        var posting = Posting.record(-101, on: scene.wallet, by: scene.user)
                        posting.category = scene.food
                        posting.day = .utc(.now())
                        _ = try await transaction.post([posting])
                        steps.isHeld.resume(returning: ())
                        try await steps.release.value()
                    }
                } catch { Issue.record("\(error)") }
            }
            try await steps.isHeld.value()
            let user = try await books.person()
            let wallet = try await books.account(of: user, .wallet)
            for _ in 0..<5 {
                _ = try await books.service.post([.record(-1, on: wallet, by: user)])
                #expect(try await scene.toldByNow() == 0)
            }
            steps.release.resume(returning: ())
            await late.value
            #expect(try await scene.told() == 1)
        }
    }

    /// Two at once, over random crossings and with their connections killed: each is told once.
    @Test(arguments: ledgerSeeds)
    func twoWhoLookTellOnce(seed: UInt64) async throws {
        try await LedgerRig().run { actor, books in
            var random = SeededGenerator(seed: seed)
            let scene = try await scene(books, actor)
            let bound = LoopBound(scene, to: actor)
            _ = try await scene.allocate(1_000)
            var spent: [ID<MoneyTransaction>] = []
            var wanted: Int64 = 0
            var over = false
            for _ in 0..<14 {
                if over, Bool.random(using: &random) {
                    for id in spent { try await scene.remove(id) }
                    spent = []
                    over = false
                } else {
                    spent.append(try await scene.record(-1_001))
                    if !over { wanted += 1 }
                    over = true
                }
                let kills = Int.random(in: 0...2, using: &random)
                await atOnce(3, on: actor) { actor, number in
                    let scene = bound.on(actor)
                    for _ in 0..<6 {
                        if number == 2 {
                            if kills > 0 { await scene.books.cutService() }
                            return
                        }
                        do {
                            while try await scene.watch.lookThrough() {}
                            while try await scene.watch.lookAtOne() {}
                        } catch { continue }
                    }
                }
                var count: Int64 = -1
                for _ in 0..<20 where count < 0 { count = (try? await scene.told()) ?? -1 }
                #expect(count == wanted, "seed \(seed)")
            }
        }
    }
}

private let eventCount = Statement(
    "select count(*) from ledger.outbox where type = 'wallet.budget.exceeded.v1'"
) { row in try row.int64(0) }
private let unseen = Statement(
    """
    select count(*) from ledger.entry
    where place > (select mark from ledger.budget_watch)
    """
) { row in try row.int64(0) }
