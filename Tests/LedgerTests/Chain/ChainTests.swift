import Crypto
import Loops
import Postgres
import ServiceKit
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// The journal's chain: sealed behind the writes, whoever seals.
@Suite struct ChainTests {
    /// As after a logical restore, whose transactions begin anew: the horizon does not move on.
    @Test func overdueEntriesAreCountedThoughTheHorizonStands() async throws {
        try await LedgerRig().run { _, books in
            let rig = try ChainRig(books)
            let other = Database(configuration: books.owner.configuration, loop: books.owner.loop)
            defer { other.close() }
            try await other.transaction { held in
                _ = try await held.queryOne(ownTransaction)
                _ = try await books.history()
                let count = try await books.owner.queryOne(entryCount)
                let verifier = ChainVerifier(
                    JournalChain(database: books.service, checksTexts: true),
                    database: books.service,
                    proofKeys: rig.configuration.journalProofKeys,
                    sealSeconds: -1
                )
                let fault = try await verifier.verify().fault
                #expect(fault?.kind == .entryUnsealed && fault?.count == count)
            }
        }
    }

    @Test func blocksAreAppendedToldAndVerified() async throws {
        try await LedgerRig().run { _, books in
            let rig = try ChainRig(books)
            let empty = try await rig.verify()
            #expect(empty.isIntact && empty.head == nil && empty.entries == 0)
            let sealer = rig.sealer(leaseSeconds: -1)
            _ = try await books.history()
            // Not sealed yet, and right all the same.
            let tail = try await rig.verify()
            #expect(tail.isIntact && tail.entries == 0, "\(String(describing: tail.fault))")
            try await rig.seal(sealer)
            _ = try await books.history(people: 3, rounds: 3)
            try await rig.seal(sealer)
            let entries = try await books.count(countEntries)
            let whole = try await rig.verify()
            #expect(whole.isIntact, "\(String(describing: whole.fault))")
            #expect(whole.entries == entries && whole.verifiedTo >= 2)
            #expect(whole.movements == (try await books.count(countMovements)))
            let rest = try await rig.verify(from: 1)
            #expect(rest.isIntact && rest.entries < entries)
            let told = try await books.owner.query(sealedEvents)
            #expect(told.count == Int(whole.verifiedTo))
            #expect(told.last?.contains(whole.head?.hash ?? "?") == true)
            try await books.check()
        }
    }

    @Test func nobodyForksTheChainWhoeverWritesAndSeals() async throws {
        try await LedgerRig().run { actor, books in
            let rig = try ChainRig(books)
            let users = try await [books.person(), books.person()]
            let one = try await books.account(of: users[0], holding: 1_000_000)
            let other = try await books.account(of: users[1], holding: 1_000_000)
            let isOver = Flag()
            let bound = LoopBound(rig, to: actor)
            // Two that take turns by the lease, and two that believe to hold it at all times, as
            // one does that was frozen and thawed.
            let workers = [0.05, 0.05, -1, -1].map { lease in
                actor.spawn { actor in
                    let sealer = bound.on(actor).sealer(leaseSeconds: lease)
                    while !isOver.value {
                        do { _ = try await sealer.run() } catch { Issue.record("\(error)") }
                        try? await actor.loop.sleep(nanoseconds: 2_000_000)
                    }
                }
            }
            await atOnce(4, on: actor) { actor, number in
                let rig = bound.on(actor)
                for round in 0..<2_000 {
                    do {
                        let (from, to) = number % 2 == 0 ? (one, other) : (other, one)
                        let outcomes = try await rig.books.service.post([
                            .transfer(1, from: from, to: to, by: users[number % 2]),
                            .record(1, on: from, by: users[number % 2]),
                        ])
                        let isBusy = outcomes.contains { $0.status == .busy }
                        #expect(isBusy || outcomes.allSatisfy { $0.status == .posted })
                        if round >= 30, try await rig.verifiedBlocks() >= 4 { return }
                    } catch { Issue.record("\(error)") }
                }
            }
            isOver.value = true
            for worker in workers { await worker.value }
            try await rig.seal()
            let verification = try await rig.verify()
            #expect(verification.isIntact, "\(String(describing: verification.fault))")
            #expect(verification.entries == (try await books.count(countEntries)))
            let keys = try await books.count(countKeys)
            #expect(keys == 1, "one key, whoever made it")
        }
    }

    @Test func theKeyStaysWhenItsSecretIsReplaced() async throws {
        try await LedgerRig().run { _, books in
            let (old, new) = (ServiceRig.secret, ServiceRig.secret + "new")
            let before = try ChainRig(books, secrets: old)
            _ = try await books.history()
            try await before.seal()
            let both = try ChainRig(books, secrets: new + "," + old)
            _ = try await books.history()
            try await both.seal()
            let after = try ChainRig(books, secrets: new)
            _ = try await books.history()
            try await after.seal()
            let verification = try await after.verify()
            #expect(verification.isIntact, "\(String(describing: verification.fault))")
            let keys = try await books.query(distinctKeys)
            #expect(keys.count == 1)
            // Under a secret that was never ours nothing is sealed, and nothing proved.
            let stranger = try ChainRig(books, secrets: String(repeating: "s", count: 40))
            _ = try await books.history()
            await #expect(throws: SealBroken.self) {
                for _ in 0..<3_000 {
                    try await stranger.sealer(leaseSeconds: -1).run()
                    try await books.owner.loop.sleep(nanoseconds: 20_000_000)
                }
            }
            let unproved = try await stranger.verify()
            #expect(unproved.fault?.table == "ledger.chain_block")
        }
    }

    @Test func anErasedPersonBreaksNothing() async throws {
        try await LedgerRig().run { _, books in
            let rig = try ChainRig(books)
            let people = try await books.history(people: 3)
            try await rig.seal()
            for person in people.prefix(2) {
                try await books.owner.execute(erase, person)
                while try await books.owner.queryOne(eraseTexts, person) == true {}
                let verification = try await rig.verify()
                #expect(verification.isIntact, "\(String(describing: verification.fault))")
                // Nor do words stay of whoever's other side went before.
                let left = try await books.owner.queryOne(wordsLeft, person)
                #expect(left == 0)
            }
            // Words of somebody who is still here may not go.
            try await books.owner.execute(dropWords, people[2])
            let broken = try await rig.verify()
            #expect(broken.fault?.table == "ledger.money_transaction")
        }
    }

    @Test func theTrialBalanceReadsSumsAndTail() async throws {
        try await LedgerRig().run { _, books in
            let rig = try ChainRig(books)
            for _ in 0..<3 {
                _ = try await books.history()
                for total in try await books.owner.query(trialBalance) {
                    #expect(total.total == "0" && total.users == total.moved)
                }
                try await rig.seal()
                for total in try await books.owner.query(trialBalance) {
                    #expect(total.total == "0" && total.users == total.moved)
                }
            }
        }
    }

    @Test func oneReplicaVerifiesADay() async throws {
        try await LedgerRig().run { _, books in
            let claim = VerifyStatements.claim
            let first = try await books.service.queryOne(claim, ID<NightlyVerification>.new())
            let other = try await books.service.queryOne(claim, ID<NightlyVerification>.new())
            #expect(first == true && other == nil)
            // Whoever it was ended before it was done: another does it.
            try await books.owner.execute(endLeases)
            let next = try await books.service.queryOne(claim, ID<NightlyVerification>.new())
            #expect(next == true)
            let result = try await JournalVerification(
                database: books.service,
                proofKeys: [[1]],
                by: .service
            ).run()
            try await VerificationStore(database: books.service).keep(result)
            try await books.owner.execute(endLeases)
            let again = try await books.service.queryOne(claim, ID<NightlyVerification>.new())
            #expect(again == nil, "it is done")
        }
    }

    @Test func theServiceMayAddAndReadAlone() async throws {
        try await LedgerRig().run { _, books in
            let rig = try ChainRig(books)
            _ = try await books.history()
            try await rig.seal()
            for statement in refused {
                do {
                    try await books.service.execute(statement)
                    Issue.record("allowed: \(statement.sql)")
                } catch let error as DatabaseError {
                    guard case .server(let refusal) = error else { throw error }
                    #expect(refusal.sqlState == .insufficientPrivilege, "\(statement.sql)")
                }
            }
        }
    }

    @Test func theLastVerificationIsKept() async throws {
        try await LedgerRig().run { _, books in
            let rig = try ChainRig(books)
            _ = try await books.history()
            try await rig.seal()
            let store = VerificationStore(database: books.service)
            #expect(try await store.last() == nil)
            let result = try await rig.verify()
            try await store.keep(result)
            #expect(try await store.last() == result)
            try await books.owner.execute(spoil)
            let broken = try await rig.verify()
            try await store.keep(broken)
            let kept = try await store.last()
            #expect(kept?.isIntact == false && kept?.fault?.table == "ledger.balance")
        }
    }
}

/// Set on one thread and read on another.
private final class Flag: Sendable {
    private let state = Atomic<Bool>(false)
    var value: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}

extension ChainRig {
    fileprivate func verifiedBlocks() async throws -> Int64 {
        try await books.owner.queryOne(countBlocks) ?? 0
    }
}

extension Books {
    fileprivate func query<Row>(_ statement: Statement<Row>) async throws -> [Row] {
        try await owner.query(statement)
    }
}

private let countEntries = Statement("select count(*) from ledger.entry") { try $0.int64(0) }
private let countMovements = Statement("select count(*) from ledger.movement") { try $0.int64(0) }
private let countBlocks = Statement("select count(*) from ledger.chain_block") { try $0.int64(0) }
private let countKeys = Statement("select count(*) from ledger.chain_key") { try $0.int64(0) }
private let distinctKeys = Statement("select distinct key_id from ledger.chain_key") { row in
    try row.string(0)
}
private let sealedEvents = Statement(
    """
    select payload::text from ledger.outbox
    where type = 'wallet.journal.sealed.v1' order by sequence
    """
) { row in try row.string(0) }
private let endLeases = Statement<Void>(
    "update ledger.chain_lease set until = now() - interval '1 second'"
)
private let refused: [Statement<Void>] = [
    Statement("update ledger.chain_block set height = height + 1"),
    Statement("delete from ledger.chain_block"),
    Statement("truncate ledger.chain_block"),
    Statement("update ledger.chain_key set x = x"),
    Statement("delete from ledger.chain_key"),
    Statement("update ledger.chain_signing_key set key_id = 'other'"),
    Statement("delete from ledger.chain_signing_key"),
    Statement("update ledger.journal_sum set amount = 0"),
    Statement("delete from ledger.journal_sum"),
    Statement("update ledger.verification set is_intact = true"),
]

private let erase = Statement<Void>("select ledger.erase_person_v1($1, now())")
private let eraseTexts = Statement("select ledger.erase_texts_v1($1, 2)") { row in
    try row.bool(0)
}
private let wordsLeft = Statement(
    """
    select count(*) from ledger.money_transaction
    where user_id = $1 and (name <> 'Deleted user' or description is not null
        or place is not null or latitude is not null or tags <> '{}')
    """
) { row in try row.int64(0) }
private let dropWords = Statement<Void>(
    "update ledger.money_transaction set salt = null where user_id = $1 and transfer_id is null"
)
private let spoil = Statement<Void>("update ledger.balance set amount = amount + 1")
private let trialBalance = Statement(
    """
    select (users + system)::text, users::text, (
        select sum(case when c.user_id is null then 0 else m.amount end
            - case when d.user_id is null then 0 else m.amount end)::text
        from ledger.movement as m
        join ledger.account as d on d.id = m.debit_account
        join ledger.account as c on c.id = m.credit_account
        where m.currency = t.currency)
    from ledger.trial_balance as t
    """
) { row in try (total: row.string(0), users: row.string(1), moved: row.string(2)) }

private let ownTransaction = Statement("select pg_current_xact_id()::text") { row in
    try row.string(0)
}
/// The history's holds expire hours ahead.
private let entryCount = Statement(
    "select count(*) from ledger.entry where recorded_at < clock_timestamp()"
) { row in try row.int64(0) }
