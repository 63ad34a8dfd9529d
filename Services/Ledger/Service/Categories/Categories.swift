import Palette
import ServiceKit
import WalletProtocol

/// Makes a category.
struct MakeCategory: Handler {
    static let endpoint = Categories.make
    let effects: KeyedEffects
    let categories: CategoryStore

    func handle(
        _ request: Request<NoQuery, NewCategory>,
        as caller: Caller
    ) async throws -> Response<CategoryView> {
        _ = try await categories.people.person(caller.user.id)
        return try await effects.answer(
            request.idempotency,
            refusing: ["category_name_key": .categoryNameTaken]
        ) { transaction in
            let row = try await categories.make(request.body, of: caller.user.id, in: transaction)
            return .created(row.view, at: "/v1/categories/\(row.id)").tagged(String(row.version))
        }
    }
}

/// Categories by name.
struct ListCategories: Handler {
    static let endpoint = Categories.list
    let categories: CategoryStore

    func handle(
        _ request: Request<FullPageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<CategoryView>> {
        .ok(try await categories.list(request.query, of: caller.user.id))
    }
}

/// One category.
struct GetCategory: Handler {
    static let endpoint = Categories.get
    let categories: CategoryStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<CategoryView> {
        let id = try request.path.id(of: WalletProtocol.Category.self)
        let row = try await categories.find(id, of: caller.user.id)
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

/// Names and colours, for services that make documents.
struct GetCategoryLabels: Handler {
    static let endpoint = InternalCategories.labels
    let categories: CategoryStore

    func handle(
        _ request: Request<NoQuery, CategoryLabelRequest>,
        as caller: Caller
    ) async throws -> Response<CategoryLabels> { .ok(try await categories.labels(request.body)) }
}

/// Changes a category.
struct ChangeCategory: Handler {
    static let endpoint = Categories.change
    let categories: CategoryStore

    func handle(
        _ request: Request<NoQuery, CategoryChange>,
        as caller: Caller
    ) async throws -> Response<CategoryView> {
        let (user, body) = (caller.user.id, request.body)
        let id = try request.path.id(of: WalletProtocol.Category.self)
        let row = try await categories.change(id, body, of: user, ifMatch: request.ifMatch)
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Labels a category as important.
struct LabelCategory: Handler {
    static let endpoint = Categories.label
    let categories: CategoryStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<CategoryView> {
        let id = try request.path.id(of: WalletProtocol.Category.self)
        let user = caller.user.id
        let row = try await categories.label(id, true, of: user, ifMatch: request.ifMatch)
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Takes the label off.
struct UnlabelCategory: Handler {
    static let endpoint = Categories.unlabel
    let categories: CategoryStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: WalletProtocol.Category.self)
        _ = try await categories.label(id, false, of: caller.user.id, ifMatch: request.ifMatch)
        return .noContent
    }
}
