import Postgres
import ServiceKit
import WalletProtocol

/// The journal's entries, as their chain takes them; `JournalVerification` proves it.
struct JournalChain: ChainSource {
    /// The chain's name, and its aggregate among events.
    static let name = "ledger.journal"
    let database: Database
    /// Whether texts are held against their hashes: the verifier's part.
    var checksTexts = false

    var chain: String { Self.name }

    func hasEntries(from: UInt64) async throws -> Bool {
        guard let highest = try await database.queryOne(JournalStatements.highest) else {
            return false
        }
        return highest >= from
    }

    func entries(
        from: UInt64,
        after: ID<ChainFault>?,
        through: UInt64,
        limit: Int
    ) async throws -> [ChainEntry] {
        let statement = JournalStatements.entries(
            from: from,
            after: after,
            through: through,
            limit: limit,
            checksTexts: checksTexts
        )
        return try await database.transaction(TransactionOptions(readOnly: true)) { transaction in
            _ = try await transaction.queryOne(JournalStatements.lookUpsAlone)
            return try await transaction.query(statement)
        }
    }

    /// What belongs to no entry is looked for among the rows themselves (`BookChecks`).
    func strays(
        after: ID<ChainFault>?
    ) async throws -> (fault: ChainFault?, last: ID<ChainFault>?) {
        (nil, nil)
    }
}
