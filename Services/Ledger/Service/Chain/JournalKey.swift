import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// The key that signs the journal's blocks: made on first use, its private half sealed under a
/// secret outside the database.
final class JournalKey {
    private let database: Database
    private let seal: Seal
    private var known: ES256Key?

    init(database: Database, seal: Seal) {
        self.database = database
        self.seal = seal
    }

    /// The key, the same for all replicas for as long as its row stands.
    /// - Throws: `SealBroken` where none of our secrets has sealed it.
    func key() async throws -> ES256Key {
        if let known { return known }
        let found: ES256Key
        if let kept = try await read() { found = kept } else { found = try await make() }
        known = found
        return found
    }

    private func read() async throws -> ES256Key? {
        guard
            let row = try await database.queryOne(
                JournalStatements.signingKey,
                JournalChain.name
            )
        else { return nil }
        let context = Self.context(row.id)
        let key = try ES256Key(der: try seal.open(row.sealed, context: context))
        guard key.id == row.id else { throw SealBroken() }
        if let renewed = try seal.renewed(row.sealed, context: context) {
            try await database.execute(
                JournalStatements.sealAnew,
                JournalChain.name,
                row.sealed,
                renewed
            )
        }
        return key
    }

    private func make() async throws -> ES256Key {
        let key = try ES256Key.generate()
        try await database.execute(
            JournalStatements.insertSigningKey,
            JournalChain.name,
            key.id,
            seal.seal(key.der, context: Self.context(key.id))
        )
        // Another replica's, where that one was first.
        guard let kept = try await read() else { throw SealBroken() }
        return kept
    }

    private static func context(_ id: String) -> [UInt8] { Array("journal key \(id)".utf8) }
}
