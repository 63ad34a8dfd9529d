import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// The function that moves money, called as the service calls it.
@Suite struct PostingTests {
    @Test func aTransferMovesMoneyOnceAndTellsBothSides() async throws {
        try await LedgerRig().run { _, books in
            let (ada, ben) = try await (books.person(), books.person())
            let one = try await books.account(of: ada, holding: 10_000)
            let other = try await books.account(of: ben)
            let posting = Posting.transfer(2_500, from: one, to: other, by: ada)
            let outcomes = try await books.service.post([posting])
            #expect(outcomes.map(\.status) == [.posted])
            #expect(outcomes[0].transfer == posting.transfer)
            #expect(try await books.balance(one) == 7_500)
            #expect(try await books.balance(other) == 2_500)
            let told = try await books.told()
            #expect(told.count == 3)
            let sides = told.suffix(2)
            #expect(sides.map(\.amount.minorUnits) == [-2_500, 2_500])
            #expect(sides.map(\.accountID) == [one, other])
            #expect(sides.map(\.userID) == [ada, ben])
            #expect(sides.allSatisfy { $0.transferID == posting.transfer && !$0.isOwnTransfer })
            try await books.check()
        }
    }

    @Test func aRepeatedKeyMovesMoneyOnceInOneCallAndInTheNext() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let one = try await books.account(of: ada, holding: 1_000)
            let other = try await books.account(of: ada)
            let first = Posting.transfer(10, from: one, to: other, by: ada, key: "k")
            let again = Posting.transfer(10, from: one, to: other, by: ada, key: "k")
            let together = try await books.service.post([first, again])
            #expect(together.map(\.status) == [.posted, .posted])
            #expect(together.map(\.isReplay) == [false, true])
            #expect(together.map(\.transfer) == [first.transfer, first.transfer])
            let later = try await books.service.post([again])
            #expect(later.map(\.transfer) == [first.transfer])
            var changed = again
            changed.operation = Posting.Operation(
                scope: "\(ada) test",
                key: "k",
                requestHash: [9]
            )
            let reused = try await books.service.post([changed])
            #expect(reused.map(\.status) == [.keyReused])
            #expect(try await books.balance(other) == 10)
        }
    }

    @Test func aRefusalIsRememberedUnderItsKey() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let one = try await books.account(of: ada)
            let other = try await books.account(of: ada)
            let posting = Posting.transfer(10, from: one, to: other, by: ada, key: "k")
            let refused = try await books.service.post([posting])
            #expect(refused.map(\.status) == [.insufficientFunds])
            _ = try await books.service.post([.record(100, on: one, by: ada)])
            let again = try await books.service.post([posting])
            #expect(again.map(\.status) == [.insufficientFunds])
            #expect(again.map(\.isReplay) == [true])
            #expect(try await books.balance(other) == 0)
        }
    }

    @Test func aKeyInTwoCallsAtOnceOverDifferentAccountsMovesMoneyOnce() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            var accounts: [ID<Account>] = []
            for _ in 0..<8 {
                accounts.append(try await books.account(of: ada, holding: 1_000))
            }
            for round in 0..<20 {
                let bound = LoopBound(books, to: actor)
                let tally = Tally()
                let made = accounts
                let tasks = (0..<4).map { index in
                    actor.spawn { actor in
                        let books = bound.on(actor)
                        let posting = Posting.transfer(
                            1,
                            from: made[index * 2],
                            to: made[index * 2 + 1],
                            by: ada,
                            key: "round \(round)"
                        )
                        var batch = (0..<10).map { _ in
                            Posting.transfer(
                                1,
                                from: made[index * 2],
                                to: made[index * 2 + 1],
                                by: ada
                            )
                        }
                        batch.insert(posting, at: index)
                        do {
                            let outcomes = try await books.service.transaction { transaction in
                                try await transaction.post(batch)
                            }
                            let good = outcomes.allSatisfy { $0.status == .posted }
                            #expect(good)
                            if !outcomes[index].isReplay { tally.count += 1 }
                        } catch { Issue.record("\(error)") }
                    }
                }
                for task in tasks { await task.value }
                #expect(tally.count == 1)
            }
            try await books.check()
        }
    }

    @Test func aChainIsAllOrNothing() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let one = try await books.account(of: ada, holding: 100)
            let other = try await books.account(of: ada, .wallet)
            func chain(_ second: Int64) -> [Posting] {
                var first = Posting.record(7, on: other, by: ada)
                var next = Posting.record(second, on: one, by: ada)
                first.chain = 1
                next.chain = 1
                next.operation = nil
                return [first, next]
            }
            let refused = try await books.service.post(chain(-101))
            #expect(refused.map(\.status) == [.chainFailed, .insufficientFunds])
            #expect(try await books.balance(other) == 0)
            // Whoever asks again, at once or later, is told the same: which of them it was, too.
            let again = chain(-101)
            let both = try await books.service.post(
                again
                    + again.map { posting in
                        var posting = posting
                        posting.chain = 2
                        return posting
                    }
            )
            let later = try await books.service.post(again)
            for told in [both.prefix(2), both.suffix(2), later[...]] {
                #expect(told.map(\.status) == [.chainFailed, .insufficientFunds])
            }
            #expect(both.map(\.isReplay) == [false, false, true, true])
            #expect(later.map(\.isReplay) == [true, true])
            let posted = try await books.service.post(chain(-100))
            #expect(posted.map(\.status) == [.posted, .posted])
            #expect(try await books.balance(one) == 0)
            #expect(try await books.balance(other) == 7)
            try await books.check()
        }
    }

    @Test func whatWasTakenBackCanBePostedAnewAsItsNextVersion() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let one = try await books.account(of: ada, .wallet)
            let record = Posting.record(50, on: one, by: ada)
            _ = try await books.service.post([record])
            let transaction = try #require(record.transaction)
            let first = try await books.service.post([.reversal(of: transaction, on: one, by: ada)])
            #expect(first.map(\.status) == [.posted])
            let twice = try await books.service.post([.reversal(of: transaction, on: one, by: ada)])
            #expect(twice.map(\.status) == [.transactionNotFound])
            #expect(try await books.balance(one) == 0)
            var again = Posting.record(50, on: one, by: ada)
            again.transaction = transaction
            again.version = 1
            let same = try await books.service.post([again])
            #expect(same.map(\.status) == [.transactionExists])
            again = Posting.record(50, on: one, by: ada)
            again.transaction = transaction
            again.version = 2
            let next = try await books.service.post([again])
            #expect(next.map(\.status) == [.posted])
            #expect(try await books.balance(one) == 50)
            try await books.check()
        }
    }

    @Test func anotherCategoryMovesNothingAndCanBeTakenBack() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let one = try await books.account(of: ada, .wallet)
            let record = Posting.record(50, on: one, by: ada)
            _ = try await books.service.post([record])
            let transaction = try #require(record.transaction)
            var change = Posting(
                .revision,
                Posting.Operation(of: ada),
                by: ada,
                on: one
            )
            change.transaction = transaction
            let changed = try await books.service.post([change])
            #expect(changed.map(\.status) == [.posted])
            #expect(try await books.balance(one) == 50)
            let back = try await books.service.post([.reversal(of: transaction, on: one, by: ada)])
            #expect(back.map(\.status) == [.posted])
            #expect(try await books.balance(one) == 0)
            try await books.check()
        }
    }
}

/// How long a key is promised.
@Suite struct KeyTests {
    @Test func outcomesAreForgottenAfterTwoDaysAndNotBefore() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let one = try await books.account(of: ada, .wallet)
            var asked: [String: Posting] = [:]
            for key in ["old", "young"] {
                var posting = Posting.record(5, .usd, on: one, by: ada, key: key)
                asked[key] = posting
                let refused = try await books.service.post([posting])
                #expect(refused.map(\.status) == [.currencyMismatch])
                posting = .record(5, on: one, by: ada, key: "posted " + key)
                let posted = try await books.service.post([posting])
                #expect(posted.map(\.status) == [.posted])
                asked["posted " + key] = posting
            }
            for (key, hours) in [("old", Int32(49)), ("young", 47)] {
                let refused = try #require(asked[key]?.operation?.id)
                let posted = try #require(asked["posted " + key]?.operation?.id)
                try await books.owner.execute(ageRefusal, refused, hours)
                try await books.owner.execute(ageEntry, posted, hours)
            }
            try await books.settle()
            let forgotten = try await books.service.queryOne(PostingStatements.forget)
            #expect(forgotten == 2)
            // What was refused is asked anew; what was posted stands under its key for good, and
            // what was asked is compared no more.
            let again = try await books.service.post([try #require(asked["young"])])
            #expect(again.map(\.isReplay) == [true])
            let anew = try await books.service.post([try #require(asked["old"])])
            #expect(anew.map(\.isReplay) == [false])
            for (key, status) in [
                ("posted young", PostingStatus.keyReused), ("posted old", .posted),
            ] {
                var other = try #require(asked[key])
                let operation = try #require(other.operation)
                other.operation = .init(
                    scope: operation.scope,
                    key: operation.key,
                    requestHash: [9, 9]
                )
                let outcome = try await books.service.post([other]).first
                #expect(outcome?.status == status)
                if status == .posted {
                    #expect(outcome?.isReplay == true)
                    #expect(outcome?.transaction == other.transaction)
                }
            }
            try await books.check()
        }
    }
}

private let ageRefusal = Statement<Void>(
    """
    update ledger.operation set created_at = now() - make_interval(hours => $2::int)
    where op = $1
    """
)
private let ageEntry = Statement<Void>(
    """
    update ledger.entry set recorded_at = now() - make_interval(hours => $2::int)
    where op = $1
    """
)
/// Counts on one loop.
final class Tally: @unchecked Sendable {
    var count = 0
}
