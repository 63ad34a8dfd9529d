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

    /// Rows from `after` on, and the cursor for the next time: the snapshot's xmin, read first.
    func list(after: Int?) async throws -> RevocationList {
        let snapshot = try await database.queryOne(RevocationStatements.snapshot) ?? "0"
        let rows = try await database.query(RevocationStatements.after, String(after ?? 0))
        return RevocationList(
            items: rows.compactMap { row in
                switch row.kind {
                case "session":
                    Revocation(
                        kind: .session,
                        sessionID: ID(row.subject),
                        expiresAt: row.expiresAt
                    )
                case "user":
                    Revocation(
                        kind: .generation,
                        userID: ID(row.subject),
                        generation: row.generation.map(Int.init),
                        expiresAt: row.expiresAt
                    )
                case "key":
                    Revocation(kind: .key, keyID: row.subject, expiresAt: row.expiresAt)
                default: nil
                }
            },
            after: Int(snapshot) ?? 0
        )
    }

    func deleteExpired() async throws {
        try await database.execute(RevocationStatements.deleteExpired)
    }
}
