import Postgres
import ServiceKit
import WalletProtocol

/// The journal's entries, as their chain takes them; `JournalVerification` proves it.
struct JournalChain: ChainSource {
    /// The chain's name, and its aggregate among events.
    static let name = "ledger.journal"
    let database: Database
    /// Whether each entry's hash is worked out anew, and texts are held against theirs.
    ///
    /// That is the verifier's part. Who seals takes the hash that was written with the entry.
    var checksTexts = false

    var chain: String { Self.name }

    func horizon(in database: Database) async throws -> (ended: UInt64, next: UInt64)? {
        try await JournalHorizon.read(in: database)
    }

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
            from: after == nil ? from : from + 1,
            through: through,
            limit: limit,
            isVerified: checksTexts
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
