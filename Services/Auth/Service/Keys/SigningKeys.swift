import Crypto
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// The keys of one loop: the one that signs now, and all whose tokens still count.
///
/// Kept sealed in the database, so that every replica signs with the same key; read again every
/// ten seconds, so that a key that another replica made is published here before it is used, and as
/// soon as the one in use is heard to be revoked.
final class SigningKeys: KeySource {
    let rotation: KeyRotation
    private let revocations: Revocations
    private var current: ES256Key?
    private var published: [KeyView] = []
    private var verifying: [String: VerificationKey] = [:]
    private var readAt: UInt64 = 0
    private let inquiry: KeyInquiry

    static let rereadNanoseconds: UInt64 = 10_000_000_000

    init(rotation: KeyRotation, revocations: Revocations) {
        self.rotation = rotation
        self.revocations = revocations
        inquiry = KeyInquiry(on: rotation.database.loop)
    }

    /// The key that signs new tokens.
    func signingKey() async throws -> ES256Key {
        // Cannot wrap: it was read before now, and the clock never goes back.
        if let current, monotonicNanoseconds() &- readAt < Self.rereadNanoseconds,
            !revocations.isRevoked(keyID: current.id)
        {
            return current
        }
        try await read()
        guard let current else { throw APIError(.unavailable, retryAfterSeconds: 1) }
        return current
    }

    /// The public keys of `/.well-known/jwks.json`.
    func publicKeys() async throws -> [KeyView] {
        _ = try await signingKey()
        return published.filter { !revocations.isRevoked(keyID: $0.keyID) }
    }

    func key(_ id: String) async throws(APIError) -> VerificationKey? {
        if let key = verifying[id] { return key }
        // An unknown name: another replica may have made a key since.
        let couldSay = try await inquiry.ask(until: { verifying[id] != nil }) {
            do { try await read() } catch { return false }
            return true
        }
        guard couldSay else { throw APIError(.unavailable, retryAfterSeconds: 1) }
        return verifying[id]
    }

    private func read() async throws {
        var rows = try await rotation.database.query(KeyStatements.live)
        if rows.isEmpty {
            try await rotation.makeFirst()
            rows = try await rotation.database.query(KeyStatements.live)
        }
        let now = Instant.now()
        var views: [KeyView] = []
        var keys: [String: VerificationKey] = [:]
        var signing: ES256Key?
        for row in rows {
            let key = try ES256Key(
                der: try rotation.seal.open(row.sealedPrivateKey, context: Array(row.id.utf8))
            )
            let view = KeyView(
                keyType: "EC",
                curve: "P-256",
                x: Base64URL.encode(key.x),
                y: Base64URL.encode(key.y),
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
}
