-- The read model of analytics: filled from events alone, never from another service's tables.
-- Of a person it keeps what the dimensions need (area, birth date) and what a report defaults to,
-- and no name or address.

create schema analytics;

do $$
declare
    service text := current_setting('ezwallet.service_role');
begin
    execute format('grant usage on schema analytics to %I', service);
    execute format(
        'alter default privileges in schema analytics '
        'grant select, insert, update, delete on tables to %I', service);
    execute format(
        'alter default privileges in schema analytics grant usage, select on sequences to %I',
        service);
end
$$;

create table analytics.person (
    user_id uuid primary key,
    area text,
    date_of_birth date,
    currency text not null,
    time_zone text not null
);
