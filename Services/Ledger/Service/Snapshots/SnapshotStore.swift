import Postgres
import ServiceKit
import WalletProtocol

/// Where a page of a snapshot begins: behind this of a person.
struct SnapshotPlace: JSONObject, Hashable {
    let user: ID<User>
    let id: CategoryID

    static let json = Object(
        SnapshotPlace.init(user:id:),
        Field("user", \.user),
        Field("id", \.id)
    )

    static let start = SnapshotPlace(user: ID(high: 0, low: 0), id: ID(high: 0, low: 0))
}

/// What stands, for read models that begin anew or are held against it.
///
/// Whatever changes a row tells of it in the same transaction: so the row and the sequence that one
/// statement reads are of one moment.
final class SnapshotStore {
    private let database: Database

    init(database: Database) { self.database = database }

    func accounts(_ query: SnapshotQuery) async throws -> Page<Snapshot<AccountOpened>> {
        let after = try query.cursor?.decode(ID<Account>.self) ?? ID(high: 0, low: 0)
        let rows = try await database.query(SnapshotStatements.accounts, after, query.limit + 1)
        return Page(rows: rows, limit: query.limit) { Cursor($0.data.accountID) }
    }

    func categories(_ query: SnapshotQuery) async throws -> Page<Snapshot<CategoryChanged>> {
        let after = try query.cursor?.decode(SnapshotPlace.self) ?? .start
        let rows = try await database.query(
            SnapshotStatements.categories,
            after.user,
            after.id,
            query.limit + 1
        )
        return Page(rows: rows, limit: query.limit) {
            Cursor(SnapshotPlace(user: $0.data.userID, id: $0.data.categoryID))
        }
    }

    func members(_ query: SnapshotQuery) async throws -> Page<Snapshot<WalletMemberChanged>> {
        let after = try query.cursor?.decode(SnapshotPlace.self) ?? .start
        let rows = try await database.query(
            SnapshotStatements.members,
            after.user,
            after.id,
            query.limit + 1
        )
        return Page(rows: rows, limit: query.limit) {
            let id = $0.data.accountID.retagged(WalletProtocol.Category.self)
            return Cursor(SnapshotPlace(user: $0.data.userID, id: id))
        }
    }

    /// - Throws: 422, where a transaction has no version.
    func versions(_ question: VersionQuestion) async throws -> [BookedVersion] {
        guard question.transactionIDs.count == question.versions.count else {
            throw APIError(.invalidBody)
        }
        return try await database.query(
            SnapshotStatements.versions,
            question.transactionIDs,
            question.versions.map { Int32(clamping: $0) }
        )
    }
}
