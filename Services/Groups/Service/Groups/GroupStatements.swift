import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of groups and members; each statement names the index that serves it.
enum GroupStatements {
    /// By expense_group_pkey and, for a personal group, expense_group_personal_of_key.
    static let insert = Statement(
        by: "expense_group_personal_of_key",
        """
        insert into groups.expense_group (id, name, currency, personal_of, created_by)
        values ($1, $2, $3, $4, $5)
        on conflict (personal_of) do nothing
        returning created_at
        """
    ) { row in try row.value(0, as: Instant.self) }

    static let insertMember = Statement(
        """
        insert into groups.member (group_id, id, user_id)
        values ($1, $2, $3)
        returning joined_at
        """
    ) { row in try row.value(0, as: Instant.self) }

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
            (select count(*) from groups.member o where o.group_id = g.id), m.id
        from groups.member m
        join groups.expense_group g on g.id = m.group_id
        where m.user_id = $1 and m.group_id = $2
        limit 1
        """
    ) { row in try (group: group(row), member: row.value(7, as: ID<Member>.self)) }

    /// A member's groups, newest first, by member_user_idx.
    static func list(
        of user: ID<User>,
        before: ID<Group>,
        words: String?,
        limit: Int
    ) -> BoundStatement<GroupRow> {
        var builder = StatementBuilder(
            """
            select g.id, g.name, g.currency, g.personal_of is not null, g.version, g.created_at,
                (select count(*) from groups.member o where o.group_id = g.id)
            from groups.member m
            join groups.expense_group g on g.id = m.group_id
            where m.user_id = $1 and m.group_id < $2
            """,
            user,
            before
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
            version: Int(row.int32(4)),
            createdAt: row.value(5)
        )
    }

    /// In the order of joining.
    static let members = Statement(
        by: "member_pkey, person_pkey",
        """
        select m.id, m.user_id, coalesce(p.display_name, m.display_name, '–'), m.joined_at
        from groups.member m
        left join groups.person p on p.user_id = m.user_id
        where m.group_id = $1 and m.id > $2
        order by m.id
        limit $3
        """
    ) { row in
        try MemberRow(
            id: row.value(0),
            user: row.value(1),
            displayName: row.string(2),
            joinedAt: row.value(3)
        )
    }

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

    static let access = Statement(
        by: "member_user_idx",
        """
        select id
        from groups.member
        where user_id = $1 and group_id = $2
        limit 1
        """
    ) { row in try row.value(0, as: ID<Member>.self) }

    /// Twice.
    static let share = Statement(
        by: "member_user_idx",
        """
        select exists (
            select
            from groups.member a
            join groups.member b on b.group_id = a.group_id
            where a.user_id = $1 and b.user_id = $2
        )
        """
    ) { row in try row.bool(0) }
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
