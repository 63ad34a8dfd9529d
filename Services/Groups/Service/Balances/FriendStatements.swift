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

    /// Positive: the friend owes.
    static let open = Statement(
        by: "member_user_idx, member_former_user_idx, member_pkey, pair_balance_pkey",
        """
        select coalesce(o.user_id, o.former_user_id), b.group_id,
            case when b.high_id = m.id then b.amount else -b.amount end, b.currency
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
        order by 1, 2, 4
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
