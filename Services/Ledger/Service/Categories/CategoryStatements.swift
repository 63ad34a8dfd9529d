import Postgres
import ServiceKit
import WalletProtocol

/// A category as it is stored.
struct CategoryRow: Sendable {
    let id: CategoryID
    let name: String
    let color: Colour
    let symbol: String?
    let parent: CategoryID?
    let type: CategoryType
    let coicop: Coicop?
    let isDefault: Bool
    let version: Int32
    let nameFolded: String
    let isImportant: Bool

    var view: CategoryView {
        CategoryView(
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

/// The SQL of categories.
enum CategoryStatements {
    /// «Others».
    static let others = Statement(
        by: "category_default_key",
        "select id from ledger.category where user_id = $1 and is_default"
    ) { row in try row.value(0, as: CategoryID.self) }

    /// category_name_key and category_default_key tell by name what is taken.
    static let insert = Statement<Void>(
        """
        insert into ledger.category
            (id, user_id, name, name_folded, color, symbol, parent_id, type, coicop, is_default)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """
    )

    static let find = Statement(
        by: "category_pkey",
        """
        select id, name, color, symbol, parent_id, type, coicop, is_default, version, name_folded,
            is_important
        from ledger.category
        where id = $2 and user_id = $1 and deleted_at is null
        """
    ) { row in try category(row) }

    /// It stays until the transaction has ended.
    static let keep = Statement(
        by: "category_pkey",
        """
        select id from ledger.category
        where id = $2 and user_id = $1 and deleted_at is null
        for share
        """
    ) { row in try row.value(0, as: CategoryID.self) }

    /// Those of rows that somebody sees, in whosever books they are.
    static let ofRows = Statement(
        by: "category_pkey",
        """
        select id, name, color, symbol, parent_id, type, coicop, is_default, version, name_folded,
            is_important
        from ledger.category
        where id = any ($1) and deleted_at is null
        """
    ) { row in try category(row) }

    /// Of those that are named, and theirs.
    static let labels = Statement(
        by: "category_pkey",
        """
        select c.id, c.name, c.color
        from unnest($2::uuid[]) as named (id)
        cross join lateral (
            select id, name, color from ledger.category
            where id = named.id and user_id = $1 and deleted_at is null
            limit 1
        ) c
        """
    ) { row in
        try CategoryLabel(
            categoryID: row.value(0),
            name: row.string(1),
            color: Colour(rgb: UInt32(row.int32(2)))
        )
    }

    /// Two changes at once come one after another.
    static let lock = Statement(
        by: "category_pkey",
        """
        select id, name, color, symbol, parent_id, type, coicop, is_default, version, name_folded,
            is_important
        from ledger.category
        where id = $2 and user_id = $1 and deleted_at is null
        for no key update
        """
    ) { row in try category(row) }

    static let findDefault = Statement(
        by: "category_default_key",
        """
        select id, name, color, symbol, parent_id, type, coicop, is_default, version, name_folded,
            is_important
        from ledger.category
        where user_id = $1 and is_default
        """
    ) { row in try category(row) }

    /// In its order.
    static let list = Statement(
        by: "category_name_key",
        """
        select id, name, color, symbol, parent_id, type, coicop, is_default, version, name_folded,
            is_important
        from ledger.category
        where user_id = $1 and name_folded > $2 and deleted_at is null
        order by name_folded
        limit $3
        """
    ) { row in try category(row) }

    static func category(_ row: borrowing PostgresRow) throws -> CategoryRow {
        let type = try row.string(5)
        guard let type = CategoryType(rawValue: type) else {
            throw row.problem(5, "\(type) is no type of category")
        }
        return try CategoryRow(
            id: row.value(0),
            name: row.string(1),
            color: Colour(rgb: UInt32(row.int32(2))),
            symbol: row.value(3),
            parent: row.value(4),
            type: type,
            coicop: row.value(6, as: String?.self).flatMap(Coicop.init(rawValue:)),
            isDefault: row.bool(7),
            version: row.int32(8),
            nameFolded: row.string(9),
            isImportant: row.bool(10)
        )
    }

    /// Few a person.
    static let colours = Statement(
        by: "category_",
        "select color from ledger.category where user_id = $1 and deleted_at is null"
    ) { row in try Colour(rgb: UInt32(row.int32(0))) }

    static let hasChildren = Statement(
        by: "category_parent_id_idx",
        """
        select exists (
            select from ledger.category where parent_id = $1 and deleted_at is null)
        """
    ) { row in try row.bool(0) }

    static let change = Statement<Void>(
        by: "category_pkey",
        """
        update ledger.category
        set name = $3, name_folded = $4, color = $5, symbol = $6, parent_id = $7, type = $8,
            coicop = $9, version = version + 1, xid = pg_current_xact_id()
        where id = $2 and user_id = $1
        """
    )

    /// The label alone, which «Others» may bear too.
    static let label = Statement<Void>(
        by: "category_pkey",
        """
        update ledger.category
        set is_important = $3, version = version + 1, xid = pg_current_xact_id()
        where id = $2 and user_id = $1
        """
    )

    /// Those below come up.
    static let raiseChildren = Statement(
        by: "category_parent_id_idx",
        """
        update ledger.category
        set parent_id = null, version = version + 1, xid = pg_current_xact_id()
        where parent_id = $1 and deleted_at is null
        returning id
        """
    ) { row in try row.value(0, as: CategoryID.self) }

    static let delete = Statement<Void>(
        by: "category_pkey",
        """
        update ledger.category
        set deleted_at = now(), removal = $3, name = '', name_folded = '', version = version + 1,
            xid = pg_current_xact_id()
        where id = $2 and user_id = $1
        """
    )

    /// The one whose turn it is, and that nobody is at.
    static let toSweep = Statement(
        by: "category_sweep_idx",
        """
        select id, user_id, removal, deleted_at < now() - interval '10 seconds'
        from ledger.category
        where sweep_at <= now() and deleted_at is not null and swept_at is null
        order by sweep_at
        limit 1
        for no key update skip locked
        """
    ) { row in
        try (
            id: row.value(0, as: CategoryID.self),
            user: row.value(1, as: ID<User>.self),
            removal: row.value(2, as: String?.self),
            isOld: row.bool(3)
        )
    }

    /// So many seconds from now.
    static let sweepAgain = Statement<Void>(
        by: "category_pkey",
        """
        update ledger.category set sweep_at = now() + $2 * interval '1 second'
        where id = $1 and swept_at is null
        """
    )

    static let swept = Statement<Void>(
        by: "category_pkey",
        "update ledger.category set swept_at = now() where id = $1"
    )

    /// And accounts by their keys: whether what would go with a category leaves less than nothing
    /// where that may not be.
    static let wouldOverdraw = Statement(
        by: "money_transaction_category_idx",
        """
        select exists (
            select from (
                select account_id, sum(amount) as total from ledger.money_transaction
                where user_id = $1 and category_id = $2 and reversed_by is null and not is_split
                    and transfer_id is null
                group by account_id
            ) as leaving
            join ledger.account as a on a.id = leaving.account_id
            join ledger.balance as b on b.account_id = leaving.account_id
            where a.kind <> 'wallet' and a.state <> 'closed'
                and b.amount - b.held - leaving.total < 0)
        """
    ) { row in try row.bool(0) }
}
