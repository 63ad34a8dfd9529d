import Postgres
import ServiceKit
import WalletProtocol

/// A group's category as its row has it.
struct GroupCategoryRow: Sendable, Hashable {
    let id: ID<GroupCategory>
    let name: String
    let color: Colour
    let symbol: String?
    let parent: ID<GroupCategory>?
    let type: CategoryType
    let coicop: Coicop?
    let isImportant: Bool
    let version: Int
    let group: ID<Group>

    /// Whether it is «Others», which has the group's own id.
    var isDefault: Bool { id == .others(of: group) }

    /// The category as members see it.
    var view: GroupCategoryView {
        GroupCategoryView(
            id: id,
            name: name,
            color: color,
            symbol: symbol,
            parentID: parent,
            type: type,
            coicop: coicop,
            isDefault: isDefault,
            isImportant: isImportant
        )
    }
}

extension ID where Tag == GroupCategory {
    /// «Others».
    static func others(of group: ID<Group>) -> ID<GroupCategory> {
        group.retagged(GroupCategory.self)
    }
}

/// The SQL of groups' categories; each statement names the index that serves it.
enum GroupCategoryStatements {
    static let insert = Statement<Void>(
        """
        insert into groups.category (
            group_id, id, name, name_folded, color, symbol, parent_id, type, coicop)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """
    )

    /// By name: all of a group's, of which there are at most `GroupCategories.countMax`, and
    /// «Others».
    static let list = Statement(
        by: "category_",
        """
        select id, name, color, symbol, coicop, version, group_id, parent_id, type, is_important
        from groups.category
        where group_id = $1
        order by name_folded
        limit 201
        """
    ) { row in try category(row) }

    /// Those of several groups that are named, each beside its group.
    static let findSome = Statement(
        by: "category_pkey",
        """
        select c.id, c.name, c.color, c.symbol, c.coicop, c.version, c.group_id,
            c.parent_id, c.type, c.is_important
        from unnest($1::uuid[], $2::uuid[]) as named (group_id, id)
        cross join lateral (
            select * from groups.category
            where group_id = named.group_id and id = named.id
            limit 1
        ) c
        """
    ) { row in try category(row) }

    static let find = Statement(
        by: "category_pkey",
        """
        select id, name, color, symbol, coicop, version, group_id, parent_id, type, is_important
        from groups.category
        where group_id = $1 and id = $2
        limit 1
        """
    ) { row in try category(row) }

    static let change = Statement<Void>(
        by: "category_pkey",
        """
        update groups.category
        set name = $3, name_folded = $4, color = $5, symbol = $6, parent_id = $7, type = $8,
            coicop = $9, version = version + 1
        where group_id = $1 and id = $2
        """
    )

    /// The label alone, which «Others» may bear too.
    static let label = Statement<Void>(
        by: "category_pkey",
        """
        update groups.category
        set is_important = $3, version = version + 1
        where group_id = $1 and id = $2
        """
    )

    static let hasChildren = Statement(
        by: "category_parent_idx",
        "select exists (select from groups.category where group_id = $1 and parent_id = $2)"
    ) { row in try row.bool(0) }

    /// Those below come up.
    static let raiseChildren = Statement(
        by: "category_parent_idx",
        """
        update groups.category
        set parent_id = null, version = version + 1
        where group_id = $1 and parent_id = $2
        returning id
        """
    ) { row in try row.value(0, as: ID<GroupCategory>.self) }

    /// What is in a category goes to «Others»: removed expenses, too, for they may come back.
    static let empty = Statement<Void>(
        by: "expense_category_idx",
        """
        update groups.expense
        set category_id = null
        where group_id = $1 and category_id = $2
        """
    )

    static let delete = Statement<Void>(
        by: "category_pkey",
        "delete from groups.category where group_id = $1 and id = $2"
    )

    private static func category(_ row: borrowing PostgresRow) throws -> GroupCategoryRow {
        let coicop = try row.value(4, as: String?.self)
        return try GroupCategoryRow(
            id: row.value(0),
            name: row.string(1),
            color: Colour(rgb: UInt32(row.int32(2))),
            symbol: row.value(3),
            parent: row.value(7),
            type: row.word(8),
            coicop: coicop.flatMap { Coicop(rawValue: $0) },
            isImportant: row.bool(9),
            version: Int(row.int32(5)),
            group: row.value(6)
        )
    }
}
