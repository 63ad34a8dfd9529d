import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What stands under a key and what does not, and bounds that are kept beside what is held.
@Suite struct KeptTests {
    /// Whoever was refused for want of a right asks again under the same key once they have it.
    @Test(arguments: [false, true])
    func noKeyKeepsThatARightWasMissing(inChain: Bool) async throws {
        try await LedgerRig().run { _, books in
            let (ada, bob) = (try await books.person(), try await books.person())
            let wallet = try await books.account(of: ada, .wallet)
            try await books.owner.execute(insertMember, wallet, bob, "viewer")
            var asked = [Posting.record(5, on: wallet, by: bob, key: "one")]
            if inChain {
                asked.append(.record(6, on: wallet, by: bob))
                asked[1].operation = nil
                for index in asked.indices { asked[index].chain = 1 }
            }
            let refused = try await books.service.post(asked)
            #expect(refused.first?.status == .forbidden)
            #expect(!refused.contains { $0.isReplay })
            try await books.owner.execute(makeEditor, wallet, bob)
            let posted = try await books.service.post(asked)
            #expect(posted.allSatisfy { $0.status == .posted && !$0.isReplay })
            let again = try await books.service.post(asked)
            #expect(again.allSatisfy { $0.status == .posted && $0.isReplay })
            #expect(try await books.balance(wallet) == (inChain ? 11 : 5))
            try await books.check()
        }
    }

    /// Deposits that were given no name are opened one after another, whatever comes at once.
    @Test func aProposedNameThatIsTakenIsNoOutcome() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let rich = try await books.account(of: ada, holding: 100)
            func deposit(_ name: String, key: String) -> Posting {
                .deposit(from: rich, named: name, isProposed: true, by: ada, key: key)
            }
            let first = try await books.service.post([
                deposit("a", key: "1"), deposit("a", key: "2"),
                .record(1, on: rich, by: ada),
            ])
            #expect(first.map(\.status) == [.posted, .proposedNameTaken, .posted])
            let next = try await books.service.post([deposit("a", key: "2")])
            #expect(next.map(\.status) == [.proposedNameTaken])
            #expect(next.map(\.isReplay) == [false])
            let last = try await books.service.post([
                deposit("b", key: "2"), deposit("c", key: "1"),
            ])
            #expect(last.map(\.status) == [.posted, .posted])
            #expect(last.map(\.isReplay) == [false, true])
            #expect(try await books.balance(rich) == 99)
            try await books.check()
        }
    }

    /// What is left beside what is held can be told, whatever moves.
    @Test func nothingTakesWhatIsLeftOutOfBounds() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let low = try await books.account(of: ada, .wallet, holding: -.max)
            let wallet = try await books.account(of: ada, .wallet, holding: 5 - .max)
            let other = try await books.account(of: ada, .wallet)
            func hold(_ amount: Int64, on account: ID<Account>) -> Posting {
                var posting = Posting(.hold, Posting.Operation(of: ada), by: ada, on: account)
                posting.counter = other
                (posting.amount, posting.currency, posting.day) = (amount, .eur, someDay)
                (posting.transaction, posting.counterTransaction) = (.new(), .new())
                posting.transfer = .new()
                posting.expires = Instant.now().adding(seconds: 60)
                return posting
            }
            func end(_ kind: Posting.Kind, _ hold: Posting) -> Posting {
                var posting = Posting(kind, Posting.Operation(of: ada), by: ada, on: hold.account)
                (posting.counter, posting.transfer, posting.day) = (other, hold.transfer, someDay)
                return posting
            }
            let gift = Posting.record(3, on: wallet, by: ada)
            let (one, two) = (hold(4, on: wallet), hold(4, on: wallet))
            let made = try await books.service.post([
                hold(2, on: low), hold(6, on: wallet), one, hold(2, on: wallet), gift, two,
                .record(-1, on: wallet, by: ada), .transfer(1, from: wallet, to: other, by: ada),
            ])
            let expected: [PostingStatus] = [
                .overflow, .overflow, .posted, .overflow, .posted, .posted, .overflow, .overflow,
            ]
            #expect(made.map(\.status) == expected)
            try await books.check("held")
            let back = try await books.service.post([
                .reversal(of: try #require(gift.transaction), on: wallet, by: ada)
            ])
            #expect(back.map(\.status) == [.overflow])
            let ended = try await books.service.post([end(.capture, one), end(.void, two)])
            #expect(ended.map(\.status) == [.posted, .posted])
            let left = try await books.service.post([.record(-4, on: wallet, by: ada)])
            #expect(left.map(\.status) == [.posted])
            #expect(try await books.balance(wallet) == -.max)
            try await books.check("ended")
        }
    }

    /// Who makes which version of what is found out once for all of a call.
    @Test func undoingAThousandIsNoSquare() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let wallet = try await books.account(of: ada, .wallet)
            let records = (0..<1_000).map { _ in Posting.record(1, on: wallet, by: ada) }
            _ = try await books.service.post(records)
            let ids = records.compactMap(\.transaction)
            _ = try await books.service.post(ids.map { .reversal(of: $0, on: wallet, by: ada) })
            let anew = ids.map { id in
                var posting = Posting.record(1, on: wallet, by: ada)
                (posting.transaction, posting.version) = (id, 2)
                return posting
            }
            let begin = monotonicNanoseconds()
            let outcomes = try await books.service.post(anew)
            let took = monotonicNanoseconds() - begin
            #expect(outcomes.allSatisfy { $0.status == .posted })
            #expect(took < 8_000_000_000, "\(took / 1_000_000) ms")
            try await books.check()
        }
    }
}

private let insertMember = Statement<Void>(
    """
    insert into ledger.account_member (account_id, user_id, role, invitation_id)
    values ($1, $2, $3, gen_random_uuid())
    """
)
private let makeEditor = Statement<Void>(
    "update ledger.account_member set role = 'editor' where account_id = $1 and user_id = $2"
)
