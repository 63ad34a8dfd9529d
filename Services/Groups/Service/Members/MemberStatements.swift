import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of places in groups; each statement names the index that serves it.
enum MemberStatements {
    static let insert = Statement(
        """
        insert into groups.member (group_id, id, user_id, display_name, role)
        values ($1, $2, $3, $4, $5)
        returning joined_at
        """
    ) { row in try row.value(0, as: Instant.self) }

    /// Whoever was there before has their own place again; who could only look still can only look.
    static let comeBack = Statement(
        by: "member_former_user_idx",
        """
        update groups.member
        set user_id = former_user_id, former_user_id = null, display_name = null, left_at = null,
            role = case when role = 'viewer' then role else 'editor' end, joined_at = now()
        where former_user_id = $2 and group_id = $1
        returning id, joined_at
        """
    ) { row in
        (id: try row.value(0, as: ID<Member>.self), joinedAt: try row.value(1, as: Instant.self))
    }

    /// Somebody's place that they left.
    static let formerPlace = Statement(
        by: "member_former_user_idx",
        "select id from groups.member where former_user_id = $1 and group_id = $2 limit 1"
    ) { row in try row.value(0, as: ID<Member>.self) }

    /// A guest's place is somebody's from now on.
    static let claim = Statement(
        by: "member_",
        """
        update groups.member
        set user_id = $3, display_name = null, joined_at = now()
        where group_id = $1 and id = $2 and user_id is null and left_at is null
        returning joined_at
        """
    ) { row in try row.value(0, as: Instant.self) }

    /// The place stays, with the name that they had.
    static let leave = Statement<Void>(
        by: "member_pkey, person_pkey",
        """
        update groups.member
        set former_user_id = user_id, user_id = null, left_at = now(),
            display_name = coalesce(
                display_name,
                (select p.display_name from groups.person p where p.user_id = member.user_id),
                '–')
        where group_id = $1 and id = $2
        """
    )

    /// All that are open.
    static let withdrawLinks = Statement<Void>(
        by: "invitation_group_idx",
        """
        update groups.invitation
        set state = 'withdrawn', answered_at = now()
        where group_id = $1 and state = 'open' and expires_at is not null
        """
    )

    /// Ends invitations and links whose sender may not send them any more.
    static let endUnsent = Statement<Void>(
        by: "invitation_group_idx",
        """
        update groups.invitation i
        set state = 'withdrawn', answered_at = now()
        where i.group_id = $1 and i.state = 'open' and not groups.is_sent_by_right(i)
        """
    )

    /// In the order of their places; those who are gone only where they are asked for.
    static let list = Statement(
        by: "member_pkey, person_pkey",
        """
        select m.id, m.user_id, coalesce(p.display_name, m.display_name, '–'), m.role, m.joined_at,
            m.left_at
        from groups.member m
        left join groups.person p on p.user_id = m.user_id
        where m.group_id = $1 and m.id > $2 and (m.left_at is null or $3)
        order by m.id
        limit $4
        """
    ) { row in try member(row) }

    static let find = Statement(
        by: "member_pkey, person_pkey",
        """
        select m.id, m.user_id, coalesce(p.display_name, m.display_name, '–'), m.role, m.joined_at,
            m.left_at
        from groups.member m
        left join groups.person p on p.user_id = m.user_id
        where m.group_id = $1 and m.id = $2 and m.left_at is null
        limit 1
        """
    ) { row in try member(row) }

    private static func member(_ row: borrowing PostgresRow) throws -> MemberRow {
        try MemberRow(
            id: row.value(0),
            user: row.value(1),
            displayName: row.string(2),
            role: row.word(3),
            joinedAt: row.value(4),
            leftAt: row.value(5)
        )
    }

    static let change = Statement<Void>(
        by: "member_pkey",
        """
        update groups.member
        set role = $3, display_name = $4
        where group_id = $1 and id = $2
        """
    )

    /// Whether there is one more with an account, in a role or in any.
    static let hasOther = Statement(
        by: "member_pkey",
        """
        select exists (
            select
            from groups.member
            where group_id = $1 and id <> $2 and user_id is not null
                and ($3::text is null or role = $3)
        )
        """
    ) { row in try row.bool(0) }

    /// Gives a group that has roles an admin, where none is left: who edits and is there longest.
    static let promote = Statement<Void>(
        by: "expense_group_pkey, member_pkey",
        """
        update groups.member
        set role = 'admin'
        where group_id = $1
            and (select has_roles from groups.expense_group where id = $1)
            and not exists (
                select from groups.member
                where group_id = $1 and role = 'admin' and user_id is not null)
            and id = (
                select id from groups.member
                where group_id = $1 and user_id is not null
                order by role = 'editor' desc, id
                limit 1)
        """
    )

    /// How many there are or may come, and how many there ever were.
    static let places = Statement(
        by: "member_pkey, invitation_group_idx",
        """
        select count(*) filter (where left_at is null) + (
                select count(*) from groups.invitation
                where group_id = $1 and state = 'open' and expires_at is null),
            count(*)
        from groups.member
        where group_id = $1
        """
    ) { row in (taken: try row.int64(0), ever: try row.int64(1)) }

    /// Who switches roles on.
    static let makeAdmin = Statement<Void>(
        by: "member_pkey",
        "update groups.member set role = 'admin' where group_id = $1 and id = $2"
    )

    static let place = Statement(
        by: "member_user_idx",
        """
        select id
        from groups.member
        where user_id = $1 and group_id = $2
        limit 1
        """
    ) { row in try row.value(0, as: ID<Member>.self) }

    /// Somebody's place, and the currency of the group.
    static let access = Statement(
        by: "member_user_idx, expense_group_pkey",
        """
        select m.id, g.currency
        from groups.member m
        join groups.expense_group g on g.id = m.group_id
        where m.user_id = $1 and m.group_id = $2
        limit 1
        """
    ) { row in
        AccessView(isMember: true, memberID: try row.value(0), currency: try row.value(1))
    }

    /// Twice each.
    static let share = Statement(
        by: "member_user_idx, family_member_user_key",
        """
        select exists (
            select
            from groups.member a
            join groups.member b on b.group_id = a.group_id
            where a.user_id = $1 and b.user_id = $2
        ) or exists (
            select
            from groups.family_member a
            join groups.family_member b on b.family_id = a.family_id
            where a.user_id = $1 and b.user_id = $2
        )
        """
    ) { row in try row.bool(0) }
}
