import Postgres
import ServiceKit
import WalletProtocol

/// What is open between two people, over all groups that both are in.
enum FriendStatements {
    /// In the order of their ids: who is in a group together, and who has left one, or was left in
    /// one, with something open between the two, as they were called then.
    static let people = Statement(
        by:
            "member_user_idx, member_former_user_idx, member_pkey, pair_balance_pkey, person_pkey",
        """
        select coalesce(o.user_id, o.former_user_id),
            coalesce(max(p.display_name), max(o.display_name), '–')
        from (
            select group_id, id, true as stays from groups.member where user_id = $1
            union all
            select group_id, id, false from groups.member where former_user_id = $1
        ) m
        cross join lateral (
            select id
            from groups.member
            where group_id = m.group_id and user_id is not null and m.stays
            union
            select case when low_id = m.id then high_id else low_id end
            from groups.pair_balance
            where group_id = m.group_id and amount <> 0 and m.id in (low_id, high_id)
        ) other
        join groups.member o on o.group_id = m.group_id and o.id = other.id and o.id <> m.id
        left join groups.person p on p.user_id = o.user_id and m.stays
        where coalesce(o.user_id, o.former_user_id) > $2
        group by 1
        order by 1
        limit $3
        """
    ) { row in (user: try row.value(0, as: ID<User>.self), name: try row.string(1)) }

    /// Whether two share a group.
    static let isKnown = Statement(
        by: "member_user_idx",
        """
        select exists (
            select from groups.member m
            join groups.member o on o.group_id = m.group_id
            where m.user_id = $1 and o.user_id = $2)
        """
    ) { row in try row.bool(0) }

    /// Of each all of it, by currency; positive: the friend owes.
    static let totals = Statement(
        by: "member_user_idx, member_former_user_idx, member_pkey, pair_balance_pkey",
        """
        select coalesce(o.user_id, o.former_user_id),
            sum(case when b.high_id = m.id then b.amount else -b.amount end), b.currency
        from (
            select group_id, id from groups.member where user_id = $1
            union all
            select group_id, id from groups.member where former_user_id = $1
        ) m
        join groups.pair_balance b on b.group_id = m.group_id and b.amount <> 0
            and m.id in (b.low_id, b.high_id)
        join groups.member o on o.group_id = b.group_id
            and o.id = case when b.low_id = m.id then b.high_id else b.low_id end
        where coalesce(o.user_id, o.former_user_id) = any ($2)
        group by 1, b.currency
        order by 1, b.currency
        """
    ) { row in
        (
            user: try row.value(0, as: ID<User>.self),
            total: Total(
                minorUnits: try row.value(1, as: Int128.self),
                try row.value(2, as: Currency.self)
            )
        )
    }

    /// Behind a place, so many of each.
    static let open = Statement(
        by: "member_user_idx, member_former_user_idx, member_pkey, pair_balance_pkey",
        """
        select friend.user_id, open.group_id, open.amount, open.currency
        from unnest($2::uuid[]) as friend (user_id)
        cross join lateral (
            select b.group_id, b.currency,
                case when b.high_id = m.id then b.amount else -b.amount end as amount
            from (
                select group_id, id from groups.member where user_id = $1
                union all
                select group_id, id from groups.member where former_user_id = $1
            ) m
            join groups.pair_balance b on b.group_id = m.group_id and b.amount <> 0
                and m.id in (b.low_id, b.high_id)
            join groups.member o on o.group_id = b.group_id
                and o.id = case when b.low_id = m.id then b.high_id else b.low_id end
            where coalesce(o.user_id, o.former_user_id) = friend.user_id
                and m.group_id >= $3 and (b.group_id, b.currency) > ($3, $4)
            order by b.group_id, b.currency
            limit $5
        ) open
        order by friend.user_id, open.group_id, open.currency
        """
    ) { row in
        (
            user: try row.value(0, as: ID<User>.self),
            balance: FriendBalance(
                groupID: try row.value(1),
                amount: Money(minorUnits: try row.int64(2), try row.value(3))
            )
        )
    }
}
