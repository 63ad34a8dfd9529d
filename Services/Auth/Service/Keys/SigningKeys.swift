import Crypto
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// The keys of one loop: the one that signs now, and all whose tokens still count.
///
/// Kept sealed in the database, so that every replica signs with the same key; read again once a
/// minute, so that a key that another replica made is published here before it is used.
final class SigningKeys: KeySource {
    private let database: Database
    private let seal: Seal
    private var current: ES256Key?
    private var published: [KeyView] = []
    private var verifying: [String: VerificationKey] = [:]
    private var readAt: UInt64 = 0

    static let rereadNanoseconds: UInt64 = 60_000_000_000

    init(database: Database, seal: Seal) {
        self.database = database
        self.seal = seal
    }

    /// The key that signs new tokens.
    func signingKey() async throws -> ES256Key {
        if let current, monotonicNanoseconds() &- readAt < Self.rereadNanoseconds {
            return current
        }
        try await read()
        guard let current else { throw APIError(.unavailable, retryAfterSeconds: 1) }
        return current
    }

    /// The public keys of `/.well-known/jwks.json`.
    func publicKeys() async throws -> [KeyView] {
        _ = try await signingKey()
        return published
    }

    func key(_ id: String) async -> VerificationKey? {
        if let key = verifying[id] { return key }
        // An unknown name: another replica may have made a key since; a forger may ask for ever.
        guard monotonicNanoseconds() &- readAt > 2_000_000_000 else { return nil }
        try? await read()
        return verifying[id]
    }

    private func read() async throws {
        var rows = try await database.query(KeyStatements.live)
        if rows.isEmpty {
            try await makeFirst()
            rows = try await database.query(KeyStatements.live)
        }
        let now = Instant.now()
        var views: [KeyView] = []
        var keys: [String: VerificationKey] = [:]
        var signing: ES256Key?
        for row in rows {
            let key = try ES256Key(
                der: try seal.open(row.sealedPrivateKey, context: Array(row.id.utf8))
            )
            let view = KeyView(
                keyType: "EC",
                curve: "P-256",
                x: Crypto.Base64URL.encode(key.x),
                y: Crypto.Base64URL.encode(key.y),
                keyID: key.id,
                use: "sig",
                algorithm: "ES256"
            )
            views.append(view)
            keys[key.id] = VerificationKey(view)
            if signing == nil, row.useFrom <= now { signing = key }
        }
        published = views
        verifying = keys
        current = signing
        readAt = monotonicNanoseconds()
    }

    /// The first key of all: whoever gets the lock first makes it.
    private func makeFirst() async throws {
        let seal = self.seal
        try await database.transaction { transaction in
            _ = try await transaction.queryOne(KeyStatements.lock)
            guard try await transaction.query(KeyStatements.live).isEmpty else { return }
            let key = try ES256Key.generate()
            try await transaction.execute(
                KeyStatements.insert,
                key.id,
                seal.seal(key.der, context: Array(key.id.utf8)),
                PostgresJSON(key.jwk),
                Instant.now()
            )
        }
    }
}
