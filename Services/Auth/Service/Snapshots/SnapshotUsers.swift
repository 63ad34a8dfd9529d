import Postgres
import ServiceKit
import WalletProtocol

/// Everybody, for services whose copy of people begins anew.
struct SnapshotUsers: Handler {
    static let endpoint = InternalAuth.snapshot
    let database: Database

    func handle(
        _ request: Request<SnapshotQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<Snapshot<UserRegistered>>> {
        .ok(try await UserSnapshots(database: database).page(request.query))
    }
}

/// Everybody as they are now, each with how far the events of them were.
struct UserSnapshots {
    let database: Database

    func page(_ query: SnapshotQuery) async throws -> Page<Snapshot<UserRegistered>> {
        let after = try query.cursor?.decode(ID<User>.self) ?? ID(high: 0, low: 0)
        let rows = try await database.query(SnapshotStatements.users, after, query.limit + 1)
        return Page(rows: rows, limit: query.limit) { Cursor($0.data.userID) }
    }
}
