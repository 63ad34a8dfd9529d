import Postgres
import ServiceKit
import WalletProtocol

/// One category.
struct GetCategory: Handler {
    static let endpoint = Categories.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<CategoryView> {
        let id = try request.path.id(of: WalletProtocol.Category.self)
        guard let row = try await database.queryOne(CategoryStatements.find, caller.user.id, id)
        else { throw APIError.notFound }
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Colours, symbols and the built-in set.
struct GetPalette: Handler {
    static let endpoint = Categories.palette

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<PaletteView> { .ok(Palette.view) }
}

/// Labels a category as important.
struct LabelCategory: Handler {
    static let endpoint = Categories.label
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<CategoryView> {
        let id = try request.path.id(of: WalletProtocol.Category.self)
        let row = try await label(
            id,
            true,
            of: caller.user.id,
            ifMatch: request.ifMatch,
            in: database
        )
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Takes the label off.
struct UnlabelCategory: Handler {
    static let endpoint = Categories.unlabel
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: WalletProtocol.Category.self)
        _ = try await label(
            id,
            false,
            of: caller.user.id,
            ifMatch: request.ifMatch,
            in: database
        )
        return .noContent
    }
}

/// Sets the label, under the category's lock, so that of two calls at once one is refused.
private func label(
    _ id: CategoryID,
    _ isImportant: Bool,
    of user: ID<User>,
    ifMatch: EntityTags?,
    in database: Database
) async throws -> CategoryRow {
    try await database.transaction { transaction in
        guard let row = try await transaction.queryOne(CategoryStatements.lock, user, id) else {
            throw APIError.notFound
        }
        if let wanted = ifMatch, !wanted.contains(String(row.version)) {
            throw APIError(.preconditionFailed)
        }
        guard row.isImportant != isImportant else {
            throw APIError(isImportant ? .alreadyImportant : .notImportant)
        }
        try await transaction.execute(CategoryStatements.label, user, id, isImportant)
        guard let changed = try await transaction.queryOne(CategoryStatements.find, user, id)
        else { throw APIError.notFound }
        return changed
    }
}
