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
    ///
    /// What lies at or above the xmin comes whole, however much it is: the cursor stays there for
    /// as long as some transaction lasts, so that a page's end would never be passed.
    func list(after: Int?, pageMax: Int32 = pageMax) async throws -> RevocationList {
        let text = try await database.queryOne(RevocationStatements.snapshot)
        let snapshot = text.flatMap { Int($0) } ?? 0
        var items: [Revocation] = []
        var people: [PersonVersion] = []
        var next = after ?? 0
        while true {
            let rows = try await database.query(
                RevocationStatements.after,
                String(next),
                pageMax
            )
            items.append(contentsOf: rows.compactMap(\.revocation))
            people.append(contentsOf: rows.compactMap(\.person))
            guard rows.count >= pageMax,
                let last = rows.last.flatMap({ Int($0.transaction) })
            else { return RevocationList(items: items, people: people, after: snapshot) }
            next = last + 1
            guard next >= snapshot else {
                return RevocationList(items: items, people: people, after: next, hasMore: true)
            }
        }
    }

}

extension RevocationRow {
    /// The person who has changed.
    fileprivate var person: PersonVersion? {
        guard kind == "person", let generation else { return nil }
        return ID(subject).map { PersonVersion(userID: $0, version: Int(generation)) }
    }

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
