import Postgres
import ServiceKit
import WalletProtocol

/// A group's category as its row has it.
struct GroupCategoryRow: Sendable, Hashable {
    let id: ID<GroupCategory>
    let name: String
    let color: Colour
    let symbol: String?
    let coicop: Coicop?
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
            coicop: coicop,
            isDefault: isDefault
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
        insert into groups.category (group_id, id, name, name_folded, color, symbol, coicop)
        values ($1, $2, $3, $4, $5, $6, $7)
        """
    )

    /// By name.
    static let list = Statement(
        by: "category_",
        """
        select id, name, color, symbol, coicop, version, group_id
        from groups.category
        where group_id = $1
        order by name_folded
        limit 1000
        """
    ) { row in try category(row) }

    static let find = Statement(
        by: "category_pkey",
        """
        select id, name, color, symbol, coicop, version, group_id
        from groups.category
        where group_id = $1 and id = $2
        limit 1
        """
    ) { row in try category(row) }

    static let change = Statement<Void>(
        by: "category_pkey",
        """
        update groups.category
        set name = $3, name_folded = $4, color = $5, symbol = $6, coicop = $7,
            version = version + 1
        where group_id = $1 and id = $2
        """
    )

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
            coicop: coicop.flatMap { Coicop(rawValue: $0) },
            version: Int(row.int32(5)),
            group: row.value(6)
        )
    }
}
