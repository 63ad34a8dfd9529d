-- How the suite is used, by events alone: when somebody registered, on which days they were there,
-- what they did first, and which files they took in and out. Everything here is of one person and
-- goes with them; what everybody's figures are made from it is in 0016.

-- The day, in UTC, on which somebody registered as a user; none of whom is no user, and of who was
-- there before this until `ezwallet-analytics rebuild` has asked for it.
alter table analytics.person add column registered_on date;
create index person_registered_idx on analytics.person (registered_on)
    where registered_on is not null;

-- One row a person and month: bit n, from 0, is day n + 1. Of 100,000 people who are there every
-- month that is a hundred thousand rows a month, where a row a day would be millions.
create table analytics.active_month (
    user_id uuid not null,
    month date not null,
    days integer not null check (days > 0),
    primary key (user_id, month)
);
create index active_month_month_idx on analytics.active_month (month);
create trigger keep_erased_out before insert on analytics.active_month
    for each row execute function analytics.keep_erased_out('user_id', 'skip');

-- The first day of each step that somebody has taken; whatever is told twice or out of order, the
-- earliest stands, and what is taken back was done.
create table analytics.first_step (
    user_id uuid not null,
    -- `transaction`, `group` or `transfer`.
    step text not null,
    day date not null,
    primary key (user_id, step)
);
-- As of facts, which come in sets: a lock for each bucket of people, not for each of them.
create function analytics.take_erased_steps_out() returns trigger
language plpgsql volatile
set search_path = analytics, pg_temp
as $function$
declare
    people uuid[];
begin
    perform pg_advisory_xact_lock_shared(bucket)
    from (
        select distinct hashtextextended(user_id::text, 4997) & 255 as bucket
        from made order by bucket
    ) as held;
    select array_agg(user_id) into people
    from erased_user where user_id = any (array(select user_id from made));
    if people is not null then delete from first_step where user_id = any (people); end if;
    return null;
end
$function$;
create trigger take_erased_out after insert on analytics.first_step
    referencing new table as made
    for each statement execute function analytics.take_erased_steps_out();

-- The files of each person, by the id of the import or export, so that none is counted twice.
create table analytics.file_use (
    user_id uuid not null,
    id uuid not null,
    day date not null,
    -- `import` or `export`.
    kind text not null,
    format text not null,
    primary key (user_id, id)
);
create index file_use_day_idx on analytics.file_use (day);
create trigger keep_erased_out before insert on analytics.file_use
    for each row execute function analytics.keep_erased_out('user_id', 'skip');
