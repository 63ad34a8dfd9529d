-- Who is gone is kept by id, so that nothing is made for them any more.

create table notifications.erased_user (
    user_id uuid primary key,
    erased_at timestamptz not null
);

create function notifications.keep_erased_out() returns trigger
language plpgsql volatile
set search_path = notifications, pg_temp
as $function$
declare
    who constant uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
begin
    if who is null then return new; end if;
    perform pg_advisory_xact_lock_shared(hashtextextended(who::text, 4997));
    if not exists (select from erased_user where user_id = who) then return new; end if;
    if tg_argv[1] = 'skip' then return null; end if;
    raise exception using errcode = '23503', constraint = 'erased_user',
        message = 'the person is erased';
end
$function$;
create trigger keep_erased_out before insert on notifications.person
    for each row execute function notifications.keep_erased_out('user_id', 'skip');
create trigger keep_erased_out before insert on notifications.notification
    for each row execute function notifications.keep_erased_out('user_id', 'skip');
create trigger keep_erased_out before insert on notifications.message
    for each row when (new.user_id is not null)
    execute function notifications.keep_erased_out('user_id', 'skip');

create index message_user_id_idx on notifications.message (user_id) where user_id is not null;
