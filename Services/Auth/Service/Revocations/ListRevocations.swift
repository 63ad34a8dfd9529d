import Postgres
import ServiceKit
import WalletProtocol

/// What every replica of every service asks each second.
struct ListRevocations: Handler {
    static let endpoint = InternalAuth.revocations
    let revocations: RevocationStore

    func handle(
        _ request: Request<RevocationQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<RevocationList> {
        .ok(try await revocations.list(after: request.query.after))
    }
}

/// Reads what has been revoked, missing nothing that commits late.
final class RevocationStore {
    private let database: Database
    init(database: Database) { self.database = database }

    /// What one answer holds; each row is about 120 bytes of JSON.
    static let pageMax: Int32 = 20_000

    /// Rows from `after` on, and the cursor for the next time: the snapshot's xmin, read first; or
    /// what comes behind a full page, where that lies before it.
    func list(after: Int?, pageMax: Int32 = pageMax) async throws -> RevocationList {
        let text = try await database.queryOne(RevocationStatements.snapshot)
        let snapshot = text.flatMap { Int($0) } ?? 0
        let rows = try await database.query(
            RevocationStatements.after,
            String(after ?? 0),
            pageMax
        )
        let last = rows.last.flatMap { Int($0.transaction) } ?? 0
        let hasMore = rows.count >= pageMax && last + 1 < snapshot
        return RevocationList(
            items: rows.compactMap(\.revocation),
            after: hasMore ? last + 1 : snapshot,
            hasMore: hasMore
        )
    }

    func deleteExpired() async throws {
        try await database.execute(RevocationStatements.deleteExpired)
    }
}

extension RevocationRow {
    /// The row as services are told of it.
    fileprivate var revocation: Revocation? {
        switch kind {
        case "session":
            Revocation(kind: .session, sessionID: ID(subject), expiresAt: expiresAt)
        case "user":
            Revocation(
                kind: .generation,
                userID: ID(subject),
                generation: generation.map(Int.init),
                expiresAt: expiresAt
            )
        case "key":
            Revocation(kind: .key, keyID: subject, expiresAt: expiresAt)
        default: nil
        }
    }
}
