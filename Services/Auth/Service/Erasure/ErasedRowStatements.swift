import Postgres
import ServiceKit
import WalletProtocol

/// The SQL by which auth itself forgets somebody; each statement names the index that serves it.
enum ErasedRowStatements {
    /// By user_account_pkey: no token counts any more, and none is made.
    static let disable = Statement(
        """
        update auth.user_account
        set enabled = false, generation = generation + 1, version = version + 1
        where id = $1
        returning generation
        """
    ) { row in try row.int32(0) }

    /// By challenge_destination_idx: codes to the address or phone of nobody who was signed in.
    static let deleteChallenges = Statement<Void>(
        "delete from auth.challenge where destination = any ($1::text[])"
    )

    /// By user_account_pkey: whatever is being made for the person ends first.
    static let lockUser = Statement<Void>(
        "select from auth.user_account where id = $1 for update"
    )

    /// By user_account_pkey; whatever refers to the person goes with the row.
    static let deleteUser = Statement<Void>("delete from auth.user_account where id = $1")

    /// By outbox_order, relay_state_pkey: whether an event of a person has been in the stream.
    ///
    /// A row that is gone was there for longer than any that waits.
    static let isTold = Statement(
        """
        select not exists (
            select from auth.outbox
            where aggregate = 'user:' || $1::text and event_id = $2
                and id > (select coalesce(max(mark), 0) from auth.relay_state)
        )
        """
    ) { row in try row.bool(0) }

    /// By aggregate_sequence_pkey.
    static let lastSequence = Statement(
        "select sequence from auth.aggregate_sequence where aggregate = 'user:' || $1::text limit 1"
    ) { row in try row.int64(0) }
}
