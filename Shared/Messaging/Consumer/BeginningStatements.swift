internal import Postgres

/// The SQL of what is begun alone: noted before, so that one that ends the process is found out.
enum BeginningStatements {
    /// Notes that an event is begun whose turn it is, unless it waits for a time of its own; how
    /// often it was.
    ///
    /// Index inbox_pkey, parked_event_pkey. It comes again at a time by chance: of two that were
    /// under way when the process ended the innocent is not at hand every time.
    static let begin = Statement(
        by: "parked_event_pkey, inbox_pkey",
        """
        insert into parked_event as kept
            (producer, aggregate, sequence, event, begun, next_try_at, error)
        select $1::text, $2::text, $3::int8, $4::text, 1,
            clock_timestamp() + (1 + random()) * interval '1 second', 'begun and not ended'
        where $3::int8 = 1 + coalesce(
            (select sequence from inbox where producer = $1 and aggregate = $2), 0)
        on conflict (producer, aggregate, sequence) do update
        set begun = kept.begun + 1,
            next_try_at = excluded.next_try_at,
            error = excluded.error
        where kept.next_try_at is null
        returning begun
        """
    ) { row in Int(try row.int32(0)) }

    /// Notes that the one of a producer's is begun whose time came first.
    ///
    /// Index parked_event_retry. One at a time: whoever is killed by it has begun no other.
    static let beginRetry = Statement(
        by: "parked_event_retry, parked_event_pkey",
        """
        with due as (
            select producer, aggregate, sequence
            from parked_event
            where producer = $1
                and next_try_at <= clock_timestamp()
            order by next_try_at
            limit 1
            for update skip locked
        )
        update parked_event as kept
        set begun = kept.begun + 1,
            next_try_at = clock_timestamp() + (1 + random())
                * least(60, power(2, kept.tries + kept.begun)) * interval '1 second'
        from due
        where kept.producer = due.producer
            and kept.aggregate = due.aggregate
            and kept.sequence = due.sequence
        returning kept.producer, kept.aggregate, kept.sequence
        """
    ) { row in
        EventKey(
            producer: try row.string(0),
            aggregate: try row.string(1),
            sequence: try row.int64(2)
        )
    }

    // Whoever made the note is there to say that it ended. Index parked_event_pkey.
    static let giveBack = Statement(
        by: "parked_event_pkey",
        """
        update parked_event
        set begun = greatest(begun - 1, 0),
            next_try_at = least(next_try_at, clock_timestamp() + interval '2 seconds')
        where producer = $1
            and aggregate = $2
            and sequence = $3
        """
    )

    // Index parked_event_pkey: of an aggregate the one whose turn it is.
    static let nextParked = Statement(
        by: "inbox_pkey, parked_event_gap",
        """
        select event
        from parked_event
        where producer = $1
            and aggregate = $2
            and next_try_at is null
            and sequence = 1 + (
                select sequence from inbox where producer = $1 and aggregate = $2
            )
        limit 1
        """
    ) { row in try row.string(0) }

    // How often a message was begun to be read. Index parked_event_pkey.
    static let beginReading = Statement(
        by: "parked_event_pkey",
        """
        insert into parked_event as kept
            (producer, aggregate, sequence, event, begun, next_try_at)
        values ('', $1, $2, '', 1, 'infinity')
        on conflict (producer, aggregate, sequence) do update
        set begun = kept.begun + 1
        returning begun
        """
    ) { row in Int(try row.int32(0)) }

    // Index parked_event_pkey.
    static let endReading = Statement(
        by: "parked_event_pkey",
        "delete from parked_event where producer = '' and aggregate = $1 and sequence = $2"
    )
}
