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

    /// Whether it is archived.
    static let lock = Statement(
        by: "expense_group_pkey",
        """
        select archived_at is not null
        from groups.expense_group
        where id = $1
        for no key update
        limit 1
        """
    ) { row in try row.bool(0) }

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

    /// Several groups, in the order of all who lock several; of those who are members.
    static let lockAll = Statement(
        by: "expense_group_pkey, member_user_idx",
        """
        select id
        from groups.expense_group
        where id = any (array(
            select (
                select m.group_id from groups.member m
                where m.user_id = asked.user_id and m.group_id = asked.group_id)
            from unnest($1::uuid[], $2::uuid[]) as asked (group_id, user_id)))
        order by id
        for no key update
        """
    ) { row in try row.value(0, as: ID<Group>.self) }

    /// The same without those that somebody holds.
    static let lockAllFree = Statement(
        by: "expense_group_pkey, member_user_idx",
        """
        select id
        from groups.expense_group
        where id = any (array(
            select (
                select m.group_id from groups.member m
                where m.user_id = asked.user_id and m.group_id = asked.group_id)
            from unnest($1::uuid[], $2::uuid[]) as asked (group_id, user_id)))
        order by id
        for no key update skip locked
        """
    ) { row in try row.value(0, as: ID<Group>.self) }

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
        by: "member_user_idx, expense_group_pkey, member_pkey, person_pkey",
        """
        select g.id, case when g.pair_low is null then g.name else (
                select coalesce(max(o.display_name), '–') from groups.person o
                where o.user_id in (g.pair_low, g.pair_high) and o.user_id <> m.user_id) end,
            g.currency, g.personal_of is not null, g.version, g.created_at,
            (select count(*) from groups.member o where o.group_id = g.id and o.left_at is null),
            g.simplifies_debts, g.has_roles, g.archived_at, g.pair_low is not null, m.id, m.role
        from groups.member m
        join groups.expense_group g on g.id = m.group_id
        where m.user_id = $1 and m.group_id = $2
        limit 1
        """
    ) { row in
        try (
            group: group(row), member: row.value(11, as: ID<Member>.self),
            role: row.word(12, as: GroupRole.self)
        )
    }

    /// The same of several, each in a group, by their places, which begin with 1; members are not
    /// counted, for nobody who asks for several shows the group.
    static let memberships = Statement(
        by:
            "member_user_idx, expense_group_pkey, person_pkey, threshold_pkey, refusal_",
        """
        select g.id, case when g.pair_low is null then g.name else (
                select coalesce(max(o.display_name), '–') from groups.person o
                where o.user_id in (g.pair_low, g.pair_high) and o.user_id <> m.user_id) end,
            g.currency, g.personal_of is not null, g.version, g.created_at,
            0::bigint,
            g.simplifies_debts, g.has_roles, g.archived_at, g.pair_low is not null, m.id, m.role,
            asked.place,
            (select true from groups.threshold t where t.group_id = g.id limit 1) is not null,
            (select p.time_zone from groups.person p where p.user_id = m.user_id),
            case when exists (
                    select from groups.refusal where user_id = m.user_id
                    union all
                    select from groups.refusal where other_id = m.user_id)
                then groups.is_refused(m.group_id, m.user_id) else false end
        from unnest($1::uuid[], $2::uuid[]) with ordinality as asked (user_id, group_id, place)
        cross join lateral (
            select * from groups.member
            where user_id = asked.user_id and group_id = asked.group_id
            limit 1
        ) m
        cross join lateral (select * from groups.expense_group where id = m.group_id limit 1) g
        """
    ) { row in
        try (
            group: group(row), member: row.value(11, as: ID<Member>.self),
            role: row.word(12, as: GroupRole.self), place: row.int64(13),
            isLimited: row.bool(14), zone: row.value(15, as: String?.self),
            isRefused: row.bool(16)
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
            select g.id, n.name, g.currency, g.personal_of is not null, g.version, g.created_at,
                (select count(*) from groups.member o
                    where o.group_id = g.id and o.left_at is null),
                g.simplifies_debts, g.has_roles, g.archived_at, g.pair_low is not null
            from groups.member m
            join groups.expense_group g on g.id = m.group_id
            cross join lateral (
                select case when g.pair_low is null then g.name else (
                    select coalesce(max(o.display_name), '–') from groups.person o
                    where o.user_id in (g.pair_low, g.pair_high) and o.user_id <> m.user_id) end
                    as name
            ) n
            where m.user_id = $1 and m.group_id < $2 and (g.archived_at is not null) = $3
            """,
            user,
            before,
            isArchived
        )
        if let words { builder.append(" and n.name ilike $1::text", words.likePattern) }
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
            isPair: row.bool(10),
            archivedAt: row.value(9),
            version: Int(row.int32(4)),
            createdAt: row.value(5)
        )
    }

    static let change = Statement<Void>(
        by: "expense_group_pkey",
        """
        update groups.expense_group
        set name = case when $7 then name else $2 end, currency = $3, simplifies_debts = $4,
            has_roles = $5, archived_at = $6, pair_low = case when $7 then pair_low end,
            pair_high = case when $7 then pair_high end, version = version + 1
        where id = $1
        """
    )

    /// Nothing where the two have one.
    static let insertPair = Statement(
        by: "expense_group_pair_key",
        """
        insert into groups.expense_group (
            id, name, currency, pair_low, pair_high, created_by)
        values ($1, '–', $2, least($3::uuid, $4::uuid), greatest($3::uuid, $4::uuid), $3)
        on conflict (pair_low, pair_high) do nothing
        returning created_at
        """
    ) { row in try row.value(0, as: Instant.self) }

    /// Groups that somebody has made within a day.
    static let madeInDay = Statement(
        by: "expense_group_created_by_idx",
        """
        select count(*)
        from groups.expense_group
        where created_by = $1 and created_at > now() - interval '1 day'
        """
    ) { row in try row.int64(0) }

    /// Groups that somebody has made, as far as they exist.
    static let made = Statement(
        by: "expense_group_created_by_idx",
        "select count(*) from groups.expense_group where created_by = $1"
    ) { row in try row.int64(0) }

    static let pair = Statement(
        by: "expense_group_pair_",
        """
        select id
        from groups.expense_group
        where pair_low = least($1::uuid, $2::uuid) and pair_high = greatest($1::uuid, $2::uuid)
        limit 1
        """
    ) { row in try row.value(0, as: ID<Group>.self) }

    /// Of two one has gone: it has the name by which the other knew it.
    static let endPair = Statement<Void>(
        by: "expense_group_pkey",
        """
        update groups.expense_group
        set pair_low = null, pair_high = null, name = left($2, 80)
        where id = $1 and pair_low is not null
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

    /// The same of several groups.
    static let presentInAll = Statement(
        by: "member_pkey",
        """
        select group_id, id, user_id
        from groups.member
        where group_id = any($1) and left_at is null
        """
    ) { row in
        try (
            group: row.value(0, as: ID<Group>.self), id: row.value(1, as: ID<Member>.self),
            user: row.value(2, as: ID<User>?.self)
        )
    }

    /// A place, whoever has it or had.
    static let known = Statement(
        by: "member_pkey",
        """
        select id, user_id, user_id is null and former_user_id is null
        from groups.member
        where group_id = $1 and id = $2
        limit 1
        """
    ) { row in
        (
            id: try row.value(0, as: ID<Member>.self),
            user: try row.value(1, as: ID<User>?.self),
            isNobodys: try row.bool(2)
        )
    }

    static let hasThresholds = Statement(
        by: "threshold_pkey",
        "select exists (select from groups.threshold where group_id = $1)"
    ) { row in try row.bool(0) }

    /// What has to go before a group's row can, each by the primary key of its table: money refers
    /// to members too, and would hold them while the group's row takes both along.
    ///
    /// Attachments first, at once: one by one, each would count its bytes back. And debts before
    /// the expenses that would take them along one by one.
    static let deleteMoney: [Statement<Void>] = [
        Statement("delete from groups.expense_attachment where group_id = $1"),
        Statement("delete from groups.expense_debt where group_id = $1"),
        Statement("delete from groups.expense where group_id = $1"),
        Statement("delete from groups.settlement where group_id = $1"),
        Statement("delete from groups.pair_balance where group_id = $1"),
        Statement("delete from groups.member_balance where group_id = $1"),
        Statement("delete from groups.threshold where group_id = $1"),
        // What the ledger is asked for yet is brought to its end first.
        Statement("delete from groups.ledger_link where group_id = $1 and look_at is null"),
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
