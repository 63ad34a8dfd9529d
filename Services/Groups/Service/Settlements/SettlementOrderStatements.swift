import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of settlements that are transfers; each statement names the index that serves it.
enum SettlementOrderStatements {
    static let insert = Statement<Void>(
        """
        insert into groups.settlement_order (group_id, settlement_id, key_id, request_hash)
        values ($1, $2, $3, $4)
        """
    )

    static let ofKey = Statement(
        by: "settlement_order_key_id_key",
        """
        select settlement_id, request_hash, refusal
        from groups.settlement_order
        where key_id = $1
        limit 1
        """
    ) { row in
        (
            id: try row.value(0, as: ID<Settlement>.self), requestHash: try row.bytes(1),
            refusal: try row.value(2, as: String?.self)
        )
    }

    /// By a refusal, or paid.
    static let end = Statement<Void>(
        by: "settlement_order_",
        """
        update groups.settlement_order
        set ended_at = now(), refusal = $3
        where group_id = $1 and settlement_id = $2 and ended_at is null
        """
    )

    static let forget = Statement<Void>(
        by: "settlement_order_",
        "delete from groups.settlement_order where group_id = $1 and settlement_id = $2"
    )

    static let setTransfer = Statement<Void>(
        by: "settlement_pkey",
        """
        update groups.settlement
        set state = 'paid', transfer_id = $3
        where group_id = $1 and id = $2
        """
    )

    /// Those that nobody waits for any more, oldest first.
    static let left = Statement(
        by: "settlement_order_pending_idx",
        """
        select group_id, settlement_id
        from groups.settlement_order
        where ended_at is null and look_at < now()
        order by look_at
        limit 100
        """
    ) { row in
        (group: try row.value(0, as: ID<Group>.self), id: try row.value(1, as: ID<Settlement>.self))
    }

    static let putOff = Statement<Void>(
        by: "settlement_order_",
        """
        update groups.settlement_order
        set look_at = now() + interval '1 minute'
        where group_id = $1 and settlement_id = $2
        """
    )

    static let deleteOld = Statement<Void>(
        by: "settlement_order_ended_idx",
        "delete from groups.settlement_order where ended_at < now() - interval '2 days'"
    )
}
