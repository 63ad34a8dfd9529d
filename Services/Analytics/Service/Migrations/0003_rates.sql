-- Reference rates as the ledger answered them: the newest row on or before each day on
-- which something was booked in another currency than somebody asked for.

create table analytics.rate_day (
    day date primary key,
    -- Whether a later answer could not differ; else it is asked for again after a minute.
    is_final boolean not null,
    fetched_at timestamptz not null default clock_timestamp()
);

create table analytics.exchange_rate (
    day date not null,
    currency text not null,
    -- Minor units for one euro.
    minor_units numeric not null check (minor_units > 0),
    primary key (day, currency)
);

-- Halves go to the even neighbour: figures that are only shown.
create function analytics.half_even(value numeric) returns numeric
    language sql immutable strict parallel safe
    return case
        when abs(value - trunc(value)) = 0.5 then 2 * round(value / 2)
        else round(value)
    end;
