import Messaging
import Palette
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Makes categories, reads them by name, changes and labels them.
struct CategoryStore {
    let database: Database
    let people: People
    let relayBell: RelayBell

    func make(
        _ body: NewCategory,
        of user: ID<User>,
        in transaction: Transaction
    ) async throws -> CategoryRow {
        if let parent = body.parentID {
            try await ErasedUsers.hold([user], in: transaction)
            try await checkParent(parent, of: user, in: transaction)
        }
        let taken = try await transaction.query(CategoryStatements.colours, user)
        guard taken.count < Categories.countMax else {
            let detail = "a person has at most \(Categories.countMax) categories"
            throw APIError.field("", .tooMany, detail)
        }
        let color = body.color ?? Palette.next(after: taken)
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

    /// By name.
    func list(_ query: FullPageQuery, of user: ID<User>) async throws -> Page<CategoryView> {
        _ = try await people.person(user)
        let after = try query.cursor?.decode(String.self) ?? ""
        let rows = try await database.query(CategoryStatements.list, user, after, query.limit + 1)
        let shown = rows.prefix(query.limit)
        let next = rows.count > query.limit ? shown.last.map { Cursor($0.nameFolded) } : nil
        return Page(items: shown.map(\.view), nextCursor: next)
    }

    /// What some of a person's categories are known by.
    func labels(_ request: CategoryLabelRequest) async throws -> CategoryLabels {
        let items = try await database.query(
            CategoryStatements.labels,
            request.userID,
            request.categoryIDs
        )
        return CategoryLabels(items: items)
    }

    func find(_ id: CategoryID, of user: ID<User>) async throws -> CategoryRow {
        guard let row = try await database.queryOne(CategoryStatements.find, user, id) else {
            throw APIError.notFound
        }
        return row
    }

    func change(
        _ id: CategoryID,
        _ change: CategoryChange,
        of user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> CategoryRow {
        let row: CategoryRow
        do {
            row = try await database.transaction { transaction in
                try await self.change(id, of: user, change, ifMatch: ifMatch, in: transaction)
            }
        } catch let error as DatabaseError where error.violatedConstraint == "category_name_key" {
            throw APIError(.categoryNameTaken)
        }
        relayBell.ring()
        return row
    }

    private func change(
        _ id: CategoryID,
        of user: ID<User>,
        _ body: CategoryChange,
        ifMatch wanted: EntityTags?,
        in transaction: Transaction
    ) async throws -> CategoryRow {
        // The parent's row first: whoever makes one below it locks in this order, too.
        if case .set(let parent) = body.parentID {
            try await checkParent(parent, of: user, in: transaction)
            guard parent != id else { throw APIError(.categoryDepth) }
        }
        guard let old = try await transaction.queryOne(CategoryStatements.lock, user, id) else {
            throw APIError.notFound
        }
        try wanted.check(old.version)
        guard !old.isDefault else { throw APIError(.defaultCategory) }
        if case .set = body.parentID,
            try await transaction.queryOne(CategoryStatements.hasChildren, id) == true
        {
            throw APIError(.categoryDepth)
        }
        if case .set(let symbol) = body.symbol { try Palette.check(symbol) }
        let name = TextFolding.composed(body.name.applied(to: old.name))
        let parent = body.parentID.applied(to: old.parent)
        if let above = old.parent, parent != above { try await Self.check([above], transaction) }
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

    /// A limit ends by a parent's hand only: what is below a limited category stays there.
    /// - Throws: `category-limited` where one of them has a limit.
    static func check(_ categories: [CategoryID], _ transaction: Transaction) async throws {
        if try await transaction.queryOne(LimitStatements.isLimited, categories) == true {
            throw APIError(.categoryLimited)
        }
    }

    /// Sets the label, under the category's lock, so that of two calls at once one is refused.
    func label(
        _ id: CategoryID,
        _ isImportant: Bool,
        of user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws -> CategoryRow {
        try await database.transaction { transaction in
            guard let row = try await transaction.queryOne(CategoryStatements.lock, user, id) else {
                throw APIError.notFound
            }
            try wanted.check(row.version)
            guard row.isImportant != isImportant else {
                throw APIError(isImportant ? .alreadyImportant : .notImportant)
            }
            try await transaction.execute(CategoryStatements.label, user, id, isImportant)
            guard let changed = try await transaction.queryOne(CategoryStatements.find, user, id)
            else { throw APIError.notFound }
            return changed
        }
    }

    /// Two levels: what is above stands at the top itself.
    ///
    /// Its row is locked, so that it stays there.
    private func checkParent(
        _ parent: CategoryID,
        of user: ID<User>,
        in transaction: Transaction
    ) async throws {
        guard let row = try await transaction.queryOne(CategoryStatements.lock, user, parent) else {
            throw APIError.field("/parentId", .unknownReference, "is absent or not yours")
        }
        guard row.parent == nil else { throw APIError(.categoryDepth) }
    }
}
