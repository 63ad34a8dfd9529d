-- Who is gone is kept by id, so that nothing is made for them any more.

create table analytics.erased_user (
    user_id uuid primary key,
    erased_at timestamptz not null
);

create function analytics.keep_erased_out() returns trigger
language plpgsql volatile
set search_path = analytics, pg_temp
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
create trigger keep_erased_out before insert on analytics.person
    for each row execute function analytics.keep_erased_out('user_id', 'skip');
create trigger keep_erased_out before insert on analytics.wallet_member
    for each row execute function analytics.keep_erased_out('user_id', 'skip');

-- Of facts there come hundreds in one statement: they are looked at together, after it, and what is
-- an erased person's goes again. The ledger's events and auth's are two streams, and neither waits
-- for the other.
create function analytics.take_erased_out() returns trigger
language plpgsql volatile
set search_path = analytics, pg_temp
as $function$
declare
    people uuid[];
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(user_id::text, 4997))
    from (select distinct user_id from made order by user_id) as person;
    select array_agg(user_id) into people
    from erased_user where user_id = any (array(select user_id from made));
    if people is null then return null; end if;
    if tg_table_name = 'fact' then delete from fact where user_id = any (people);
    else delete from category where user_id = any (people);
    end if;
    return null;
end
$function$;
create trigger take_erased_out after insert on analytics.fact
    referencing new table as made
    for each statement execute function analytics.take_erased_out();
create trigger take_erased_out after insert on analytics.category
    referencing new table as made
    for each statement execute function analytics.take_erased_out();
