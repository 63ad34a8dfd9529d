import Postgres
import ServiceKit
import WalletProtocol

/// Makes a folder.
struct MakeFolder: Handler {
    static let endpoint = Folders.make
    let effects: KeyedEffects
    let people: People

    func handle(
        _ request: Request<NoQuery, NewFolder>,
        as caller: Caller
    ) async throws -> Response<FolderView> {
        let user = caller.user.id
        _ = try await people.person(user)
        return try await effects.answer(request.idempotency) { transaction in
            let row = try await make(request.body, of: user, in: transaction)
            return .created(row.view, at: "/v1/folders/\(row.view.id)")
                .tagged(String(row.version))
        }
    }

    private func make(
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
        guard let row = try await transaction.queryOne(FolderStatements.find(id, for: user)) else {
            throw APIError(.internalError)
        }
        return row
    }
}

/// One's own folders and those that are shared, newest first.
struct ListFolders: Handler {
    static let endpoint = Folders.list
    let database: Database

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<FolderView>> {
        let query = request.query
        let before = try query.cursor?.decode(ID<Folder>.self) ?? ID(high: .max, low: .max)
        let rows = try await database.query(
            FolderStatements.list(for: caller.user.id, before: before, limit: query.limit + 1)
        )
        return .ok(Page(rows: rows.map(\.view), limit: query.limit) { Cursor($0.id) })
    }
}

/// One folder, with who and what is in it.
struct GetFolder: Handler {
    static let endpoint = Folders.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<FolderView> {
        let user = caller.user.id
        let folder = try request.path.id(of: Folder.self)
        guard let row = try await database.queryOne(FolderStatements.find(folder, for: user)) else {
            throw APIError.notFound
        }
        var view = row.view
        view.members = try await database.query(FolderStatements.members, folder)
            .map { $0.view(for: user) }
        view.categories = try await database.query(FolderStatements.categories, folder)
        view.totals = try await totals(of: folder, for: user)
        return .ok(view).tagged(String(row.version))
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
}

/// Gives a folder another name.
struct ChangeFolder: Handler {
    static let endpoint = Folders.change
    let database: Database

    func handle(
        _ request: Request<NoQuery, FolderChange>,
        as caller: Caller
    ) async throws -> Response<FolderView> {
        let user = caller.user.id
        let folder = try request.path.id(of: Folder.self)
        let row = try await database.transaction { transaction in
            try await transaction.holdFolder(
                folder,
                for: user,
                needing: .owner,
                ifMatch: request.ifMatch
            )
            if case .set(let name) = request.body.name {
                try await transaction.execute(FolderStatements.rename, folder, composed(name))
            }
            return try await transaction.queryOne(FolderStatements.find(folder, for: user))
        }
        guard let row else { throw APIError.notFound }
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Takes a folder away; links to it count no more, for nobody is in it.
struct RemoveFolder: Handler {
    static let endpoint = Folders.remove
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let folder = try request.path.id(of: Folder.self)
        try await database.transaction { transaction in
            try await transaction.holdFolder(
                folder,
                for: caller.user.id,
                needing: .owner,
                ifMatch: request.ifMatch
            )
            try await transaction.execute(FolderStatements.delete, folder)
            try await transaction.execute(FolderStatements.takeAllCategories, folder)
            try await transaction.execute(FolderStatements.endMembers, folder)
        }
        return .noContent
    }
}

extension Transaction {
    /// Locks a folder that somebody is in; what they may do with it.
    /// - Throws: 404 for a stranger, 403 for whoever may do less than is needed, 412 where it is of
    ///   another version.
    @discardableResult
    func holdFolder(
        _ folder: ID<Folder>,
        for user: ID<User>,
        needing access: FolderAccess,
        ifMatch wanted: EntityTags? = nil
    ) async throws -> FolderAccess {
        guard let version = try await queryOne(FolderStatements.lock, folder),
            let held = try await queryOne(FolderStatements.accessOf, user, folder)
        else { throw APIError.notFound }
        let suffices =
            switch access {
            case .owner: held == .owner
            case .write: held != .read
            case .read: true
            }
        guard suffices else { throw APIError(.forbidden) }
        if let wanted, !wanted.contains(String(version)) { throw APIError(.preconditionFailed) }
        return held
    }
}
