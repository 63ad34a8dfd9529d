import Messaging
import Palette
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Makes a group's categories, reads and changes them.
final class GroupCategoryStore {
    private let database: Database
    private let effects: KeyedEffects

    /// What a broken rule of the database means.
    static let constraints = ["group_category_name_key": ErrorCode.categoryNameTaken]

    init(database: Database, effects: KeyedEffects) {
        self.database = database
        self.effects = effects
    }

    func make(
        _ body: NewGroupCategory,
        of group: ID<Group>,
        by user: ID<User>,
        in transaction: Transaction
    ) async throws -> GroupCategoryRow {
        _ = try await Membership.lock(user, in: group, to: .write, transaction)
        let rows = try await transaction.query(GroupCategoryStatements.list, group)
        guard rows.count < GroupCategories.countMax else {
            let detail = "a group has at most \(GroupCategories.countMax) categories"
            throw APIError.field("", .tooMany, detail)
        }
        let id = ID<GroupCategory>.new()
        let folded = TextFolding.caseFolded(body.name)
        try Palette.check(body.symbol)
        if let parent = body.parentID { try Self.checkParent(parent, among: rows) }
        try await transaction.execute(
            GroupCategoryStatements.insert,
            group,
            id,
            TextFolding.composed(body.name),
            folded,
            Int32((body.color ?? Palette.next(after: rows.map(\.color))).rgb),
            body.symbol,
            body.parentID,
            body.type.rawValue,
            (body.coicop ?? Palette.coicop(ofFolded: folded))?.rawValue
        )
        let row = try await Self.find(id, of: group, transaction)
        try await Self.tell(of: row, in: transaction)
        return row
    }

    func list(of group: ID<Group>, for user: ID<User>) async throws -> Page<GroupCategoryView> {
        _ = try await Membership.find(user, in: group, database)
        let rows = try await database.query(GroupCategoryStatements.list, group)
        return Page(items: rows.map(\.view), nextCursor: nil)
    }

    func change(
        _ id: ID<GroupCategory>,
        of group: ID<Group>,
        _ change: GroupCategoryChange,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> GroupCategoryRow {
        try await refusing(Self.constraints) {
            try await database.transaction { transaction in
                let old = try await Self.lock(id, of: group, by: user, ifMatch, transaction)
                if case .set(let symbol) = change.symbol { try Palette.check(symbol) }
                if case .set(let parent) = change.parentID {
                    try await Self.checkMove(of: old, below: parent, transaction)
                }
                let name = change.name.applied(to: old.name)
                try await transaction.execute(
                    GroupCategoryStatements.change,
                    group,
                    id,
                    TextFolding.composed(name),
                    TextFolding.caseFolded(name),
                    Int32(change.color.applied(to: old.color).rgb),
                    change.symbol.applied(to: old.symbol),
                    change.parentID.applied(to: old.parent),
                    change.type.applied(to: old.type).rawValue,
                    change.coicop.applied(to: old.coicop)?.rawValue
                )
                let new = try await Self.find(id, of: group, transaction)
                if new.coicop != old.coicop || new.parent != old.parent {
                    try await Self.tell(of: new, in: transaction)
                }
                return new
            }
        }
    }

    /// Labels one, or takes the label off.
    func label(
        _ id: ID<GroupCategory>,
        _ isImportant: Bool,
        of group: ID<Group>,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> GroupCategoryRow {
        try await database.transaction { transaction in
            _ = try await Membership.lock(user, in: group, to: .write, transaction)
            let row = try await Self.find(id, of: group, transaction)
            try ifMatch.check(row.version)
            guard row.isImportant != isImportant else {
                throw APIError(isImportant ? .alreadyImportant : .notImportant)
            }
            try await transaction.execute(GroupCategoryStatements.label, group, id, isImportant)
            return try await Self.find(id, of: group, transaction)
        }
    }

    /// Two levels: what is above stands at the top itself, and what goes below has none below it.
    private static func checkMove(
        of category: GroupCategoryRow,
        below parent: ID<GroupCategory>,
        _ transaction: Transaction
    ) async throws {
        let (group, id) = (category.group, category.id)
        try checkParent(
            parent,
            among: try await transaction.query(GroupCategoryStatements.list, group)
        )
        guard parent != id,
            try await transaction.queryOne(GroupCategoryStatements.hasChildren, group, id) == false
        else { throw APIError(.categoryDepth) }
    }

    private static func checkParent(
        _ parent: ID<GroupCategory>,
        among rows: [GroupCategoryRow]
    ) throws(APIError) {
        guard let row = rows.first(where: { $0.id == parent }) else {
            throw .field("/parentId", .unknownReference, "is no category of the group")
        }
        guard row.parent == nil else { throw APIError(.categoryDepth) }
    }

    /// Takes one away; its expenses go to «Others», or with it, and those below it come up.
    func remove(
        _ id: ID<GroupCategory>,
        of group: ID<Group>,
        by user: ID<User>,
        deleting isDeleting: Bool,
        ifMatch: EntityTags?
    ) async throws {
        try await effects.run { transaction in
            let old = try await Self.lock(id, of: group, by: user, ifMatch, transaction)
            if isDeleting {
                let membership = try await Membership.find(user, in: group, transaction)
                try await ExpenseStore.removeAll(in: id, by: membership, in: transaction)
            }
            let raised = try await transaction.query(
                GroupCategoryStatements.raiseChildren,
                group,
                id
            )
            try await transaction.execute(GroupCategoryStatements.empty, group, id)
            try await transaction.execute(GroupCategoryStatements.delete, group, id)
            for child in raised.sorted() {
                try await Self.tell(of: Self.find(child, of: group, transaction), in: transaction)
            }
            try await Self.tell(of: old, isDeleted: true, in: transaction)
        }
    }

    private static func tell(
        of category: GroupCategoryRow,
        isDeleted: Bool = false,
        in transaction: Transaction
    ) async throws {
        try await Outbox.append(
            GroupCategoryChanged(
                groupID: category.group,
                categoryID: category.id,
                parentID: isDeleted ? nil : category.parent,
                coicop: isDeleted ? nil : category.coicop,
                isDeleted: isDeleted
            ),
            of: category.group.aggregate,
            in: transaction
        )
    }

    private static func lock(
        _ id: ID<GroupCategory>,
        of group: ID<Group>,
        by user: ID<User>,
        _ wanted: EntityTags?,
        _ transaction: Transaction
    ) async throws -> GroupCategoryRow {
        _ = try await Membership.lock(user, in: group, to: .write, transaction)
        let row = try await find(id, of: group, transaction)
        try wanted.check(row.version)
        guard !row.isDefault else { throw APIError(.defaultCategory) }
        return row
    }

    private static func find(
        _ id: ID<GroupCategory>,
        of group: ID<Group>,
        _ database: some Querying
    ) async throws -> GroupCategoryRow {
        guard let row = try await database.queryOne(GroupCategoryStatements.find, group, id) else {
            throw APIError.notFound
        }
        return row
    }
}
