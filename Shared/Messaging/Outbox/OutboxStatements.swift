internal import Postgres

/// A row of the outbox on its way to the stream.
struct OutboxRow: Sendable {
    var id: Int64
    var aggregate: String
    var sequence: Int64
    var type: String
    var eventID: PostgresUUID
    var payload: String
    var traceparent: String?
    var createdAt: PostgresInstant

    init(_ row: borrowing PostgresRow, from column: Int = 0) throws(DatabaseError) {
        id = try row.value(column)
        aggregate = try row.value(column + 1)
        sequence = try row.value(column + 2)
        type = try row.value(column + 3)
        eventID = try row.value(column + 4)
        payload = try row.value(column + 5)
        traceparent = try row.value(column + 6)
        createdAt = try row.value(column + 7)
    }
}

/// What one look into the holes showed.
struct HoleRow: Sendable {
    var xmin: Int64
    var row: OutboxRow?
}

/// The producer's SQL.
enum OutboxStatements {
    // MARK: Writing

    // The sequence comes first: its row is the aggregate's lock, and it gives the transaction its
    // id before the outbox draws the row's (RelayWindow rests on that order).
    static let append = Statement(
        by: "aggregate_sequence_pkey",
        """
        with next as (
            insert into aggregate_sequence as held (aggregate, sequence)
            values ($1, 1)
            on conflict (aggregate) do update set sequence = held.sequence + 1
            returning sequence
        )
        insert into outbox (aggregate, sequence, type, event_id, payload, traceparent)
        select $1, next.sequence, $2, $3, $4::text::json, $5
        from next
        returning sequence
        """
    ) { row in try row.int64(0) }

    // The same for several: their rows are drawn in the order of their sequences.
    static let appendAll = Statement<Void>(
        by: "aggregate_sequence_pkey",
        """
        with next as (
            insert into aggregate_sequence as held (aggregate, sequence)
            values ($1, cardinality($3::uuid[]))
            on conflict (aggregate) do update set sequence = held.sequence + excluded.sequence
            returning sequence
        )
        insert into outbox (aggregate, sequence, type, event_id, payload, traceparent)
        select $1, next.sequence - cardinality($3) + event.position, $2, event.id,
            event.payload::json, $5
        from next
        cross join unnest($3::uuid[], $4::text[]) with ordinality as event (id, payload, position)
        order by event.position
        """
    )

    // The same for several aggregates, each once in $1, beside how many events it has: the place of
    // an event is counted from its aggregate's last.
    static let appendSome = Statement<Void>(
        by: "aggregate_sequence_pkey",
        """
        with next as (
            insert into aggregate_sequence as held (aggregate, sequence)
            select aggregate, count
            from unnest($1::text[], $2::bigint[]) as told (aggregate, count)
            on conflict (aggregate) do update set sequence = held.sequence + excluded.sequence
            returning aggregate, sequence
        )
        insert into outbox (aggregate, sequence, type, event_id, payload, traceparent)
        select event.aggregate, next.sequence - event.later, $3, event.id, event.payload::json,
            event.traceparent
        from unnest($4::text[], $5::bigint[], $6::uuid[], $7::text[], $8::text[]) with ordinality
            as event (aggregate, later, id, payload, traceparent, position)
        join next on next.aggregate = event.aggregate
        order by event.position
        """
    )

    // MARK: Relaying

    /// One relay per database: who holds this lock.
    ///
    /// The key is «EZOUTBOX» in ASCII.
    static let lead = Statement("select pg_try_advisory_lock(4997393964425432920)") { row in
        try row.bool(0)
    }

    // Index outbox_pkey.
    static let head = Statement(
        by: "outbox_pkey",
        """
        select id, aggregate, sequence, type, event_id, payload, traceparent, created_at
        from outbox
        where id > $1
        order by id
        limit $2
        """
    ) { row in try OutboxRow(row) }

    // Index outbox_pkey, once a hole; one row at least, for the snapshot's xmin.
    static let holes = Statement(
        by: "outbox_pkey",
        """
        with snapshot as (
            select pg_snapshot_xmin(pg_current_snapshot()) as xmin
        )
        select snapshot.xmin,
            found.id, found.aggregate, found.sequence, found.type, found.event_id, found.payload,
            found.traceparent, found.created_at
        from snapshot
        left join (
            select inside.*
            from unnest($1::int8[], $2::int8[]) as hole (low, high)
            cross join lateral (
                select *
                from outbox
                where id between hole.low and hole.high
                order by id
                limit $3
            ) as inside
            order by inside.id
            limit $3
        ) as found on true
        order by found.id
        """
    ) { row in
        HoleRow(xmin: try row.value(0), row: row.isNull(1) ? nil : try OutboxRow(row, from: 1))
    }

    /// Draws a transaction id: above those of all writers that have drawn an id of the outbox.
    static let bound = Statement("select pg_current_xact_id()") { row in
        try row.value(0, as: Int64.self)
    }

    // MARK: What is remembered

    // Index relay_state_pkey; saved once a second and kept for an hour. Both marks only rise from
    // one to the next, so their order is that of time.
    static let checkpoints = Statement(
        by: "relay_state_pkey",
        """
        select mark, stream_created, stream_sequence, event_id, journal_mark
        from relay_state
        order by mark desc, journal_mark desc
        limit 4000
        """
    ) { row in
        RelayCheckpoint(
            mark: try row.value(0),
            journalMark: try row.value(4),
            streamCreated: try row.value(1),
            sequence: UInt64(clamping: try row.int64(2)),
            eventID: try row.value(3)
        )
    }

    // Index relay_state_pkey; both marks only rise, so the last row has the highest of each.
    static let journalMark = Statement(
        by: "relay_state_pkey",
        """
        select journal_mark
        from relay_state
        order by mark desc, journal_mark desc
        limit 1
        """
    ) { row in try row.int64(0) }

    static let save = Statement(
        by: "relay_state_pkey",
        """
        insert into relay_state (mark, journal_mark, stream_created, stream_sequence, event_id)
        values ($1, $2, $3, $4, $5)
        on conflict (mark, journal_mark) do update
        set stream_created = excluded.stream_created,
            stream_sequence = excluded.stream_sequence,
            event_id = excluded.event_id,
            saved_at = excluded.saved_at
        """
    )

    static let forgetCheckpointsAbove = Statement(
        by: "relay_state_pkey",
        "delete from relay_state where (mark, journal_mark) > ($1, $2)"
    )

    static let forgetOldCheckpoints = Statement(
        by: "relay_state_pkey",
        """
        delete from relay_state
        where (mark, journal_mark) < ($1, $2)
            and saved_at < clock_timestamp() - interval '1 hour'
        """
    )

    // MARK: Keeping

    // Index outbox_pkey: ids grow with time, so the oldest rows are those with the lowest ids.
    static let deleteOld = Statement(
        by: "outbox_pkey",
        """
        delete from outbox
        using (
            select id, created_at
            from outbox
            order by id
            limit 1000
        ) as oldest
        where outbox.id = oldest.id
            and oldest.id <= $1
            and oldest.created_at < clock_timestamp() - make_interval(days => $2::int4)
        """
    )

    // Index outbox_pkey, both ends.
    static let span = Statement(
        by: "outbox_pkey",
        "select coalesce(min(id), 0), coalesce(max(id), 0) from outbox"
    ) { row in (low: try row.int64(0), high: try row.int64(1)) }

    // Index outbox_pkey.
    static let isOlder = Statement(
        by: "outbox_pkey",
        """
        select created_at < clock_timestamp() - make_interval(secs => $2::int8)
        from outbox
        where id >= $1
        order by id
        limit 1
        """
    ) { row in try row.bool(0) }

    // Index outbox_order.
    static let replay = Statement(
        by: "outbox_order",
        """
        select id, aggregate, sequence, type, event_id, payload, traceparent, created_at
        from outbox
        where aggregate = $1
            and sequence >= $2
        order by sequence
        limit $3
        """
    ) { row in try OutboxRow(row) }

    // Index aggregate_sequence_pkey.
    static let lastSequence = Statement(
        by: "aggregate_sequence_pkey",
        "select sequence from aggregate_sequence where aggregate = $1 limit 1"
    ) { row in try row.int64(0) }

    // Index outbox_order.
    static let eraseOutbox = Statement(
        by: "outbox_order",
        "delete from outbox where aggregate = $1"
    )

    // MARK: Figures

    // Index outbox_pkey; at most 100,000 rows are counted.
    static let figures = Statement(
        by: "relay_state_pkey, outbox_pkey",
        """
        with saved as (
            select coalesce(max(mark), 0) as mark
            from relay_state
        )
        select
            (
                select count(*)
                from (
                    select 1
                    from outbox
                    where id > saved.mark
                    limit 100000
                ) as waiting
            ),
            (
                select (extract(epoch from clock_timestamp() - created_at) * 1000)::int8
                from outbox
                where id > saved.mark
                order by id
                limit 1
            ),
            pg_snapshot_xmax(pg_current_snapshot())::text::int8
                - pg_snapshot_xmin(pg_current_snapshot())::text::int8,
            (
                select (extract(epoch from clock_timestamp() - min(xact_start)) * 1000)::int8
                from pg_stat_activity
                where backend_xid is not null
            )
        from saved
        """
    ) { row in
        OutboxFigures(
            depth: try row.value(0),
            oldestAgeMilliseconds: try row.value(1, as: Int64?.self) ?? 0,
            openTransactionIDs: try row.value(2),
            oldestTransactionMilliseconds: try row.value(3, as: Int64?.self) ?? 0
        )
    }
}
