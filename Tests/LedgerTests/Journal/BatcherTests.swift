import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Requests gathered into calls, while accounts are held and connections die.
@Suite struct BatcherTests {
    @Test func whatIsAskedAtOnceIsPostedAndAnsweredEachByItself() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let rich = try await books.account(of: ada, holding: 500)
            let other = try await books.account(of: ada)
            let rig = BatcherRig(books, on: actor)
            let tally = Tally()
            await atOnce(600, on: actor) { actor, _ in
                let rig = rig.on(actor)
                do {
                    _ = try await rig.batcher.post(
                        .transfer(1, from: rich, to: other, by: ada)
                    )
                    tally.count += 1
                } catch let error as APIError {
                    #expect(error.code == .insufficientFunds)
                } catch { Issue.record("\(error)") }
            }
            await rig.on(actor).end()
            #expect(tally.count == 500)
            #expect(try await books.balance(other) == 500)
            try await books.check()
        }
    }

    @Test func anAccountThatIsHeldHoldsUpNoneOfAHundred() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let held = try await books.account(of: ada, holding: 500)
            let other = try await books.account(of: ada)
            var pairs: [(ID<Account>, ID<Account>)] = []
            for _ in 0..<100 {
                pairs.append(
                    (
                        try await books.account(of: ada, holding: 10),
                        try await books.account(of: ada)
                    )
                )
            }
            let rig = BatcherRig(books, on: actor)
            let bound = LoopBound(books, to: actor)
            let steps = Steps(on: actor.loop)
            let holder = actor.spawn { actor in
                do {
                    try await bound.on(actor).owner.transaction { transaction in
                        try await transaction.execute(lockBalance, held)
                        steps.isHeld.resume(returning: ())
                        try await steps.release.value()
                    }
                } catch { Issue.record("\(error)") }
            }
            try await steps.isHeld.value()
            let slow = actor.spawn { actor in
                do {
                    _ = try await rig.on(actor).batcher.post(
                        .transfer(1, from: held, to: other, by: ada)
                    )
                    steps.slowIsDone = true
                } catch { Issue.record("\(error)") }
            }
            let made = pairs
            await atOnce(100, on: actor) { actor, index in
                do {
                    _ = try await rig.on(actor).batcher.post(
                        .transfer(10, from: made[index].0, to: made[index].1, by: ada)
                    )
                } catch { Issue.record("\(error)") }
            }
            // The hundred are through, while the account is held and its transfer waits.
            #expect(!steps.slowIsDone)
            // Longer than the second lane's own patience: it comes again.
            try await actor.loop.sleep(nanoseconds: 1_500_000_000)
            #expect(!steps.slowIsDone)
            steps.release.resume(returning: ())
            await holder.value
            await slow.value
            #expect(steps.slowIsDone)
            #expect(try await books.balance(other) == 1)
            await rig.on(actor).end()
            try await books.check()
        }
    }

    /// However many wait for an account that is held, whoever waits for another waits no longer.
    @Test func theSecondLaneIsNotHeldUpByOneAccount() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let held = try await books.account(of: ada, holding: 500)
            let brief = try await books.account(of: ada, holding: 500)
            let other = try await books.account(of: ada)
            let rig = BatcherRig(books, on: actor)
            let bound = LoopBound(books, to: actor)
            let (long, short) = (Steps(on: actor.loop), Steps(on: actor.loop))
            let holders = [(held, long), (brief, short)].map { account, steps in
                actor.spawn { actor in
                    do {
                        try await bound.on(actor).owner.transaction { transaction in
                            try await transaction.execute(lockBalance, account)
                            steps.isHeld.resume(returning: ())
                            try await steps.release.value()
                        }
                    } catch { Issue.record("\(error)") }
                }
            }
            try await long.isHeld.value()
            try await short.isHeld.value()
            let accounts = Array(repeating: held, count: 20) + [brief]
            let waiting = accounts.map { account in
                actor.spawn { actor in
                    do {
                        _ = try await rig.on(actor).batcher.post(
                            .transfer(1, from: account, to: other, by: ada)
                        )
                        if account == brief { short.slowIsDone = true }
                    } catch { Issue.record("\(error)") }
                }
            }
            try await actor.loop.sleep(nanoseconds: 200_000_000)
            short.release.resume(returning: ())
            let end = monotonicNanoseconds() + 8_000_000_000
            while !short.slowIsDone, monotonicNanoseconds() < end {
                try await actor.loop.sleep(nanoseconds: 20_000_000)
            }
            #expect(short.slowIsDone)
            long.release.resume(returning: ())
            for task in holders + waiting { await task.value }
            #expect(try await books.balance(other) == 21)
            await rig.on(actor).end()
            try await books.check()
        }
    }

    /// Whoever meets another call's lock for a moment does not stand behind who waits for long.
    @Test func whoIsBrieflyBusyIsNotHeldUpByWhoWaits() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let held = try await books.account(of: ada, holding: 500)
            let brief = try await books.account(of: ada, holding: 500)
            let other = try await books.account(of: ada)
            let rig = BatcherRig(books, on: actor)
            let bound = LoopBound(books, to: actor)
            let long = Steps(on: actor.loop)
            let holder = actor.spawn { actor in
                do {
                    try await bound.on(actor).owner.transaction { transaction in
                        try await transaction.execute(lockBalance, held)
                        long.isHeld.resume(returning: ())
                        try await long.release.value()
                    }
                } catch { Issue.record("\(error)") }
            }
            try await long.isHeld.value()
            let waiting = actor.spawn { actor in
                do {
                    _ = try await rig.on(actor).batcher.post(
                        .transfer(1, from: held, to: other, by: ada)
                    )
                } catch { Issue.record("\(error)") }
            }
            try await actor.loop.sleep(nanoseconds: 100_000_000)
            // Behind the one that waits, most of them would take half a second and more.
            var took: [UInt64] = []
            for _ in 0..<9 {
                let begin = monotonicNanoseconds()
                let short = Steps(on: actor.loop)
                let locked = actor.spawn { actor in
                    do {
                        try await bound.on(actor).owner.transaction { transaction in
                            try await transaction.execute(lockBalance, brief)
                            short.isHeld.resume(returning: ())
                            try await actor.loop.sleep(nanoseconds: 3_000_000)
                        }
                    } catch { Issue.record("\(error)") }
                }
                try await short.isHeld.value()
                _ = try await rig.on(actor).batcher.post(
                    .transfer(1, from: brief, to: other, by: ada)
                )
                took.append(monotonicNanoseconds() - begin)
                await locked.value
            }
            #expect(took.sorted()[4] < 400_000_000)
            long.release.resume(returning: ())
            await holder.value
            await waiting.value
            #expect(try await books.balance(other) == 10)
            await rig.on(actor).end()
            try await books.check()
        }
    }

    @Test func longDescriptionsMakeShortCalls() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let one = try await books.account(of: ada, .wallet)
            let long = String(repeating: "𝄞", count: 2_000)
            let queue = PostingQueue(on: actor.loop)
            for _ in 0..<300 {
                var posting = Posting.record(1, on: one, by: ada)
                posting.description = long
                queue.append(PostingQueue.Item([posting], on: actor.loop))
            }
            #expect(queue.bytes > 300 * 8_000)
            var counts: [Int] = []
            while queue.count > 0 {
                let items = queue.take()
                #expect(items.reduce(0) { $0 + $1.bytes } <= PostingQueue.callBytesMax)
                counts.append(items.count)
            }
            #expect(counts.reduce(0, +) == 300)
            #expect(counts.allSatisfy { $0 > 100 || $0 == counts.last })
            #expect(queue.bytes == 0)
        }
    }

    /// Whoever asks for more than is their share is refused, and nobody else.
    @Test func nobodyFillsTheQueueForTheOthers() async throws {
        try await LedgerRig().run { actor, books in
            let (ada, bob) = (try await books.person(), try await books.person())
            let adas = try await books.account(of: ada, .wallet)
            let bobs = try await books.account(of: bob, .wallet)
            let rig = BatcherRig(books, on: actor)
            let (posted, refused) = (Tally(), Tally())
            await atOnce(PostingQueue.actorItemsMax + 50, on: actor) { actor, _ in
                do {
                    _ = try await rig.on(actor).batcher.post(.record(1, on: adas, by: ada))
                    posted.count += 1
                } catch let error as APIError {
                    #expect(error.code == .unavailable && error.retryAfterSeconds != nil)
                    refused.count += 1
                    do {
                        _ = try await rig.on(actor).batcher.post(.record(1, on: bobs, by: bob))
                    } catch { Issue.record("\(error)") }
                } catch { Issue.record("\(error)") }
            }
            #expect(posted.count >= PostingQueue.actorItemsMax)
            #expect(refused.count > 0)
            #expect(posted.count + refused.count == PostingQueue.actorItemsMax + 50)
            #expect(try await books.balance(adas) == Int64(posted.count))
            #expect(try await books.balance(bobs) == Int64(refused.count))
            // Once it is done there is room again.
            _ = try await rig.on(actor).batcher.post(.record(1, on: adas, by: ada))
            await rig.on(actor).end()
            try await books.check()
        }
    }

    /// What the database can never take fails alone, and its neighbours are posted.
    @Test func whatAlwaysFailsCostsItsNeighboursNothing() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let one = try await books.account(of: ada, .wallet)
            let rig = BatcherRig(books, on: actor)
            let (posted, refused) = (Tally(), Tally())
            await atOnce(100, on: actor) { actor, index in
                var posting = Posting.record(1, on: one, by: ada)
                if index % 33 == 7 { posting.name = "a\u{0}b" }
                do {
                    _ = try await rig.on(actor).batcher.post(posting)
                    posted.count += 1
                } catch is DatabaseError {
                    refused.count += 1
                } catch { Issue.record("\(error)") }
            }
            await rig.on(actor).end()
            #expect(refused.count == 3)
            #expect(posted.count == 97)
            #expect(try await books.balance(one) == 97)
            try await books.check()
        }
    }

    /// The outcome of a connection lost at COMMIT is unknown: the key tells, on the next one.
    @Test func connectionsThatDieInTheMiddleLoseAndDoubleNothing() async throws {
        let ledger = try await LedgerRig()
        let owner = try #require(Identifier(ledger.database.ownerRole))
        try await ledger.database.cluster.administer(
            SQLScript("grant pg_signal_backend, pg_read_all_stats to ", .name(owner))
        )
        try await ledger.run { actor, books in
            let ada = try await books.person()
            let one = try await books.account(of: ada, .wallet)
            let rig = BatcherRig(books, on: actor)
            let kills = Tally()
            let bound = LoopBound(books, to: actor)
            let steps = Steps(on: actor.loop)
            let killer = actor.spawn { actor in
                let books = bound.on(actor)
                while !steps.slowIsDone, kills.count < 20 {
                    do {
                        kills.count += try await books.owner.query(terminateOthers).count
                    } catch { Issue.record("\(error)") }
                    // Time enough for some calls to get through.
                    let pause = UInt64.random(in: 5_000_000...80_000_000)
                    try? await actor.loop.sleep(nanoseconds: pause)
                }
            }
            let tally = Tally()
            await atOnce(40, on: actor) { actor, _ in
                var own = 0
                while own < 25 || (kills.count <= 5 && own < 2_000) {
                    do {
                        _ = try await rig.on(actor).batcher.post(.record(3, on: one, by: ada))
                        own += 1
                    } catch { Issue.record("\(error)") }
                }
                tally.count += own
            }
            steps.slowIsDone = true
            await killer.value
            await rig.on(actor).end()
            #expect(kills.count > 5)
            #expect(try await books.balance(one) == Int64(3 * tally.count))
            let entries = try await books.count(countEntries)
            #expect(entries == Int64(tally.count))
            try await books.check()
        }
    }
}

/// What a test steers by.
final class Steps: @unchecked Sendable {
    let isHeld: Wait<Void>
    let release: Wait<Void>
    var slowIsDone = false

    init(on loop: EventLoop) {
        isHeld = Wait(on: loop)
        release = Wait(on: loop)
    }
}

/// A batcher with its workers.
struct BatcherRig: Sendable {
    final class Parts {
        let batcher: PostingBatcher
        /// Calls that were committed.
        let calls: Tally
        var workers: [Task<Void, Never>] = []

        init(_ database: Database) {
            let calls = Tally()
            self.calls = calls
            batcher = PostingBatcher(database: database, ring: { calls.count += 1 })
        }

        func end() async {
            for worker in workers { worker.cancel() }
            for worker in workers { await worker.value }
        }
    }
    private let bound: LoopBound<Parts>

    init(_ books: Books, on actor: isolated LoopActor) {
        let parts = Parts(books.service)
        bound = LoopBound(parts, to: actor)
        let bound = bound
        for _ in 0..<PostingBatcher.callsMax {
            parts.workers.append(
                actor.spawn { actor in await bound.on(actor).batcher.serveFirst() }
            )
        }
        parts.workers.append(
            actor.spawn { actor in await bound.on(actor).batcher.serveSecond() }
        )
        parts.workers.append(
            actor.spawn { actor in await bound.on(actor).batcher.serveThird() }
        )
    }

    func on(_ actor: isolated LoopActor) -> Parts { bound.on(actor) }
}

/// Runs `count` tasks on the loop at once and waits for all of them.
func atOnce(
    _ count: Int,
    on actor: isolated LoopActor,
    _ body: @escaping @Sendable (isolated LoopActor, Int) async -> Void
) async {
    let tasks = (0..<count).map { index in
        actor.spawn { actor in await body(actor, index) }
    }
    for task in tasks { await task.value }
}

private let lockBalance = Statement<Void>(
    "select from ledger.balance where account_id = $1 for update"
)
private let terminateOthers = Statement(
    """
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like '%post_batch_v1%'
        and pid <> pg_backend_pid()
    order by random() limit 1
    """
) { row in try row.bool(0) }
private let countEntries = Statement("select count(*) from ledger.entry") { row in
    try row.int64(0)
}
