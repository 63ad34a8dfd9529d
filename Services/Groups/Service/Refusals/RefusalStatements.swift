import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of blocks and refused debts; each statement names the index that serves it.
enum RefusalStatements {
    /// A block stays one, whatever else is refused.
    static let refuse = Statement<Void>(
        by: "refusal_",
        """
        insert into groups.refusal as r (user_id, other_id, is_block)
        values ($1, $2, $3)
        on conflict (user_id, other_id) do update
        set is_block = true, created_at = now()
        where excluded.is_block and not r.is_block
        """
    )

    static let agree = Statement<Void>(
        by: "refusal_",
        "delete from groups.refusal where user_id = $1 and other_id = $2 and not is_block"
    )

    static let unblock = Statement<Void>(
        by: "refusal_",
        "delete from groups.refusal where user_id = $1 and other_id = $2 and is_block"
    )

    static let isBlocked = Statement(
        by: "refusal_",
        """
        select exists (
            select from groups.refusal where user_id = $1 and other_id = $2 and is_block)
        """
    ) { row in try row.bool(0) }

    static let countBlocks = Statement(
        by: "refusal_",
        "select count(*) from groups.refusal where user_id = $1 and is_block"
    ) { row in try row.int64(0) }

    /// In the order of their ids.
    static let list = Statement(
        by: "refusal_, person_pkey",
        """
        select r.other_id, coalesce(p.display_name, '–'), r.created_at
        from groups.refusal r
        left join groups.person p on p.user_id = r.other_id
        where r.user_id = $1 and r.other_id > $2 and r.is_block
        order by r.other_id
        limit $3
        """
    ) { row in
        BlockView(
            userID: try row.value(0),
            displayName: try row.string(1),
            createdAt: try row.value(2)
        )
    }

    /// Whether a group is one of two people, of whom one refuses new debts.
    static let isRefused = Statement(
        by: "member_pkey",
        """
        select groups.is_refused(m.group_id, m.user_id)
        from groups.member m
        where m.group_id = $1 and m.id = $2
        limit 1
        """
    ) { row in try row.bool(0) }
}
