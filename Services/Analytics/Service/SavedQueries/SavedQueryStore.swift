import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Keeps queries, each its owner's alone, reads, changes and removes them.
struct SavedQueryStore {
    let database: Database

    /// What a broken rule of the database means.
    static let constraints = ["saved_query_name_key": ErrorCode.savedQueryNameTaken]

    func make(
        _ body: NewSavedQuery,
        of user: ID<User>,
        in transaction: Transaction
    ) async throws -> SavedQueryRow {
        try await ErasedUsers.hold([user], in: transaction)
        try await transaction.execute(SavedQueryStatements.lockOwner, user.text)
        let count = try await transaction.queryOne(SavedQueryStatements.count, user) ?? 0
        guard count < SavedQueries.countMax else { throw APIError(.tooManySavedQueries) }
        let id = ID<SavedQuery>.new()
        try await transaction.execute(
            SavedQueryStatements.insert,
            user,
            id,
            TextFolding.composed(body.name),
            TextFolding.caseFolded(body.name),
            JSON.text(body.query)
        )
        return try await find(id, of: user, in: transaction)
    }

    func list(
        _ query: PageQuery,
        of user: ID<User>,
        at now: Instant
    ) async throws -> Page<SavedQueryView> {
        let before = try query.cursor?.decode(ID<SavedQuery>.self) ?? ID(high: .max, low: .max)
        let rows = try await database.query(
            SavedQueryStatements.list,
            user,
            before,
            query.limit + 1
        )
        return Page(rows: rows.map { $0.view(at: now) }, limit: query.limit) { Cursor($0.id) }
    }

    /// One of somebody's.
    /// - Throws: 404 for a stranger.
    func find(_ id: ID<SavedQuery>, of user: ID<User>) async throws -> SavedQueryRow {
        try await find(id, of: user, in: database)
    }

    private func find(
        _ id: ID<SavedQuery>,
        of user: ID<User>,
        in database: some Querying
    ) async throws -> SavedQueryRow {
        guard let row = try await database.queryOne(SavedQueryStatements.find, user, id) else {
            throw APIError.notFound
        }
        return row
    }

    func change(
        _ id: ID<SavedQuery>,
        _ change: SavedQueryChange,
        of user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> SavedQueryRow {
        try await refusing(Self.constraints) {
            try await database.transaction { transaction in
                let old = try await lock(id, of: user, ifMatch, transaction)
                let name = change.name.applied(to: old.name)
                try await transaction.execute(
                    SavedQueryStatements.change,
                    user,
                    id,
                    TextFolding.composed(name),
                    TextFolding.caseFolded(name),
                    change.query.content.map { JSON.text($0) } ?? old.text
                )
                return try await find(id, of: user, in: transaction)
            }
        }
    }

    func remove(_ id: ID<SavedQuery>, of user: ID<User>, ifMatch: EntityTags?) async throws {
        try await database.transaction { transaction in
            _ = try await lock(id, of: user, ifMatch, transaction)
            try await transaction.execute(SavedQueryStatements.delete, user, id)
        }
    }

    private func lock(
        _ id: ID<SavedQuery>,
        of user: ID<User>,
        _ ifMatch: EntityTags?,
        _ transaction: Transaction
    ) async throws -> SavedQueryRow {
        guard let row = try await transaction.queryOne(SavedQueryStatements.lock, user, id) else {
            throw APIError.notFound
        }
        try ifMatch.check(row.version)
        return row
    }
}
