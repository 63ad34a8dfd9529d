internal import Postgres

/// An event that waits in the database.
struct ParkedRow: Sendable {
    var aggregate: String
    var sequence: Int64
    var event: String
    /// How often it failed.
    var tries: Int
    /// How often it was begun alone and did not end.
    var begun: Int
    /// It failed or was begun, and is not tried before its time.
    var isPostponed: Bool
}

/// The consumer's SQL.
///
/// An event is named by (producer, aggregate, sequence).
enum InboxStatements {
    // MARK: Sequences

    // Index inbox_pkey, an aggregate after the other: a join would be planned as a scan while the
    // table is small, and the plan kept.
    static let read = Statement(
        by: "inbox_pkey",
        """
        select wanted.aggregate, held.sequence
        from unnest($2::text[]) as wanted (aggregate)
        cross join lateral (
            select sequence
            from inbox
            where producer = $1
                and aggregate = wanted.aggregate
            limit 1
        ) as held
        """
    ) { row in (aggregate: try row.string(0), sequence: try row.int64(1)) }

    // By how much, not where to: what comes back tells whether they stood where they were read.
    // Sorted, so that two replicas take the rows in one order; index inbox_pkey.
    static let move = Statement(
        by: "inbox_pkey",
        """
        insert into inbox as held (producer, aggregate, sequence)
        select $1, moved.aggregate, moved.events
        from unnest($2::text[], $3::int8[]) as moved (aggregate, events)
        order by moved.aggregate
        on conflict (producer, aggregate) do update
        set sequence = held.sequence + excluded.sequence
        returning aggregate, sequence
        """
    ) { row in (aggregate: try row.string(0), sequence: try row.int64(1)) }

    // Index parked_event_pkey, as above.
    static let anyParked = Statement(
        by: "parked_event_pkey",
        """
        select found
        from unnest($2::text[]) as moved (aggregate)
        cross join lateral (
            select true as found
            from parked_event
            where producer = $1
                and aggregate = moved.aggregate
            limit 1
        ) as parked
        limit 1
        """
    ) { row in try row.bool(0) }

    // One statement for those that are there and those that are not, sorted like `move`: two would
    // take the rows in another order than that, and each wait for the other. Index inbox_pkey.
    static let lock = Statement(
        by: "inbox_pkey",
        """
        insert into inbox as held (producer, aggregate, sequence)
        select $1, wanted.aggregate, 0
        from unnest($2::text[]) as wanted (aggregate)
        order by wanted.aggregate
        on conflict (producer, aggregate) do update
        set sequence = held.sequence
        returning aggregate, sequence
        """
    ) { row in (aggregate: try row.string(0), sequence: try row.int64(1)) }

    // Index inbox_pkey.
    static let sequence = Statement(
        by: "inbox_pkey",
        "select sequence from inbox where producer = $1 and aggregate = $2 limit 1"
    ) { row in try row.int64(0) }

    // An upsert and no join, which goes through inbox_pkey whatever the plan; sorted as above.
    static let advance = Statement(
        by: "inbox_pkey",
        """
        insert into inbox (producer, aggregate, sequence, damaged_at)
        select $1, moved.aggregate, moved.sequence,
            case when moved.damaged then clock_timestamp() end
        from unnest($2::text[], $3::int8[], $4::bool[]) as moved (aggregate, sequence, damaged)
        order by moved.aggregate
        on conflict (producer, aggregate) do update
        set sequence = greatest(inbox.sequence, excluded.sequence),
            damaged_at = coalesce(excluded.damaged_at, inbox.damaged_at)
        """
    )

    // MARK: Parked

    /// How much of what waits of an aggregate is looked at together.
    static let parkedMax = 500

    // So many of each aggregate: one of which much waits hides no other's. Index parked_event_pkey.
    static let parked = Statement(
        by: "parked_event_pkey",
        """
        select wanted.aggregate, kept.sequence, kept.event, kept.tries, kept.begun,
            kept.next_try_at is not null
        from unnest($2::text[]) as wanted (aggregate)
        cross join lateral (
            select sequence, event, tries, begun, next_try_at
            from parked_event
            where producer = $1
                and aggregate = wanted.aggregate
            order by sequence
            limit $3
        ) as kept
        """
    ) { row in
        ParkedRow(
            aggregate: try row.value(0),
            sequence: try row.value(1),
            event: try row.value(2),
            tries: try row.value(3),
            begun: try row.value(4),
            isPostponed: try row.value(5)
        )
    }

    /// Keeps an event that comes too early.
    static let park = Statement(
        by: "parked_event_pkey",
        """
        insert into parked_event (producer, aggregate, sequence, event)
        values ($1, $2, $3, $4)
        on conflict (producer, aggregate, sequence) do nothing
        """
    )

    /// Keeps an event that failed, with its tries so far and the time of the next; so it has ended.
    static let postpone = Statement(
        by: "parked_event_pkey",
        """
        insert into parked_event (producer, aggregate, sequence, event, tries, next_try_at, error)
        values (
            $1, $2, $3, $4, $5,
            clock_timestamp() + least(60, power(2, $5::int4)) * interval '1 second', $6
        )
        on conflict (producer, aggregate, sequence) do update
        set tries = excluded.tries,
            begun = 0,
            next_try_at = excluded.next_try_at,
            error = excluded.error
        """
    )

    // Index parked_event_pkey.
    static let unpark = Statement(
        by: "parked_event_pkey",
        "delete from parked_event where producer = $1 and aggregate = $2 and sequence <= $3"
    )

    // MARK: Gaps

    // Index parked_event_gap; looked at every few seconds.
    static let gaps = Statement(
        by: "parked_event_gap",
        """
        with oldest as (
            select producer, aggregate
            from parked_event
            where producer = $2
                and next_try_at is null
                and parked_at < clock_timestamp() - make_interval(secs => $1::int4)
            order by parked_at
            limit 500
        )
        select distinct producer, aggregate
        from oldest
        order by producer, aggregate
        limit 16
        """
    ) { row in (producer: try row.string(0), aggregate: try row.string(1)) }

    // Index parked_event_pkey: it is asked for again only after another while.
    static let askedAgain = Statement(
        by: "parked_event_pkey",
        """
        update parked_event
        set parked_at = clock_timestamp()
        where producer = $1
            and aggregate = $2
        """
    )

    // Index parked_event_pkey.
    static let firstParked = Statement(
        by: "parked_event_pkey",
        """
        select sequence
        from parked_event
        where producer = $1
            and aggregate = $2
        order by sequence
        limit 1
        """
    ) { row in try row.int64(0) }

    // MARK: Dead letters

    static let bury = Statement(
        """
        insert into dead_letter (producer, aggregate, sequence, event, error)
        values ($1, $2, $3, $4, $5)
        """
    )

    // MARK: Erasure and rebuilding

    // Index inbox_pkey, parked_event_pkey, dead_letter_aggregate.
    static let eraseParked = Statement(
        by: "parked_event_pkey",
        "delete from parked_event where producer = $1 and aggregate = $2"
    )
    static let eraseDead = Statement(
        by: "dead_letter_aggregate",
        "delete from dead_letter where producer = $1 and aggregate = $2"
    )
    static let rebuilt = Statement(
        by: "inbox_pkey",
        """
        insert into inbox (producer, aggregate, sequence)
        values ($1, $2, $3)
        on conflict (producer, aggregate) do update
        set sequence = greatest(inbox.sequence, excluded.sequence),
            damaged_at = null
        """
    )
}
