internal import Postgres
internal import WalletProtocol

/// A message on its way to notifications, sealed.
struct MessageJob: Sendable {
    let id: ID<OutgoingMessage>
    let sealed: [UInt8]
    let expiresAt: Instant
}

/// The SQL of messages that wait to be handed over to notifications.
enum MessageJobStatements {
    static let insert = Statement<Void>(
        """
        insert into message_job (id, user_id, sealed, expires_at)
        values ($1, $2, $3, $4)
        """
    )

    /// Claimed for ten seconds or some more; a killed replica's come free, each at a time of its
    /// own: else they would all meet what kills again.
    static let claim = Statement(
        by: "message_job_next_attempt_at_idx",
        """
        update message_job
        set attempts = attempts + 1,
            next_attempt_at = now()
                + interval '10 seconds' * (1 + random() * (1 + least(attempts, 3)) / 2)
        where id in (
            select id
            from message_job
            where next_attempt_at <= now()
            order by next_attempt_at
            limit 16
            for update skip locked)
        returning id, sealed, expires_at
        """
    ) { row in
        try MessageJob(id: row.value(0), sealed: row.bytes(1), expiresAt: row.value(2))
    }

    static let delete = Statement<Void>(
        by: "message_job_pkey",
        "delete from message_job where id = $1"
    )

    static let deleteOfUser = Statement<Void>(
        by: "message_job_user_id_idx",
        "delete from message_job where user_id = $1"
    )
}
