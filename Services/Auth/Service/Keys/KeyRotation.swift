import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Makes the next signing key, retires the old ones, and revokes one in an emergency.
///
///     published ── 15 min ──▶ signs ── its successor signs ──▶ verifies alone
///         ── the longest life of a token ──▶ retired          (revoked: at once, from any state)
///
/// Every step is one transaction under one lock, so that any number of replicas do it once.
/// Source: RFC 7517 (key sets), NIST SP 800-57 part 1 (5.3.4, crypto-periods).
struct KeyRotation {
    let database: Database
    let seal: Seal
    let audit: AuditLog

    /// How long a key is published before it signs: longer than anybody keeps the key set, by
    /// its `max-age` of 5 minutes, and than replicas keep what they have read.
    static let publishedAheadSeconds: Int64 = 900
    /// Longer than any token lives: the highest life that can be configured, and some for clocks.
    static let tokenSecondsMax: Int64 = 25_200 + 600

    /// There is no such key, or it is revoked already.
    struct UnknownKey: Error {}

    /// Makes the next key once the newest has been in use for so long, and retires what no
    /// living token was signed with.
    /// - Returns: the names of new and retired keys.
    @discardableResult
    func runSchedule(days: Int) async throws -> (made: String?, retired: [String]) {
        try await database.transaction { transaction in
            _ = try await transaction.queryOne(KeyStatements.lock)
            let newest = try await transaction.query(KeyStatements.live).first
            var made: String?
            let dueAt = newest?.useFrom.adding(
                seconds: Int64(days) * 86_400 - Self.publishedAheadSeconds
            )
            if days > 0, let dueAt, dueAt <= .now() {
                let from = Instant.now().adding(seconds: Self.publishedAheadSeconds)
                let id = try await insert(from: from, in: transaction)
                try await log(id, signsFrom: from, by: .service(.auth), in: transaction)
                made = id
            }
            let retired = try await transaction.query(
                KeyStatements.retireSuperseded,
                Double(Self.tokenSecondsMax)
            )
            return (made, retired)
        }
    }

    /// The first key of all, where there is none.
    func makeFirst() async throws {
        try await database.transaction { transaction in
            _ = try await transaction.queryOne(KeyStatements.lock)
            guard try await transaction.query(KeyStatements.live).isEmpty else { return }
            _ = try await insert(from: .now(), in: transaction)
        }
    }

    /// Makes the next key, which signs once everybody can have seen it; `now`: at once, so that
    /// who keeps key sets may refuse its tokens for some minutes.
    func rotate(now: Bool) async throws -> String {
        try await database.transaction { transaction in
            _ = try await transaction.queryOne(KeyStatements.lock)
            let from = Instant.now().adding(seconds: now ? 0 : Self.publishedAheadSeconds)
            let id = try await insert(from: from, in: transaction)
            try await log(id, signsFrom: from, by: .operator, in: transaction)
            return id
        }
    }

    /// Ends a key and every token that it has signed, in the hands of thieves too; another signs
    /// from the same instant on.
    /// - Returns: the name of the key that signs now.
    func revoke(_ id: String) async throws -> String {
        try await database.transaction { transaction in
            _ = try await transaction.queryOne(KeyStatements.lock)
            guard try await transaction.queryOne(KeyStatements.revoke, id) != nil else {
                throw UnknownKey()
            }
            let none: Int32? = nil
            try await transaction.execute(
                RevocationStatements.insert,
                "key",
                [id],
                none,
                Instant.now().adding(seconds: Self.tokenSecondsMax)
            )
            let signing = try await signer(in: transaction)
            try await audit.append(
                AuditEntry(
                    .keyRevoked,
                    by: .operator,
                    of: nil,
                    detail: ["key": .string(id), "signing": .string(signing)]
                ),
                in: transaction
            )
            return signing
        }
    }

    /// The key that signs where the one that did is gone: one that is published, or a new one.
    private func signer(in transaction: Transaction) async throws -> String {
        let rest = try await transaction.query(KeyStatements.live)
        if let signing = rest.first(where: { $0.useFrom <= .now() }) { return signing.id }
        if let next = rest.last {
            try await transaction.execute(KeyStatements.useNow, next.id)
            return next.id
        }
        return try await insert(from: .now(), in: transaction)
    }

    func list() async throws -> [ListedKey] { try await database.query(KeyStatements.list) }

    private func log(
        _ id: String,
        signsFrom: Instant,
        by actor: AuditActor,
        in transaction: Transaction
    ) async throws {
        try await audit.append(
            AuditEntry(
                .keyRotated,
                by: actor,
                of: nil,
                detail: ["key": .string(id), "signsFrom": .string(signsFrom.description)]
            ),
            in: transaction
        )
    }

    private func insert(from: Instant, in transaction: Transaction) async throws -> String {
        let key = try ES256Key.generate()
        try await transaction.execute(
            KeyStatements.insert,
            key.id,
            seal.seal(key.der, context: Array(key.id.utf8)),
            PostgresJSON(key.jwk),
            from
        )
        return key.id
    }
}
