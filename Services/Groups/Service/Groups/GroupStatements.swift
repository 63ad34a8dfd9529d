import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of groups; each statement names the index that serves it.
enum GroupStatements {
    /// By expense_group_pkey and, for a personal group, expense_group_personal_of_key.
    static let insert = Statement(
        by: "expense_group_personal_of_key",
        """
        insert into groups.expense_group (
            id, name, currency, personal_of, created_by, simplifies_debts, has_roles)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (personal_of) do nothing
        returning created_at
        """
    ) { row in try row.value(0, as: Instant.self) }

    /// The category that every group has; it has the group's own id.
    static let insertOthers = Statement<Void>(
        """
        insert into groups.category (group_id, id, name, name_folded, color, symbol)
        values ($1, $1, 'Others', 'others', $2, 'dots')
        """
    )

    static let raiseVersion = Statement<Void>(
        by: "expense_group_pkey",
        "update groups.expense_group set version = version + 1 where id = $1"
    )

    static let lock = Statement(
        by: "expense_group_pkey",
        """
        select version
        from groups.expense_group
        where id = $1
        for no key update
        limit 1
        """
    ) { row in try row.int32(0) }

    /// Locks only for a member: nobody else makes the others wait.
    static let lockAsMember = Statement(
        by: "expense_group_pkey, member_user_idx",
        """
        select version
        from groups.expense_group
        where id = $1 and exists (
            select from groups.member where user_id = $2 and group_id = $1)
        for no key update
        limit 1
        """
    ) { row in try row.int32(0) }

    /// Nothing where somebody holds the row.
    static let lockFree = Statement(
        by: "expense_group_pkey",
        """
        select currency
        from groups.expense_group
        where id = $1
        limit 1
        for no key update skip locked
        """
    ) { row in try row.value(0, as: Currency.self) }

    static let membership = Statement(
        by: "member_user_idx, expense_group_pkey, member_pkey",
        """
        select g.id, g.name, g.currency, g.personal_of is not null, g.version, g.created_at,
            (select count(*) from groups.member o where o.group_id = g.id and o.left_at is null),
            g.simplifies_debts, g.has_roles, g.archived_at, m.id, m.role
        from groups.member m
        join groups.expense_group g on g.id = m.group_id
        where m.user_id = $1 and m.group_id = $2
        limit 1
        """
    ) { row in
        try (
            group: group(row), member: row.value(10, as: ID<Member>.self),
            role: row.word(11, as: GroupRole.self)
        )
    }

    /// A member's groups, newest first, by member_user_idx.
    static func list(
        of user: ID<User>,
        before: ID<Group>,
        words: String?,
        isArchived: Bool,
        limit: Int
    ) -> BoundStatement<GroupRow> {
        var builder = StatementBuilder(
            """
            select g.id, g.name, g.currency, g.personal_of is not null, g.version, g.created_at,
                (select count(*) from groups.member o
                    where o.group_id = g.id and o.left_at is null),
                g.simplifies_debts, g.has_roles, g.archived_at
            from groups.member m
            join groups.expense_group g on g.id = m.group_id
            where m.user_id = $1 and m.group_id < $2 and (g.archived_at is not null) = $3
            """,
            user,
            before,
            isArchived
        )
        if let words { builder.append(" and g.name ilike $1::text", words.likePattern) }
        builder.append(" order by m.group_id desc limit $1", limit)
        return builder.statement { row in try group(row) }
    }

    private static func group(_ row: borrowing PostgresRow) throws -> GroupRow {
        try GroupRow(
            id: row.value(0),
            name: row.string(1),
            currency: row.value(2),
            isPersonal: row.bool(3),
            memberCount: Int(row.int64(6)),
            simplifiesDebts: row.bool(7),
            hasRoles: row.bool(8),
            archivedAt: row.value(9),
            version: Int(row.int32(4)),
            createdAt: row.value(5)
        )
    }

    static let change = Statement<Void>(
        by: "expense_group_pkey",
        """
        update groups.expense_group
        set name = $2, currency = $3, simplifies_debts = $4, has_roles = $5, archived_at = $6,
            version = version + 1
        where id = $1
        """
    )

    /// What a split can name: who is there, and as which user.
    static let present = Statement(
        by: "member_pkey",
        """
        select id, user_id
        from groups.member
        where group_id = $1 and left_at is null
        order by id
        limit 1000
        """
    ) { row in
        (id: try row.value(0, as: ID<Member>.self), user: try row.value(1, as: ID<User>?.self))
    }

    /// A place, whoever has it or had.
    static let known = Statement(
        by: "member_pkey",
        "select id, user_id from groups.member where group_id = $1 and id = $2 limit 1"
    ) { row in
        (id: try row.value(0, as: ID<Member>.self), user: try row.value(1, as: ID<User>?.self))
    }

    static let hasThresholds = Statement(
        by: "threshold_pkey",
        "select exists (select from groups.threshold where group_id = $1)"
    ) { row in try row.bool(0) }

    /// What has to go before a group's row can, each by the primary key of its table: money refers
    /// to members too, and would hold them while the group's row takes both along.
    static let deleteMoney: [Statement<Void>] = [
        Statement("delete from groups.expense where group_id = $1"),
        Statement("delete from groups.settlement where group_id = $1"),
        Statement("delete from groups.pair_balance where group_id = $1"),
        Statement("delete from groups.member_balance where group_id = $1"),
        Statement("delete from groups.threshold where group_id = $1"),
    ]

    static let delete = Statement<Void>(
        by: "expense_group_pkey",
        "delete from groups.expense_group where id = $1"
    )
}

extension String {
    /// The pattern of `ilike` that finds this text anywhere, whatever is in it.
    var likePattern: String {
        var pattern = "%"
        for character in unicodeScalars {
            if character == "%" || character == "_" || character == "\\" { pattern += "\\" }
            pattern.unicodeScalars.append(character)
        }
        return pattern + "%"
    }
}
