-- What everybody's figures are answered from: releases, never what is booked at the moment. Whoever
-- asked before and after a booking would else see it as the difference.
--
-- A release is a number and an instant. What counts is in analytics.booking, with the release from
-- which it counts and the one from which it no longer does; what may be told of it is worked out
-- once, with the release, into analytics.cell. So both replicas, and each after a restart, answer
-- the same, and what was told depends on nobody's questions.

create table analytics.release (
    number bigint primary key,
    released_at timestamptz not null,
    -- With what it was made: a release under others makes all months' cells anew.
    users_min bigint not null,
    currencies text[] not null
);

-- Whoever releases or forgets people holds this row, one at a time.
create table analytics.release_lock (
    id boolean primary key default true check (id)
);
insert into analytics.release_lock default values;

-- Who is counted goes by a number that is nobody's once this row is gone.
create table analytics.insight_person (
    user_id uuid primary key,
    number bigint generated always as identity unique
);
create trigger keep_erased_out before insert on analytics.insight_person
    for each row execute function analytics.keep_erased_out('user_id', 'skip');

-- What a person has booked of the same content on a day, so and so many times, with the person's
-- dimensions as they were: whoever moves has other rows from the next release on.
create table analytics.booking (
    id bigint generated always as identity primary key,
    month date not null,
    person bigint not null,
    day date not null,
    is_incoming boolean not null,
    category text not null,
    area text not null,
    age_band text not null,
    account_kind text not null,
    currency text not null,
    -- Zero or more.
    amount bigint not null,
    times bigint not null,
    counts_from bigint not null,
    counts_until bigint
);
create index booking_month_idx on analytics.booking (month, id);
create index booking_person_idx on analytics.booking (person);

-- How many erased people had something in a cell between these releases, and nothing else of them:
-- a release must still know that a figure differs by somebody who is gone.
create table analytics.erased_booking (
    month date not null,
    is_incoming boolean not null,
    category text not null,
    area text not null,
    age_band text not null,
    account_kind text not null,
    currency text not null,
    counts_from bigint not null,
    counts_until bigint not null,
    people bigint not null,
    constraint erased_booking_pkey primary key (
        month, is_incoming, category, area, age_band, account_kind, currency, counts_from,
        counts_until)
);

-- The releases with which a month's bookings changed; the first is the one that it is told from.
create table analytics.released_month (
    month date not null,
    release bigint not null,
    primary key (month, release)
);

-- The rates of a day as they were when something of it was first released. A rate that comes later
-- would put what had none, perhaps one person's, into a figure.
create table analytics.released_day (
    day date primary key
);
create table analytics.released_rate (
    day date not null,
    currency text not null,
    minor_units numeric not null,
    primary key (day, currency)
);

-- A month's cube one way in one currency: of what has a rate, or of what has none.
create table analytics.month_cube (
    month date not null,
    target text not null,
    is_incoming boolean not null,
    is_converted boolean not null,
    -- The tables of which nothing is told, not even which cells there are.
    closed bigint[] not null,
    primary key (month, target, is_incoming, is_converted)
);

-- The cells of its tables, those that are closed left out. A table is a level of each dimension;
-- null is a margin.
create table analytics.cell (
    target text not null,
    is_incoming boolean not null,
    is_converted boolean not null,
    levels bigint not null,
    month date not null,
    place bigint not null,
    category text,
    country text,
    area text,
    age_band text,
    account_kind text,
    currency text,
    is_told boolean not null,
    -- Figures of what is told, else zero.
    bookings bigint not null,
    users bigint not null,
    total numeric not null,
    low numeric not null,
    high numeric not null,
    ninth numeric not null,
    -- Who and how much, for sums over months and filters: `PeopleSketch`, `AmountSketch`.
    people bytea not null,
    amounts bytea not null,
    primary key (target, is_incoming, is_converted, levels, month, place)
);
