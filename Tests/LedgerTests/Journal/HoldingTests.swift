import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import ServiceKit

/// Transactions that last, such as an import's: they hold their own accounts and nothing else.
@Suite struct HoldingTests {
    /// Runs `held` in a transaction that is open while `meanwhile` runs.
    private func holding(
        _ books: Books,
        on actor: isolated LoopActor,
        _ held: @escaping @Sendable (Transaction) async throws -> Void,
        meanwhile: () async throws -> Void
    ) async throws {
        let steps = Steps(on: actor.loop)
        let bound = LoopBound(books, to: actor)
        let holder = actor.spawn { actor in
            do {
                try await bound.on(actor).service.transaction { transaction in
                    try await held(transaction)
                    steps.isHeld.resume(returning: ())
                    try await steps.release.value()
                }
            } catch {
                Issue.record("\(error)")
                steps.isHeld.resume(throwing: error)
            }
        }
        try await steps.isHeld.value()
        do {
            try await meanwhile()
        } catch { Issue.record("\(error)") }
        steps.release.resume(returning: ())
        await holder.value
    }

    /// The first posting of an account makes nothing that its neighbours would have to wait for.
    @Test(arguments: [Currency.eur, Currency("ISK") ?? .eur])
    func theFirstPostingOfAnAccountHoldsUpNobodyElse(currency: Currency) async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let fresh = try await books.account(of: ada, .wallet, currency)
            let other = try await books.account(of: ada, .wallet, currency)
            try await holding(books, on: actor) { transaction in
                _ = try await transaction.post([.record(5, currency, on: fresh, by: ada)])
            } meanwhile: {
                let outcomes = try await books.service.transaction { transaction in
                    try await transaction.setStatementTimeout(milliseconds: 2_000)
                    return try await transaction.post(
                        [
                            .record(1, currency, on: fresh, by: ada),
                            .record(2, currency, on: other, by: ada),
                        ],
                        waits: false
                    )
                }
                #expect(outcomes.map(\.status) == [.busy, .posted])
            }
            #expect(try await books.balance(fresh) == 5)
            #expect(try await books.balance(other) == 2)
            try await books.check()
        }
    }

    /// Two requests under one key: what became of the one that was not busy stands under it.
    @Test(arguments: [false, true])
    func whoWasBusyDoesNotChangeWhatStandsUnderAKey(isRefused: Bool) async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let held = try await books.account(of: ada, .wallet)
            let free = try await books.account(of: ada, .current, holding: 100)
            func keyed(_ posting: Posting, hash: UInt8) -> Posting {
                var posting = posting
                posting.operation = .init(scope: ada.text, key: "one", requestHash: [hash])
                return posting
            }
            let busy = keyed(.record(1, on: held, by: ada), hash: 1)
            let asked = keyed(.record(isRefused ? -900 : 5, on: free, by: ada), hash: 2)
            let status = isRefused ? PostingStatus.insufficientFunds : .posted
            try await holding(books, on: actor) { transaction in
                _ = try await transaction.post([.record(5, on: held, by: ada)])
            } meanwhile: {
                let outcomes = try await books.service.post(
                    [busy, asked, .record(-900, on: free, by: ada)],
                    waits: false
                )
                #expect(outcomes.map(\.status) == [.busy, status, .insufficientFunds])
                let again = try await books.service.post([asked], waits: false)
                #expect(again.map(\.status) == [status])
                #expect(again.map(\.isReplay) == [true])
                #expect(again.map { $0.entry != nil } == [!isRefused])
            }
            let late = try await books.service.post([busy])
            #expect(late.map(\.status) == [.keyReused])
            #expect(try await books.balance(free) == (isRefused ? 100 : 105))
            try await books.check()
        }
    }

    /// Whoever waits for accounts that are held has no neighbour's in hand meanwhile.
    @Test(arguments: [1, 2])
    func lockWaiterHoldsNoFreeAccount(held count: Int) async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            var accounts: [ID<Account>] = []
            for _ in 0..<52 { accounts.append(try await books.account(of: ada, holding: 10)) }
            // The last of them all, so that whoever locks in order would have had the rest; and,
            // of two, one that comes free before it.
            let sorted = accounts.sorted { $0.text < $1.text }
            let last = sorted[51]
            let call = sorted.map { Posting.record(1, on: $0, by: ada) }
            let bound = LoopBound(books, to: actor)
            let late = Late()
            let brief = Steps(on: actor.loop)
            var holder: Task<Void, Never>?
            if count == 2 {
                holder = actor.spawn { actor in
                    do {
                        try await bound.on(actor).owner.transaction { transaction in
                            try await transaction.execute(lockAgainstPosting, sorted[3])
                            brief.isHeld.resume(returning: ())
                            try await brief.release.value()
                        }
                    } catch { Issue.record("\(error)") }
                }
                try await brief.isHeld.value()
            }
            try await holding(books, on: actor) { transaction in
                _ = try await transaction.post([.record(5, on: last, by: ada)])
            } meanwhile: {
                late.task = actor.spawn { actor in
                    do {
                        late.outcomes = try await bound.on(actor).service.transaction {
                            try await $0.post(call)
                        }
                    } catch { Issue.record("\(error)") }
                }
                try await actor.loop.sleep(nanoseconds: 200_000_000)
                brief.release.resume(returning: ())
                await holder?.value
                // It has a second in all to be given the last.
                let begun = monotonicNanoseconds()
                var (looks, times, isHeld) = (0, 0, false)
                while looks < 5 {
                    try await actor.loop.sleep(nanoseconds: 10_000_000)
                    let locked = try await books.service.query(PostingStatements.locked, sorted)
                    // Once, between the grant of what came free and giving it back again.
                    let wasHeld = isHeld
                    isHeld = locked == [sorted[3], last]
                    if isHeld && !wasHeld { times += 1 }
                    if isHeld, times == 1, monotonicNanoseconds() - begun < 500_000_000 { continue }
                    #expect(locked == [last])
                    looks += 1
                }
                #expect(late.outcomes.isEmpty)
            }
            await late.task?.value
            #expect(late.outcomes.count == 52)
            #expect(late.outcomes.allSatisfy { $0.status == .posted })
            try await books.check()
        }
    }

    /// A hold whose account is held keeps no other from its end.
    @Test func holdsEndThoughAnAccountIsHeld() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let held = try await books.account(of: ada, .wallet)
            let other = try await books.account(of: ada, .wallet)
            // More of the one that is held than are looked at in a round, and older.
            var holds: [Posting] = []
            for number in 0..<130 {
                let account = number < 120 ? held : ID<Account>.new()
                if account != held { try await books.open(account, of: ada) }
                var posting = Posting(.hold, Posting.Operation(of: ada), by: ada, on: account)
                posting.counter = other
                (posting.amount, posting.currency, posting.day) = (1, .eur, someDay)
                (posting.transaction, posting.counterTransaction) = (.new(), .new())
                posting.transfer = .new()
                posting.expires = Instant.now().adding(seconds: Int64(number - 1_000))
                holds.append(posting)
            }
            let made = try await books.service.post(holds)
            #expect(made.allSatisfy { $0.status == .posted })
            let bell = RelayBell()
            let expiry = HoldExpiry(database: books.service, relayBell: bell)
            try await holding(books, on: actor) { transaction in
                _ = try await transaction.post([.record(5, on: held, by: ada)])
            } meanwhile: {
                let begin = monotonicNanoseconds()
                try await expiry.endAll()
                #expect(monotonicNanoseconds() - begin < 5_000_000_000)
                #expect(try await books.count(countPending) == 120)
            }
            try await expiry.endAll()
            #expect(try await books.count(countPending) == 0)
            try await books.check()
        }
    }

    @Test(arguments: [0, 7])
    func whatWaitedForAClosingFindsTheAccountClosed(before: Int64) async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let closing = try await books.account(of: ada, .current)
            let other = try await books.account(of: ada, .current, holding: 100)
            if before > 0 {
                _ = try await books.service.post([
                    .transfer(before, from: other, to: closing, by: ada)
                ])
                _ = try await books.service.post([
                    .transfer(before, from: closing, to: other, by: ada)
                ])
            }
            let bound = LoopBound(books, to: actor)
            let late = Late()
            try await holding(books, on: actor) { transaction in
                let verdict = try await transaction.queryOne(
                    AccountStatements.close,
                    closing,
                    ada,
                    nil as Int32?
                )
                #expect(verdict == "closed")
            } meanwhile: {
                let skipped = try await books.service.post(
                    [.transfer(1, from: other, to: closing, by: ada)],
                    waits: false
                )
                #expect(skipped.map(\.status) == [.busy])
                late.task = actor.spawn { actor in
                    do {
                        late.outcomes = try await bound.on(actor).service.transaction {
                            try await $0.post([.transfer(1, from: other, to: closing, by: ada)])
                        }
                    } catch { Issue.record("\(error)") }
                }
                try await actor.loop.sleep(nanoseconds: 200_000_000)
                #expect(late.outcomes.isEmpty)
            }
            await late.task?.value
            #expect(late.outcomes.map(\.status) == [.accountClosed])
            #expect(try await books.balance(closing) == 0)
            try await books.check()
        }
    }

    /// Whoever closes an account that is held gives up soon, and keeps no connection meanwhile.
    @Test func closingDoesNotWaitForLong() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let held = try await books.account(of: ada, .wallet)
            _ = try await books.account(of: ada, .wallet)
            try await holding(books, on: actor) { transaction in
                _ = try await transaction.post([.record(5, on: held, by: ada)])
            } meanwhile: {
                let start = monotonicNanoseconds()
                do {
                    try await books.service.transaction { transaction in
                        _ = try await transaction.queryOne(
                            AccountStatements.close,
                            held,
                            ada,
                            nil as Int32?
                        )
                    }
                    Issue.record("closed what another holds")
                } catch let error as DatabaseError {
                    #expect(error.isRetryable, "\(error)")
                }
                #expect(monotonicNanoseconds() - start < 3_000_000_000)
            }
        }
    }

    @Test func ofTheLastTwoAccountsClosedAtOnceOneStaysOpen() async throws {
        try await LedgerRig().run { actor, books in
            for _ in 0..<10 {
                let ada = try await books.person()
                var accounts: [ID<Account>] = []
                for _ in 0..<3 { accounts.append(try await books.account(of: ada, .wallet)) }
                let bound = LoopBound(books, to: actor)
                let made = accounts
                let verdicts = Verdicts()
                await atOnce(6, on: actor) { actor, index in
                    do {
                        let verdict = try await bound.on(actor).service.transaction {
                            try await $0.queryOne(
                                AccountStatements.close,
                                made[index % 3],
                                ada,
                                nil as Int32?
                            )
                        }
                        verdicts.all.append(verdict ?? "")
                    } catch { Issue.record("\(error)") }
                }
                let closed = try await books.owner.queryOne(countClosed, ada)
                #expect(closed == 2)
                let known = verdicts.all.allSatisfy { ["closed", "last-account"].contains($0) }
                #expect(known, "\(verdicts.all)")
                #expect(verdicts.all.contains("last-account"))
            }
        }
    }

    @Test func whatIsNotEmptyOrNotOnesOwnIsNotClosed() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let bob = try await books.person()
            let full = try await books.account(of: ada, .current, holding: 1)
            let wallet = try await books.account(of: ada, .wallet, holding: -5)
            _ = try await books.account(of: ada, .wallet)
            func close(_ account: ID<Account>, _ actor: ID<User>) async throws -> String? {
                try await books.service.queryOne(
                    AccountStatements.close,
                    account,
                    actor,
                    nil as Int32?
                )
            }
            #expect(try await close(full, ada) == "account-not-empty")
            #expect(try await close(wallet, bob) == "not-found")
            #expect(try await close(.new(), ada) == "not-found")
            #expect(try await close(wallet, ada) == "closed")
            #expect(try await close(wallet, ada) == "closed")
            #expect(try await books.balance(wallet) == -5)
            let late = try await books.service.post([.record(1, on: wallet, by: ada)])
            #expect(late.map(\.status) == [.accountClosed])
        }
    }

    /// An opening balance comes to an account that has no rows, even if it once had some.
    @Test func anOpeningComesToWhatHasNoRows() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let wallet = try await books.account(of: ada, .wallet)
            func opening(_ amount: Int64) -> Posting {
                var posting = Posting(.opening, .init(of: ada), by: ada, on: wallet)
                posting.amount = amount
                posting.currency = .eur
                posting.day = someDay
                return posting
            }
            let row = Posting.record(0, on: wallet, by: ada)
            _ = try await books.service.post([row])
            let full = try await books.service.post([opening(9)])
            #expect(full.map(\.status) == [.accountNotEmpty])
            let gone = try await books.service.post([
                .reversal(of: try #require(row.transaction), on: wallet, by: ada)
            ])
            #expect(gone.map(\.status) == [.posted])
            let first = opening(9)
            let set = try await books.service.post([first])
            #expect(set.map(\.status) == [.posted])
            let twice = try await books.service.post([opening(9)])
            #expect(twice.map(\.status) == [.accountNotEmpty])
            var back = Posting(.reversal, .init(of: ada), by: ada, on: wallet)
            back.reverses = first.entry
            let taken = try await books.service.post([back])
            #expect(taken.map(\.status) == [.posted])
            let again = try await books.service.post([opening(4)])
            #expect(again.map(\.status) == [.posted])
            #expect(try await books.balance(wallet) == 4)
            try await books.check()
        }
    }

    /// Two hand an account to one another without a gap: whoever only looks in now and then would
    /// find it held for good.
    @Test func anAccountThatIsNeverFreeIsPostedToAllTheSame() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .wallet)
            let bound = LoopBound(books, to: actor)
            let isOver = Verdicts()
            let holders = (0..<2).map { _ in
                actor.spawn { actor in
                    let books = bound.on(actor)
                    do {
                        while isOver.all.isEmpty {
                            try await books.owner.transaction { transaction in
                                try await transaction.execute(lockAgainstPosting, account)
                                try await actor.loop.sleep(nanoseconds: 60_000_000)
                            }
                        }
                    } catch { Issue.record("\(error)") }
                }
            }
            for _ in 0..<5 {
                let outcomes = try await books.service.posting { transaction in
                    try await transaction.postIfFree([.record(1, on: account, by: ada)])
                }
                #expect(outcomes.map(\.status) == [.posted])
            }
            isOver.all = ["done"]
            for holder in holders { await holder.value }
            #expect(try await books.balance(account) == 5)
            try await books.check()
        }
    }
}

/// What came of a posting that waited.
private final class Late: @unchecked Sendable {
    var task: Task<Void, Never>?
    var outcomes: [PostingOutcome] = []
}

/// Verdicts of one loop.
private final class Verdicts: @unchecked Sendable {
    var all: [String] = []
}

private let countPending = Statement(
    "select count(*) from ledger.transfer_terms where state = 'pending'"
) { row in try row.int64(0) }
private let countClosed = Statement(
    "select count(*) from ledger.account where user_id = $1 and state = 'closed'"
) { row in try row.int64(0) }
