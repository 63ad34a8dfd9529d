-- A message brings bookings of hundreds of people, and thousands are applied together: with a lock
-- for each of them two replicas would fill the server's table of locks. Whoever erases somebody
-- holds the lock of their bucket, too, so what comes in sets holds 256 at most.

create or replace function analytics.take_erased_out() returns trigger
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
    if people is null then return null; end if;
    if tg_table_name = 'fact' then delete from fact where user_id = any (people);
    else delete from category where user_id = any (people);
    end if;
    return null;
end
$function$;

create or replace function analytics.take_erased_cells_out() returns trigger
language plpgsql volatile
set search_path = analytics, pg_temp
as $function$
declare
    people uuid[];
begin
    perform pg_advisory_xact_lock_shared(bucket)
    from (
        select distinct hashtextextended(owner_id::text, 4997) & 255 as bucket
        from made order by bucket
    ) as held;
    select array_agg(user_id) into people
    from erased_user where user_id = any (array(select owner_id from made));
    if people is not null then delete from report_cell where owner_id = any (people); end if;
    return null;
end
$function$;
