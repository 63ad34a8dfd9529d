import Postgres
import ServiceKit
import WalletProtocol

/// The SQL by which auth itself forgets somebody; each statement names the index that serves it.
enum ErasedRowStatements {
    /// No token counts any more, and none is made.
    static let disable = Statement(
        by: "user_account_pkey",
        """
        update auth.user_account
        set enabled = false, generation = generation + 1, version = version + 1
        where id = $1
        returning generation
        """
    ) { row in try row.int32(0) }

    /// Codes to the address or phone of nobody who was signed in.
    static let deleteChallenges = Statement<Void>(
        by: "challenge_destination_idx",
        "delete from auth.challenge where destination = any ($1::text[])"
    )

    /// Whatever is being made for the person ends first.
    static let lockUser = Statement<Void>(
        by: "user_account_pkey",
        "select from auth.user_account where id = $1 for update"
    )

    /// Whatever refers to the person goes with the row.
    static let deleteUser = Statement<Void>(
        by: "user_account_pkey",
        "delete from auth.user_account where id = $1"
    )

    /// By outbox_order, relay_state_pkey: whether an event of a person has been in the stream.
    ///
    /// A row that is gone was there for longer than any that waits.
    static let isTold = Statement(
        by: "relay_state_pkey, outbox_order",
        """
        select not exists (
            select from auth.outbox
            where aggregate = 'user:' || $1::text and event_id = $2
                and id > (select coalesce(max(mark), 0) from auth.relay_state)
        )
        """
    ) { row in try row.bool(0) }

    static let lastSequence = Statement(
        by: "aggregate_sequence_pkey",
        "select sequence from auth.aggregate_sequence where aggregate = 'user:' || $1::text limit 1"
    ) { row in try row.int64(0) }
}
