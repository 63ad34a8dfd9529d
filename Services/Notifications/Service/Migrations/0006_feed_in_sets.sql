-- The erased are kept out of feeds by the statement and not by the row: an expense is told to
-- everybody in its group, and hundreds of them come at once, to the same few people.
--
-- What is written is looked at when it is there: whoever erases somebody waits for the lock that is
-- taken here, or has committed before it, and is seen.
create function notifications.keep_erased_out_of_feeds() returns trigger
language plpgsql volatile
set search_path = notifications, pg_temp
as $function$
declare
    readers constant uuid[] := array(select distinct user_id from told order by user_id);
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(reader::text, 4997))
    from unnest(readers) as reader;
    if exists (select from erased_user where user_id = any (readers)) then
        delete from notification n
        using told
        join erased_user e on e.user_id = told.user_id
        where n.user_id = told.user_id and n.id = told.id;
    end if;
    return null;
end
$function$;
drop trigger keep_erased_out on notifications.notification;
create trigger keep_erased_out after insert on notifications.notification
    referencing new table as told
    for each statement execute function notifications.keep_erased_out_of_feeds();
