import Postgres
import ServiceKit
import WalletProtocol

/// A row of the feed: ids and figures, of which the text is made when it is read.
struct FeedRow: Sendable {
    let id: ID<FeedNotification>
    let kind: NotificationKind
    let parameters: String
    let createdAt: Instant
    let readAt: Instant?
}

/// The SQL of the feed; each statement names the index that serves it.
enum FeedStatements {
    /// The `limit` of what a stream reads at once.
    static let pageMax = 1_000
    /// The `limit` of what a look finds of one of all who listen.
    static let watchedMax = 100

    /// Each to its own reader; the same event makes it once.
    static let insert = Statement<Void>(
        by: "notification_pkey",
        """
        insert into notifications.notification (user_id, id, kind, parameters)
        select user_id, id, kind, parameters::jsonb
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])
            as told (user_id, id, kind, parameters)
        on conflict (user_id, id) do nothing
        """
    )

    /// Newest first.
    static let list = Statement(
        by: "notification_pkey",
        """
        select id, kind, parameters::text, created_at, read_at
        from notifications.notification
        where user_id = $1 and id < $2
        order by id desc
        limit $3
        """
    ) { row in try feedRow(row) }

    static let listUnread = Statement(
        by: "notification_unread_idx",
        """
        select id, kind, parameters::text, created_at, read_at
        from notifications.notification
        where user_id = $1 and read_at is null and id < $2
        order by id desc
        limit $3
        """
    ) { row in try feedRow(row) }

    /// What has come since a snapshot, late commits included.
    static let since = Statement(
        by: "notification_user_xid_idx",
        """
        select id, kind, parameters::text, created_at, read_at
        from notifications.notification
        where user_id = $1 and xid >= $2::text::xid8
        order by xid, id
        limit 1000
        """
    ) { row in try feedRow(row) }

    /// The same for all who listen, some of each.
    static let watched = Statement(
        by: "notification_user_xid_idx",
        """
        select found.id, found.kind, found.parameters::text, found.created_at, found.read_at,
            found.user_id
        from unnest($1::uuid[]) as listener (id)
        cross join lateral (
            select user_id, id, kind, parameters, created_at, read_at, xid
            from notifications.notification
            where user_id = listener.id and xid >= $2::text::xid8
            order by xid, id
            limit 100
        ) as found
        order by found.user_id, found.xid, found.id
        """
    ) { row in try (user: row.value(5, as: ID<User>.self), row: feedRow(row)) }

    /// What was written after one, for a stream that goes on.
    ///
    /// In the order of writing, not of ids: those are made of the events' times, and an event may
    /// come late.
    static let after = Statement(
        by: "notification_pkey, notification_user_xid_idx",
        """
        select n.id, n.kind, n.parameters::text, n.created_at, n.read_at
        from notifications.notification last
        join notifications.notification n on n.user_id = $1 and n.xid >= last.xid
        where last.user_id = $1 and last.id = $2 and (n.xid > last.xid or n.id > last.id)
        order by n.xid, n.id
        limit 1000
        """
    ) { row in try feedRow(row) }

    private static func feedRow(_ row: borrowing PostgresRow) throws -> FeedRow {
        guard let kind = NotificationKind(rawValue: try row.string(1)) else {
            throw row.problem(1, "is no kind of notification")
        }
        return try FeedRow(
            id: row.value(0),
            kind: kind,
            parameters: row.string(2),
            createdAt: row.value(3),
            readAt: row.value(4)
        )
    }

    /// No table: below it nothing can still appear.
    static let snapshot = Statement(
        "select pg_snapshot_xmin(pg_current_snapshot())::text"
    ) { row in try row.string(0) }

    static let unreadCount = Statement(
        by: "notification_unread_idx",
        """
        select count(*)
        from notifications.notification
        where user_id = $1 and read_at is null
        """
    ) { row in try row.int64(0) }

    static let markRead = Statement(
        by: "notification_pkey",
        """
        update notifications.notification
        set read_at = coalesce(read_at, now())
        where user_id = $1 and id = $2
        returning id, kind, parameters::text, created_at, read_at
        """
    ) { row in try feedRow(row) }

    static let markAllRead = Statement<Void>(
        by: "notification_unread_idx",
        """
        update notifications.notification
        set read_at = now()
        where user_id = $1 and read_at is null
        """
    )

    /// In others' feeds it stays that somebody answered or said something.
    static let forgetOther = Statement<Void>(
        by: "notification_other_idx",
        """
        update notifications.notification
        set parameters = parameters - 'userId'
        where parameters ? 'userId' and parameters ->> 'userId' = $1::uuid::text
        """
    )

    static let deleteAll = Statement<Void>(
        by: "notification_user_xid_idx",
        "delete from notifications.notification where user_id = $1"
    )
}
