import Postgres
import ServiceKit
import WalletProtocol

/// A message that a replica has claimed.
struct ClaimedMessage: Sendable {
    let id: ID<OutgoingMessage>
    let channel: MessageChannel?
    let sealed: [UInt8]
    let attempts: Int32
    let expiresAt: Instant
    /// Whether an earlier hand-over may have got through without our hearing of it.
    let wasSending: Bool
}

/// The SQL of outgoing messages; each statement names the index that serves it.
enum MessageStatements {
    /// Handed over twice, kept once.
    static let insert = Statement<Void>(
        by: "message_pkey",
        """
        insert into notifications.message (id, channel, template, user_id, sealed, expires_at)
        values ($1, $2, $3, $4, $5, $6)
        on conflict (id) do nothing
        """
    )

    /// A killed replica's come free once its claim has ended, each at a time of its own: else
    /// whatever was claimed together would be again, with what kills.
    ///
    /// One at a time: of several in one claim the last could outlast it and go out twice.
    static let claim = Statement(
        by: "message_due_idx",
        """
        with due as (
            select m.id, m.state = 'sending' as was_sending
            from notifications.message m
            where m.state in ('waiting', 'sending') and m.next_attempt_at <= now()
                and coalesce(m.claimed_until, now()) <= now()
            order by m.next_attempt_at
            limit 1
            for update skip locked)
        update notifications.message m
        set state = 'sending', attempts = m.attempts + 1,
            claimed_until = now()
                + interval '50 seconds' * (1 + random() * (1 + least(m.attempts, 3)) / 2)
        from due
        where m.id = due.id
        returning m.id, m.channel, m.sealed, m.attempts, m.expires_at, due.was_sending
        """
    ) { row in
        try ClaimedMessage(
            id: row.value(0),
            channel: MessageChannel(rawValue: row.string(1)),
            sealed: row.bytes(2),
            attempts: row.int32(3),
            expiresAt: row.value(4),
            wasSending: row.bool(5)
        )
    }

    /// Over, one way or another; what was in it goes.
    static let finish = Statement<Void>(
        by: "message_pkey",
        """
        update notifications.message
        set state = $2, sealed = null, claimed_until = null
        where id = $1
        """
    )

    /// Again, later.
    static let retry = Statement<Void>(
        by: "message_pkey",
        """
        update notifications.message
        set state = 'waiting', claimed_until = null,
            next_attempt_at = now() + make_interval(secs => $2)
        where id = $1
        """
    )

    /// What was sent, and what is still to be.
    static let deleteAll = Statement<Void>(
        by: "message_user_id_idx",
        "delete from notifications.message where user_id = $1"
    )

    /// What waits for somebody who may not read everybody's figures any more, or for an address
    /// that they have left.
    static let withdrawReports = Statement<Void>(
        by: "message_user_id_idx, person_pkey",
        """
        delete from notifications.message
        where user_id = $1 and template = 'monthly-report' and state = 'waiting'
            and (
                not $2::boolean or exists (
                    select from notifications.person
                    where user_id = $1 and email is distinct from $3::text))
        """
    )

    /// Receipts are kept for 30 days.
    static let deleteOld = Statement<Void>(
        by: "message_created_at_idx",
        """
        delete from notifications.message
        where created_at < now() - interval '30 days' and state not in ('waiting', 'sending')
        """
    )
}
