import ServiceKit
import WalletProtocol

/// Makes a category of a group.
struct MakeGroupCategory: Handler {
    static let endpoint = GroupCategories.make
    let effects: KeyedEffects
    let categories: GroupCategoryStore

    func handle(
        _ request: Request<NoQuery, NewGroupCategory>,
        as caller: Caller
    ) async throws -> Response<GroupCategoryView> {
        let group = try request.path.id(of: Group.self)
        return try await effects.answer(
            request.idempotency,
            refusing: GroupCategoryStore.constraints
        ) { transaction in
            let row = try await categories.make(
                request.body,
                of: group,
                by: caller.user.id,
                in: transaction
            )
            return .created(row.view, at: "/v1/groups/\(group.text)/categories/\(row.id.text)")
                .tagged(String(row.version))
        }
    }
}

/// A group's categories.
struct ListGroupCategories: Handler {
    static let endpoint = GroupCategories.list
    let categories: GroupCategoryStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<GroupCategoryView>> {
        .ok(try await categories.list(of: request.path.id(), for: caller.user.id))
    }
}

/// Changes a category of a group.
struct ChangeGroupCategory: Handler {
    static let endpoint = GroupCategories.change
    let categories: GroupCategoryStore

    func handle(
        _ request: Request<NoQuery, GroupCategoryChange>,
        as caller: Caller
    ) async throws -> Response<GroupCategoryView> {
        let row = try await categories.change(
            request.path.id("categoryId"),
            of: request.path.id(),
            request.body,
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Deletes a category of a group.
struct RemoveGroupCategory: Handler {
    static let endpoint = GroupCategories.remove
    let categories: GroupCategoryStore

    func handle(
        _ request: Request<CategoryRemoval, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await categories.remove(
            request.path.id("categoryId"),
            of: request.path.id(),
            by: caller.user.id,
            deleting: request.query.transactions == .delete,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}

/// Labels a category of a group as important.
struct LabelGroupCategory: Handler {
    static let endpoint = GroupCategories.label
    let categories: GroupCategoryStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<GroupCategoryView> {
        let row = try await categories.label(
            request.path.id("categoryId"),
            true,
            of: request.path.id(),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Takes the label off a category of a group.
struct UnlabelGroupCategory: Handler {
    static let endpoint = GroupCategories.unlabel
    let categories: GroupCategoryStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        _ = try await categories.label(
            request.path.id("categoryId"),
            false,
            of: request.path.id(),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}
