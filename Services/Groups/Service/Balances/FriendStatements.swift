import Postgres
import ServiceKit
import WalletProtocol

/// What is open between two people, over all groups that both are in.
enum FriendStatements {
    /// In the order of their ids.
    static let people = Statement(
        by: "member_user_idx, person_pkey",
        """
        select o.user_id, coalesce(max(p.display_name), '–')
        from groups.member m
        join groups.member o on o.group_id = m.group_id and o.user_id > $2 and o.user_id <> $1
        left join groups.person p on p.user_id = o.user_id
        where m.user_id = $1
        group by o.user_id
        order by o.user_id
        limit $3
        """
    ) { row in (user: try row.value(0, as: ID<User>.self), name: try row.string(1)) }

    /// Positive: the friend owes.
    static let open = Statement(
        by: "member_user_idx, pair_balance_pkey",
        """
        select o.user_id, b.group_id, case when b.high_id = m.id then b.amount else -b.amount end,
            b.currency
        from groups.member m
        join groups.member o on o.group_id = m.group_id and o.user_id = any ($2)
        join groups.pair_balance b on b.group_id = m.group_id and b.amount <> 0
            and b.low_id = least(m.id, o.id) and b.high_id = greatest(m.id, o.id)
        where m.user_id = $1
        order by o.user_id, b.group_id, b.currency
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
