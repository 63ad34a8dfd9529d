-- What notifications has heard (inbox) and tells (outbox). The tables are those of
-- Shared/Messaging; the schema is found by the search_path.
set local search_path = notifications, pg_temp;

-- The last sequence of each aggregate; its row is the aggregate's lock.
create table aggregate_sequence (
    aggregate text primary key,
    sequence bigint not null
) with (fillfactor = 70);

-- What this service tells, for 30 days.
create table outbox (
    id bigint generated always as identity primary key,
    aggregate text not null,
    sequence bigint not null,
    type text not null,
    event_id uuid not null,
    payload json not null,
    traceparent text,
    created_at timestamptz not null default clock_timestamp(),
    constraint outbox_order unique (aggregate, sequence)
);

-- How far the relay is, and where that lay in the stream: a checkpoint a second, for an hour.
create table relay_state (
    mark bigint not null,
    journal_mark bigint not null default 0,
    stream_created bigint not null,
    stream_sequence bigint not null,
    event_id text not null,
    saved_at timestamptz not null default clock_timestamp(),
    primary key (mark, journal_mark)
);

-- The last sequence applied of each aggregate of each producer.
create table inbox (
    producer text not null,
    aggregate text not null,
    sequence bigint not null,
    damaged_at timestamptz,
    primary key (producer, aggregate)
) with (fillfactor = 70);

-- Events that wait: for one before them, or for their next try.
create table parked_event (
    producer text not null,
    aggregate text not null,
    sequence bigint not null,
    event text not null,
    tries int not null default 0,
    begun int not null default 0,
    next_try_at timestamptz,
    error text,
    parked_at timestamptz not null default clock_timestamp(),
    primary key (producer, aggregate, sequence)
);
create index parked_event_retry on parked_event (producer, next_try_at)
    where next_try_at is not null;
create index parked_event_gap on parked_event (producer, parked_at)
    where next_try_at is null;

-- Events that could not be applied, and ranges that no producer has any more.
create table dead_letter (
    id bigint generated always as identity primary key,
    producer text,
    aggregate text not null,
    sequence bigint not null,
    event text,
    error text not null,
    buried_at timestamptz not null default clock_timestamp()
);
create index dead_letter_aggregate on dead_letter (producer, aggregate);

-- How far a producer's journal is applied: all up to the mark, and some places above it. Who asks
-- the producer for what is missing holds that for ten seconds.
create table journal_mark (
    producer text primary key,
    mark bigint not null,
    lows bigint[] not null default '{}',
    highs bigint[] not null default '{}',
    asker uuid,
    asks_until timestamptz
) with (fillfactor = 20);

-- Work that was begun and has not ended: what is under way, or has ended its process. How far it
-- is, how far it was when it did not end, and how often in a row that was about there. Its process
-- is there while the backend of the connection is that it was noted over; once that is gone it is
-- begun again at some distance, so that kills in a row do not all meet the same piece.
create table work_begun (
    kind text not null,
    id text not null,
    attempt uuid not null,
    backend integer not null default pg_backend_pid(),
    server timestamptz not null default pg_postmaster_start_time(),
    place integer not null default 0,
    ended_place integer,
    times integer not null default 0,
    again_at timestamptz not null default clock_timestamp() + interval '1 second',
    primary key (kind, id)
);

do $$
begin
    execute format(
        'grant select, insert, update, delete on aggregate_sequence, outbox, relay_state, inbox, '
        'parked_event, dead_letter, work_begun, journal_mark to %I',
        current_setting('ezwallet.service_role')
    );
end
$$;

-- Keys commit with their effect and its answer. Never partitioned by day: a key must be found on any day.
create table idempotency_key (
    scope text not null,
    key text not null,
    request_hash bytea not null,
    answer text not null,
    created_at timestamptz not null default now(),
    primary key (scope, key)
);
create index idempotency_key_created_at_idx on idempotency_key (created_at);
