import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of places that a write must not harm; each statement names the index that serves it.
enum PlaceStatements {
    /// Those of some places that were left, or are the other's in a group of two where new debts
    /// are refused; and whether somebody is or may be in them.
    static let guarded = Statement(
        by: "member_pkey",
        """
        select id, left_at is not null, num_nonnulls(user_id, former_user_id) > 0
        from groups.member
        where group_id = $1 and id = any ($2) and (
            left_at is not null
            or user_id <> $3 and (select groups.is_refused($1, $3)))
        """
    ) { row in
        (
            id: try row.value(0, as: ID<Member>.self), hasLeft: try row.bool(1),
            isSomebodys: try row.bool(2)
        )
    }
}
