import Postgres
import ServiceKit
import Synchronization
import WalletProtocol

/// What limits have refused within a transaction, which may be rolled back.
final class LimitRefusals: Sendable {
    /// Those of the transaction under way.
    @TaskLocal static var current: LimitRefusals?

    private let amounts = Mutex<[(account: ID<Account>, amount: Int64)]>([])

    /// Adds what a limit refused of some postings.
    func add(_ refused: [(account: ID<Account>, amount: Int64)]) {
        amounts.withLock { $0 += refused }
    }

    /// Notes them.
    func note(in database: Database) async throws {
        try await Self.note(amounts.withLock { $0 }, in: database)
    }

    /// Notes some for their accounts' parents.
    static func note(
        _ refused: [(account: ID<Account>, amount: Int64)],
        in database: some Querying
    ) async throws {
        guard !refused.isEmpty else { return }
        let (accounts, amounts) = (refused.map(\.account), refused.map(\.amount))
        try await database.execute(RefusalStatements.note, accounts, amounts)
    }

    /// Those of an answer that is no replay.
    static func of(
        _ postings: [Posting],
        _ outcomes: [PostingOutcome]
    ) -> [(account: ID<Account>, amount: Int64)] {
        zip(postings, outcomes).compactMap { posting, outcome in
            guard outcome.status == .limitExceeded, !outcome.isReplay else { return nil }
            let claim = Double(posting.claim ?? 0)
            let amount = abs(Double(posting.amount ?? 0)) + claim
            return (posting.account, Int64(exactly: amount) ?? .max)
        }
    }
}
