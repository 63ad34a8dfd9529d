import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of late purges; each statement names the index that serves it.
enum LatePurgeStatements {
    static let insert = Statement<Void>(
        "insert into auth.late_purge (erasure_id) values ($1) on conflict do nothing"
    )

    static let claim = Statement(
        by: "late_purge_due_idx",
        """
        update auth.late_purge as p
        set tries = p.tries + 1,
            due_at = now() + make_interval(
                secs => $1::int4 * (1 + random() * (1 + least(p.tries, 3)) / 2))
        from (
            select erasure_id
            from auth.late_purge
            where due_at <= now()
            order by due_at
            limit 1
            for update skip locked
        ) as due
        where p.erasure_id = due.erasure_id
        returning p.erasure_id, p.tries
        """
    ) { row in LatePurge.Turn(erasure: try row.value(0), number: try row.int32(1)) }

    /// By outbox_order: all that was told but the last event, which the relay may still
    /// have to bring.
    static let deleteEvents = Statement<Void>(
        by: "outbox_order",
        """
        delete from auth.outbox
        where aggregate = 'user:' || $1::text and event_id is distinct from $2
        """
    )

    /// Again, later; up to a minute.
    static let postpone = Statement<Void>(
        by: "late_purge_pkey",
        """
        update auth.late_purge
        set due_at = now() + least(60, power(2, least(tries, 6)) / 4) * interval '1 second'
        where erasure_id = $1 and tries = $2
        """
    )

    /// Nobody may give it up, but it ends processes.
    static let rest = Statement<Void>(
        by: "late_purge_pkey",
        """
        update auth.late_purge
        set due_at = now() + interval '1 hour'
        where erasure_id = $1 and tries = $2
        """
    )

    static let delete = Statement<Void>(
        by: "late_purge_pkey",
        "delete from auth.late_purge where erasure_id = $1 and tries = $2"
    )
}
