-- Reference rates that were fetched: rows are added and never changed, so that no conversion that
-- was told becomes another one. What the executables bring along is not in here.

create table ledger.exchange_rate (
    day date not null,
    currency text collate "C" not null check (currency ~ '^[A-Z]{3}$'),
    -- Units for one euro: the digits as published, and how many of them stand after the point.
    mantissa bigint not null check (mantissa between 1 and 9999999999),
    scale smallint not null check (scale between 0 and 8),
    -- Who published it.
    source text collate "C" not null,
    primary key (day, currency)
);

-- Figures that leapt: taken once a fetch half a day later still has them.
create table ledger.rate_doubt (
    day date not null,
    currency text collate "C" not null,
    mantissa bigint not null,
    scale smallint not null,
    seen_at timestamptz not null,
    primary key (day, currency, mantissa, scale)
);

-- The one job: whoever claims it fetches, for all replicas.
create table ledger.rate_fetch (
    is_one boolean primary key default true check (is_one),
    next_at timestamptz not null default now(),
    claimed_until timestamptz not null default '-infinity',
    failures integer not null default 0,
    fetched_at timestamptz,
    error text,
    -- Counts additions to `exchange_rate`: by this replicas see that there is something to load.
    revision bigint not null default 0
);
insert into ledger.rate_fetch default values;

do $$
declare
    service text := current_setting('ezwallet.service_role');
begin
    execute format('grant select, insert on ledger.exchange_rate to %I', service);
    execute format('grant select, insert, delete on ledger.rate_doubt to %I', service);
    execute format('grant select, update on ledger.rate_fetch to %I', service);
end
$$;
