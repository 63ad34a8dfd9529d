import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import ServiceKit

/// Whatever orders calls name their accounts and keys in, they are taken in one.
@Suite struct DeadlockTests {
    /// Counted by PostgreSQL itself: a deadlock is retried, and would be seen nowhere else.
    @Test func callsThatCrossWaitForOneAnotherInNoCircle() async throws {
        try await LedgerRig().run { actor, books in
            // Looked for before a lock's own time is over; connections made from now on have it.
            let name = try #require(try await books.owner.queryOne(databaseName))
            try await PostgresCluster.shared().administer(lookAtOnce, in: name)
            let ada = try await books.person()
            var made: [ID<Account>] = []
            for _ in 0..<8 { made.append(try await books.account(of: ada, holding: 1_000_000)) }
            let accounts = made
            let bound = LoopBound(books, to: actor)
            await atOnce(6, on: actor) { actor, _ in
                let books = bound.on(actor)
                for _ in 0..<30 {
                    let postings = (0..<16).map { _ in
                        let pair = accounts.shuffled()
                        let key = String(Int.random(in: 0..<400))
                        return Posting.transfer(1, from: pair[0], to: pair[1], by: ada, key: key)
                    }
                    do {
                        _ = try await books.service.transaction { transaction in
                            _ = try await transaction.query(tellNow)
                            return try await transaction.post(postings, waits: true)
                        }
                    } catch let error as DatabaseError where error.isRetryable {
                        // Whoever has waited for as long as is waited may try again.
                    } catch { Issue.record("\(error)") }
                }
            }
            #expect(try await books.owner.queryOne(deadlocks) == 0)
            try await books.check()
        }
    }
}

private let lookAtOnce: SQLScript = """
    do $$
    begin
        execute format('alter database %I set deadlock_timeout = ''5ms''', current_database());
    end
    $$;
    """
private let databaseName = Statement("select current_database()::text") { try $0.string(0) }
/// What a connection has counted is told as its transaction ends.
private let tellNow = Statement("select pg_stat_force_next_flush() is null") { try $0.bool(0) }
private let deadlocks = Statement(
    "select deadlocks from pg_stat_database where datname = current_database()"
) { row in try row.int64(0) }
