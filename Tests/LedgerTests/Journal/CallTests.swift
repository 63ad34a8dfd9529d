import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What goes into one call, and what one element costs the others of it.
@Suite struct CallTests {
    @Test func aPersonsBatchOfAThousandIsOneCall() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada)
            let rig = BatcherRig(books, on: actor)
            let batch = (0..<1_000).map { Posting.record(Int64($0) + 1, on: account, by: ada) }
            let outcomes = try await rig.on(actor).batcher.post(each: batch)
            #expect(outcomes.allSatisfy { $0.status == .posted })
            #expect(outcomes.map(\.entry) == batch.map { $0.entry })
            #expect(rig.on(actor).calls.count == 1)
            #expect(try await books.balance(account) == 500_500)
            await rig.on(actor).end()
            try await books.check()
        }
    }

    /// What two people send at once is not one call of both: nobody waits for another's thousand.
    @Test func aBatchTakesNobodyElsesWithIt() async throws {
        try await LedgerRig().run { actor, books in
            let rig = BatcherRig(books, on: actor)
            var batches: [[Posting]] = []
            for _ in 0..<3 {
                let person = try await books.person()
                let account = try await books.account(of: person)
                batches.append((0..<200).map { _ in .record(1, on: account, by: person) })
            }
            let asked = batches
            await atOnce(asked.count, on: actor) { actor, index in
                do {
                    let outcomes = try await rig.on(actor).batcher.post(each: asked[index])
                    #expect(outcomes.map(\.status) == Array(repeating: .posted, count: 200))
                } catch { Issue.record("\(error)") }
            }
            #expect(rig.on(actor).calls.count >= asked.count)
            await rig.on(actor).end()
            try await books.check()
        }
    }

    @Test func aRepeatedKeyInACrowdCostsItsNeighboursNoMoreThanOneTry() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada)
            let rig = BatcherRig(books, on: actor)
            let first = try await rig.on(actor).batcher.post(
                .record(1, on: account, by: ada, key: "again")
            )
            let before = rig.on(actor).calls.count
            let crowd =
                Array(repeating: "again" as String?, count: 3)
                + Array(repeating: nil, count: 97)
            await atOnce(crowd.count, on: actor) { actor, index in
                do {
                    let posting = Posting.record(1, on: account, by: ada, key: crowd[index])
                    let outcome = try await rig.on(actor).batcher.post(posting)
                    #expect(outcome.isReplay == (crowd[index] != nil))
                    if outcome.isReplay { #expect(outcome.entry == first.entry) }
                } catch { Issue.record("\(error)") }
            }
            // A call by itself for whoever came first, at most, and one for all others.
            #expect(rig.on(actor).calls.count - before <= 2)
            #expect(try await books.balance(account) == 98)
            await rig.on(actor).end()
            try await books.check()
        }
    }

    /// A thousand, of which every second one is refused for another reason.
    @Test func hundredsOfFaultsAreAnsweredEachAndHarmNoneOfTheOthers() async throws {
        try await LedgerRig().run { _, books in
            let (ada, eve) = try await (books.person(), books.person())
            let account = try await books.account(of: ada)
            let poor = try await books.account(of: ada)
            let others = try await books.account(of: eve)
            let faults: [(PostingStatus, () -> Posting)] = [
                (.accountNotFound, { .record(1, on: .new(), by: ada) }),
                (.forbidden, { .record(1, on: others, by: ada) }),
                (.currencyMismatch, { .record(1, .usd, on: account, by: ada) }),
                (.invalidAmount, { .record(.min, on: account, by: ada) }),
                (.sameAccount, { .transfer(1, from: account, to: account, by: ada) }),
                (.counterNotFound, { .transfer(1, from: account, to: .new(), by: ada) }),
                (.insufficientFunds, { .transfer(7, from: poor, to: account, by: ada) }),
            ]
            var call: [Posting] = []
            var wanted: [PostingStatus] = []
            for number in 0..<1_000 {
                if number % 2 == 0 {
                    call.append(.record(1, on: account, by: ada))
                    wanted.append(.posted)
                } else {
                    let (status, posting) = faults[number / 2 % faults.count]
                    call.append(posting())
                    wanted.append(status)
                }
            }
            let outcomes = try await books.service.post(call)
            #expect(outcomes.map(\.status) == wanted)
            #expect(try await books.balance(account) == 500)
            try await books.check()
        }
    }
}
