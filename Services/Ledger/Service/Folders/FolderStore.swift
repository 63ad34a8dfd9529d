import Postgres
import ServiceKit
import WalletProtocol

/// Makes folders, reads them with who and what is in them, renames them and takes them away.
struct FolderStore {
    let database: Database
    let people: People

    func make(
        _ body: NewFolder,
        of user: ID<User>,
        in transaction: Transaction
    ) async throws -> FolderRow {
        try await ErasedUsers.hold([user], in: transaction)
        let count = try await transaction.queryOne(FolderStatements.countOwn, user) ?? 0
        guard count < Folders.ownMax else { throw APIError(.tooManyFolders) }
        let id = ID<Folder>.new()
        try await transaction.execute(FolderStatements.insert, id, user, composed(body.name))
        try await transaction.execute(FolderStatements.insertOwner, id, user)
        return try await FolderStore.find(id, for: user, in: transaction)
    }

    /// One's own and those that are shared, newest first.
    func list(_ query: PageQuery, for user: ID<User>) async throws -> Page<FolderView> {
        let before = try query.cursor?.decode(ID<Folder>.self) ?? ID(high: .max, low: .max)
        let rows = try await database.query(
            FolderStatements.list(for: user, before: before, limit: query.limit + 1)
        )
        return Page(rows: rows.map(\.view), limit: query.limit) { Cursor($0.id) }
    }

    /// One, without what is in it.
    /// - Throws: 404 for a stranger.
    func find(_ folder: ID<Folder>, for user: ID<User>) async throws -> FolderRow {
        try await FolderStore.find(folder, for: user, in: database)
    }

    private static func find(
        _ folder: ID<Folder>,
        for user: ID<User>,
        in database: some Querying
    ) async throws -> FolderRow {
        guard let row = try await database.queryOne(FolderStatements.find(folder, for: user)) else {
            throw APIError.notFound
        }
        return row
    }

    /// One, with who and what is in it.
    func whole(
        _ folder: ID<Folder>,
        for user: ID<User>
    ) async throws -> (view: FolderView, version: Int32) {
        let row = try await find(folder, for: user)
        var view = row.view
        view.members = try await database.query(FolderStatements.members, folder)
            .map { $0.view(for: user) }
        view.categories = try await database.query(FolderStatements.categories, folder)
        view.totals = try await totals(of: folder, for: user)
        return (view, row.version)
    }

    /// The sums over all months, each transaction counted once however it came in.
    private func totals(of folder: ID<Folder>, for user: ID<User>) async throws -> [FolderTotal] {
        let reader = TransactionFilterReader(database: database, user: user)
        guard let filter = try await reader.filter(TransactionQuery(folderID: folder)) else {
            throw APIError.notFound
        }
        var totals: [Currency: FolderTotal] = [:]
        for month in try await database.query(
            TransactionListStatements.groups(filter, by: .month, few: .folder)
        ) {
            let currency = month.incoming.currency
            let known = totals[currency]
            totals[currency] = FolderTotal(
                count: Int(month.count) + (known?.count ?? 0),
                incoming: try month.incoming.adding(known?.incoming ?? .zero(currency)),
                outgoing: try month.outgoing.adding(known?.outgoing ?? .zero(currency))
            )
        }
        return totals.values.sorted { $0.incoming.currency.code < $1.incoming.currency.code }
    }

    func change(
        _ folder: ID<Folder>,
        _ change: FolderChange,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> FolderRow {
        try await database.transaction { transaction in
            try await transaction.holdFolder(folder, for: user, needing: .owner, ifMatch: ifMatch)
            if case .set(let name) = change.name {
                try await transaction.execute(FolderStatements.rename, folder, composed(name))
            }
            return try await FolderStore.find(folder, for: user, in: transaction)
        }
    }

    /// Takes one away; links to it count no more, for nobody is in it.
    func remove(_ folder: ID<Folder>, by user: ID<User>, ifMatch: EntityTags?) async throws {
        try await database.transaction { transaction in
            try await transaction.holdFolder(folder, for: user, needing: .owner, ifMatch: ifMatch)
            try await transaction.execute(FolderStatements.delete, folder)
            try await transaction.execute(FolderStatements.takeAllCategories, folder)
            try await transaction.execute(FolderStatements.endMembers, folder)
        }
    }
}
