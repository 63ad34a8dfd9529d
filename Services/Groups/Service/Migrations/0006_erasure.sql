-- Who is gone is kept by id, so that nothing is made for them any more.

create table groups.erased_user (
    user_id uuid primary key,
    erased_at timestamptz not null
);

create function groups.keep_erased_out() returns trigger
language plpgsql volatile
set search_path = groups, pg_temp
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
create trigger keep_erased_out before insert on groups.person
    for each row execute function groups.keep_erased_out('user_id', 'skip');
create trigger keep_erased_out before insert on groups.expense_group
    for each row when (new.personal_of is not null)
    execute function groups.keep_erased_out('personal_of', 'refuse');
create trigger keep_erased_out before insert on groups.member
    for each row when (new.user_id is not null)
    execute function groups.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on groups.family_member
    for each row execute function groups.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on groups.invitation
    for each row when (new.user_id is not null)
    execute function groups.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out_inviter before insert on groups.invitation
    for each row execute function groups.keep_erased_out('invited_by', 'refuse');

-- Who answered: what was asked by address is theirs, though they have another one since.
alter table groups.invitation add column answered_by uuid;
create index invitation_answered_idx on groups.invitation (answered_by)
    where answered_by is not null;
