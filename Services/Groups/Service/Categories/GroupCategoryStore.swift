import Messaging
import Palette
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Makes a group's categories, reads and changes them.
final class GroupCategoryStore {
    private let database: Database

    /// What a broken rule of the database means.
    static let constraints = ["group_category_name_key": ErrorCode.categoryNameTaken]

    init(database: Database) {
        self.database = database
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
        try await transaction.execute(
            GroupCategoryStatements.insert,
            group,
            id,
            TextFolding.composed(body.name),
            folded,
            Int32((body.color ?? Palette.next(after: rows.map(\.color))).rgb),
            body.symbol,
            (body.coicop ?? Palette.coicop(ofFolded: folded))?.rawValue
        )
        return try await Self.find(id, of: group, transaction)
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
        do {
            return try await database.transaction { transaction in
                let old = try await Self.lock(id, of: group, by: user, ifMatch, transaction)
                if case .set(let symbol) = change.symbol { try Palette.check(symbol) }
                let name = change.name.applied(to: old.name)
                try await transaction.execute(
                    GroupCategoryStatements.change,
                    group,
                    id,
                    TextFolding.composed(name),
                    TextFolding.caseFolded(name),
                    Int32(change.color.applied(to: old.color).rgb),
                    change.symbol.applied(to: old.symbol),
                    change.coicop.applied(to: old.coicop)?.rawValue
                )
                let new = try await Self.find(id, of: group, transaction)
                if new.coicop != old.coicop {
                    try await Self.tell(of: new, in: transaction)
                }
                return new
            }
        } catch let error as DatabaseError {
            guard let code = error.violatedConstraint.flatMap({ Self.constraints[$0] }) else {
                throw error
            }
            throw APIError(code)
        }
    }

    /// Takes one away; its expenses go to «Others».
    func remove(
        _ id: ID<GroupCategory>,
        of group: ID<Group>,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws {
        try await database.transaction { transaction in
            let old = try await Self.lock(id, of: group, by: user, ifMatch, transaction)
            try await transaction.execute(GroupCategoryStatements.empty, group, id)
            try await transaction.execute(GroupCategoryStatements.delete, group, id)
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
