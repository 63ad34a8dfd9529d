import Postgres
import WalletProtocol

/// A row of a snapshot, and how far its group's events were.
struct SnapshotRow<Value> {
    let sequence: Int64
    let value: Value
}

/// The SQL of snapshots, each a walk along its key; each statement names the index that serves it.
enum SnapshotStatements {
    static let groups = Statement(
        by: "expense_group_pkey, aggregate_sequence_pkey",
        """
        select g.id, g.currency, g.personal_of is not null, g.created_by, g.created_at,
            coalesce(s.sequence, 0)
        from groups.expense_group g
        left join groups.aggregate_sequence s on s.aggregate = 'group:' || g.id::text
        where g.id > $1
        order by g.id
        limit $2
        """
    ) { row in
        SnapshotRow(
            sequence: try row.int64(5),
            value: GroupCreated(
                groupID: try row.value(0),
                currency: try row.value(1),
                isPersonal: try row.bool(2),
                createdBy: try row.value(3),
                createdAt: try row.value(4)
            )
        )
    }

    static let members = Statement(
        by: "member_pkey, expense_group_pkey, aggregate_sequence_pkey",
        """
        select m.group_id, m.id, m.user_id, m.joined_at, g.personal_of is not null,
            coalesce(s.sequence, 0)
        from groups.member m
        join groups.expense_group g on g.id = m.group_id
        left join groups.aggregate_sequence s on s.aggregate = 'group:' || m.group_id::text
        where (m.group_id, m.id) > ($1, $2) and m.left_at is null
        order by m.group_id, m.id
        limit $3
        """
    ) { row in
        SnapshotRow(
            sequence: try row.int64(5),
            value: GroupMemberJoined(
                groupID: try row.value(0),
                memberID: try row.value(1),
                userID: try row.value(2),
                joinedAt: try row.value(3),
                isPersonal: try row.bool(4)
            )
        )
    }

    /// «Others», which has the group's own id and no events, is left out.
    static let categories = Statement(
        by: "category_pkey, aggregate_sequence_pkey",
        """
        select c.group_id, c.id, c.parent_id, c.coicop, coalesce(s.sequence, 0)
        from groups.category c
        left join groups.aggregate_sequence s on s.aggregate = 'group:' || c.group_id::text
        where (c.group_id, c.id) > ($1, $2) and c.id <> c.group_id
        order by c.group_id, c.id
        limit $3
        """
    ) { row in
        let coicop = try row.value(3, as: String?.self)
        return SnapshotRow(
            sequence: try row.int64(4),
            value: GroupCategoryChanged(
                groupID: try row.value(0),
                categoryID: try row.value(1),
                parentID: try row.value(2),
                coicop: coicop.flatMap { Coicop(rawValue: $0) }
            )
        )
    }

    /// Without their two sides.
    static let expenses = Statement(
        by: "expense_pkey, category_pkey, aggregate_sequence_pkey",
        """
        select e.group_id, e.id, e.amount, e.day, e.currency, e.category_id, c.coicop,
            e.split_kind, coalesce(s.sequence, 0)
        from groups.expense e
        left join groups.category c on c.group_id = e.group_id and c.id = e.category_id
        left join groups.aggregate_sequence s on s.aggregate = 'group:' || e.group_id::text
        where (e.group_id, e.id) > ($1, $2) and e.removed_at is null
        order by e.group_id, e.id
        limit $3
        """
    ) { row in
        let coicop = try row.value(6, as: String?.self)
        let kind = try row.value(7, as: String?.self)
        return SnapshotRow(
            sequence: try row.int64(8),
            value: StandingExpense(
                expenseID: try row.value(1),
                groupID: try row.value(0),
                amount: Money(minorUnits: try row.int64(2), try row.value(4)),
                day: try row.value(3),
                categoryID: try row.value(5),
                coicop: coicop.flatMap { Coicop(rawValue: $0) },
                splitKind: kind.flatMap { SplitKind(rawValue: $0) },
                shares: []
            )
        )
    }

    /// What each member of some expenses paid and bears: of 200 expenses, 50 payments and 200
    /// shares at most.
    static let sides = Statement(
        by: "expense_pkey, member_pkey",
        """
        select side.expense_id, side.member_id, m.user_id, side.paid, side.owed
        from unnest($1::uuid[], $2::uuid[]) as wanted (group_id, expense_id)
        cross join lateral (
            select p.expense_id, p.member_id, p.amount as paid, 0::bigint as owed
            from groups.expense_payment p
            where p.group_id = wanted.group_id and p.expense_id = wanted.expense_id
            union all
            select s.expense_id, s.member_id, 0, s.amount
            from groups.expense_share s
            where s.group_id = wanted.group_id and s.expense_id = wanted.expense_id
        ) side
        join groups.member m on m.group_id = wanted.group_id and m.id = side.member_id
        order by side.expense_id, side.member_id
        limit 50000
        """
    ) { row in
        (
            expense: try row.value(0, as: ID<Expense>.self),
            member: try row.value(1, as: ID<Member>.self),
            user: try row.value(2, as: ID<User>?.self),
            paid: try row.int64(3),
            owed: try row.int64(4)
        )
    }
}
