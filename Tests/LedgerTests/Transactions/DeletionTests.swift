import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Deletions and batches: once each whoever else tries, and never by half.
@Suite(.serialized) struct DeletionTests {
    @Test func oneOfAHundredReversalsOfEachOfAHundredSucceeds() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, holding: 1_000)
            let ids = try await Self.record(100, of: 10, on: account, by: ada, in: books)
            let tally = Outcomes()
            let bound = LoopBound(books, to: actor)
            for id in ids {
                await atOnce(100, on: actor) { actor, _ in
                    let books = bound.on(actor)
                    do {
                        while try await !Self.delete([id], by: ada, in: books, tally) {}
                    } catch { Issue.record("\(error)") }
                }
            }
            #expect(tally.deleted.count == 100)
            #expect(Set(tally.deleted).count == 100)
            #expect(tally.refused == 9_900)
            #expect(try await books.balance(account) == 1_000)
            try await books.check()
        }
    }

    @Test func killsInTheMiddleLeaveNothingHalf() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .wallet)
            let isOver = Outcomes()
            let bound = LoopBound(books, to: actor)
            let killer = actor.spawn { actor in
                let books = bound.on(actor)
                // Ever longer, so that a busy machine gets to the end between two kills.
                var longest: UInt64 = 60_000_000
                while isOver.refused == 0 {
                    do {
                        isOver.kills += try await books.service.query(terminateOne).count
                    } catch { Issue.record("\(error)") }
                    let pause = UInt64.random(in: 2_000_000...longest)
                    longest += longest / 20
                    try? await actor.loop.sleep(nanoseconds: pause)
                }
            }
            var round = 0
            // A fast machine is through with twelve before much is killed.
            while round < 12 || isOver.kills < 5 {
                round += 1
                var made: [ID<MoneyTransaction>] = []
                while made.isEmpty {
                    do {
                        made = try await Self.record(
                            200,
                            of: 1,
                            on: account,
                            by: ada,
                            key: "round \(round)",
                            in: books
                        )
                    } catch is DatabaseError {}
                    let count = try await Self.count(account, books)
                    #expect(count == 0 || count == 200, "round \(round)")
                }
                let ids = try await books.owner.query(current, account)
                #expect(ids.count == 200)
                while try await Self.count(account, books) > 0 {
                    do {
                        _ = try await Self.delete(ids, by: ada, in: books, Outcomes())
                    } catch is DatabaseError {}
                    let count = try await Self.count(account, books)
                    #expect(count == 0 || count == 200, "round \(round)")
                }
            }
            isOver.refused = 1
            await killer.value
            #expect(try await books.balance(account) == 0)
            try await books.check()
        }
    }

    /// So many of an amount, in one chain.
    private static func record(
        _ count: Int,
        of amount: Int64,
        on account: ID<Account>,
        by user: ID<User>,
        key: String? = nil,
        in books: Books
    ) async throws -> [ID<MoneyTransaction>] {
        var postings = (0..<count).map { _ in
            var posting = Posting.record(amount, on: account, by: user)
            posting.operation = nil
            posting.chain = 1
            return posting
        }
        postings[0].operation = Posting.record(amount, on: account, by: user, key: key).operation
        let outcomes = try await books.service.posting(postings, starting: [])
        #expect(outcomes.map(\.status) == Array(repeating: .posted, count: count))
        return postings.compactMap(\.transaction)
    }

    /// Whether it has been decided: not where an account was held for too long.
    private static func delete(
        _ ids: [ID<MoneyTransaction>],
        by user: ID<User>,
        in books: Books,
        _ tally: Outcomes
    ) async throws -> Bool {
        do {
            let isDone = try await books.service.posting { transaction in
                let found = try await transaction.query(
                    TransactionStatements.findAll(ids, for: user)
                )
                if found.count < ids.count { return false }
                let deletion = TransactionDeletion(user: user, transaction: transaction)
                _ = try await deletion.delete(found.map { ($0.row, "") })
                return true
            }
            if isDone { tally.deleted += ids } else { tally.refused += 1 }
            return true
        } catch let error as APIError where error.code == .unavailable { return false }
    }

    private static func count(_ account: ID<Account>, _ books: Books) async throws -> Int {
        try await books.owner.query(current, account).count
    }
}

/// One loop's own.
private final class Outcomes: @unchecked Sendable {
    // Safety: made and used on one loop.
    var deleted: [ID<MoneyTransaction>] = []
    var refused = 0
    var kills = 0
}

private let current = Statement(
    """
    select id from ledger.money_transaction
    where account_id = $1 and reversed_by is null order by id
    """
) { row in try row.value(0, as: ID<MoneyTransaction>.self) }
private let terminateOne = Statement(
    """
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = current_user
        and pid <> pg_backend_pid() and state <> 'idle'
    order by random() limit 1
    """
) { row in try row.bool(0) }
