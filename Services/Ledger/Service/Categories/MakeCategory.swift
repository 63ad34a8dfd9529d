import Messaging
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Makes a category.
struct MakeCategory: Handler {
    static let endpoint = Categories.make
    let effects: KeyedEffects
    let people: People

    func handle(
        _ request: Request<NoQuery, NewCategory>,
        as caller: Caller
    ) async throws -> Response<CategoryView> {
        let user = caller.user.id
        _ = try await people.person(user)
        return try await effects.answer(
            request.idempotency,
            refusing: ["category_name_key": .categoryNameTaken]
        ) { transaction in
            let row = try await insert(request.body, of: user, in: transaction)
            return .created(row.view, at: "/v1/categories/\(row.id)").tagged(String(row.version))
        }
    }

    private func insert(
        _ body: NewCategory,
        of user: ID<User>,
        in transaction: Transaction
    ) async throws -> CategoryRow {
        if let parent = body.parentID {
            try await ErasedUsers.hold([user], in: transaction)
            try await checkParent(parent, of: user, in: transaction)
        }
        let color: Colour
        if let chosen = body.color {
            color = chosen
        } else {
            let taken = try await transaction.query(CategoryStatements.colours, user)
            color = Palette.next(after: taken)
        }
        let id = CategoryID.new()
        let name = TextFolding.composed(body.name)
        let foldedName = try folded(name)
        let coicop = body.coicop ?? Palette.coicop(ofFolded: foldedName)
        try Palette.check(body.symbol)
        try await transaction.execute(
            CategoryStatements.insert,
            id,
            user,
            name,
            foldedName,
            Int32(color.rgb),
            body.symbol,
            body.parentID,
            body.type.rawValue,
            coicop?.rawValue,
            false
        )
        _ = try await Outbox.append(
            CategoryChanged(
                categoryID: id,
                userID: user,
                parentID: body.parentID,
                coicop: coicop
            ),
            of: "category:\(id)",
            in: transaction
        )
        guard let row = try await transaction.queryOne(CategoryStatements.find, user, id) else {
            throw APIError(.internalError)
        }
        return row
    }
}

/// The form by which names are the same.
/// - Throws: 422 for what nobody could see: zero-width characters alone.
func folded(_ name: String) throws(APIError) -> String {
    let folded = TextFolding.caseFolded(name)
    guard !folded.isEmpty else { throw .field("/name", .blank, "must not be blank") }
    return folded
}

/// Two levels: what is above stands at the top itself.
///
/// Its row is locked, so that it stays there.
func checkParent(
    _ parent: CategoryID,
    of user: ID<User>,
    in transaction: Transaction
) async throws {
    guard let row = try await transaction.queryOne(CategoryStatements.lock, user, parent) else {
        throw APIError.field("/parentId", .unknownReference, "is absent or not yours")
    }
    guard row.parent == nil else { throw APIError(.categoryDepth) }
}

/// Categories by name.
struct ListCategories: Handler {
    static let endpoint = Categories.list
    let database: Database
    let people: People

    func handle(
        _ request: Request<FullPageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<CategoryView>> {
        let user = caller.user.id
        _ = try await people.person(user)
        let query = request.query
        let after = try query.cursor?.decode(String.self) ?? ""
        let rows = try await database.query(
            CategoryStatements.list,
            user,
            after,
            query.limit + 1
        )
        let shown = rows.prefix(query.limit)
        let next = rows.count > query.limit ? shown.last.map { Cursor($0.nameFolded) } : nil
        return .ok(Page(items: shown.map(\.view), nextCursor: next))
    }
}

/// Changes a category.
struct ChangeCategory: Handler {
    static let endpoint = Categories.change
    let database: Database
    let relayBell: RelayBell

    func handle(
        _ request: Request<NoQuery, CategoryChange>,
        as caller: Caller
    ) async throws -> Response<CategoryView> {
        let user = caller.user.id
        let id = try request.path.id(of: WalletProtocol.Category.self)
        let row: CategoryRow
        do {
            row = try await database.transaction { transaction in
                try await change(id, of: user, request, in: transaction)
            }
        } catch let error as DatabaseError where error.violatedConstraint == "category_name_key" {
            throw APIError(.categoryNameTaken)
        }
        relayBell.ring()
        return .ok(row.view).tagged(String(row.version))
    }

    private func change(
        _ id: CategoryID,
        of user: ID<User>,
        _ request: Request<NoQuery, CategoryChange>,
        in transaction: Transaction
    ) async throws -> CategoryRow {
        let body = request.body
        // The parent's row first: whoever makes one below it locks in this order, too.
        if case .set(let parent) = body.parentID {
            try await checkParent(parent, of: user, in: transaction)
            guard parent != id else { throw APIError(.categoryDepth) }
        }
        guard let old = try await transaction.queryOne(CategoryStatements.lock, user, id) else {
            throw APIError.notFound
        }
        if let wanted = request.ifMatch, !wanted.contains(String(old.version)) {
            throw APIError(.preconditionFailed)
        }
        guard !old.isDefault else { throw APIError(.defaultCategory) }
        if case .set = body.parentID,
            try await transaction.queryOne(CategoryStatements.hasChildren, id) == true
        {
            throw APIError(.categoryDepth)
        }
        if case .set(let symbol) = body.symbol { try Palette.check(symbol) }
        let name = TextFolding.composed(body.name.applied(to: old.name))
        let parent = body.parentID.applied(to: old.parent)
        let coicop = body.coicop.applied(to: old.coicop)
        try await transaction.execute(
            CategoryStatements.change,
            user,
            id,
            name,
            try folded(name),
            Int32(body.color.applied(to: old.color).rgb),
            body.symbol.applied(to: old.symbol),
            parent,
            body.type.applied(to: old.type).rawValue,
            coicop?.rawValue
        )
        if parent != old.parent || coicop != old.coicop {
            _ = try await Outbox.append(
                CategoryChanged(categoryID: id, userID: user, parentID: parent, coicop: coicop),
                of: "category:\(id)",
                in: transaction
            )
        }
        guard let row = try await transaction.queryOne(CategoryStatements.find, user, id) else {
            throw APIError.notFound
        }
        return row
    }
}
