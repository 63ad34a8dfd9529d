-- An invitation and a link last as long as their sender may send them, and nobody is asked by a person
-- whom they have blocked.

-- A person who refuses new debts with another in a group of the two, or has blocked the other. The
-- other does not read it.
create table groups.refusal (
    user_id uuid not null,
    other_id uuid not null,
    is_block boolean not null,
    created_at timestamptz not null default now(),
    primary key (user_id, other_id),
    check (user_id <> other_id)
);
create index refusal_other_idx on groups.refusal (other_id);
create trigger keep_erased_out before insert on groups.refusal
    for each row execute function groups.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out_other before insert on groups.refusal
    for each row execute function groups.keep_erased_out('other_id', 'refuse');

-- Whether its sender may still send it. The ledger decides that for wallets and folders when the
-- member joins.
create function groups.is_sent_by_right(asked groups.invitation) returns boolean
language sql
stable
as $function$
    select case
        when asked.group_id is not null then exists (
            select
            from groups.member m
            join groups.expense_group g on g.id = m.group_id
            where m.user_id = asked.invited_by and m.group_id = asked.group_id
                and (m.role = 'admin' or not g.has_roles))
        when asked.family_id is not null then exists (
            select
            from groups.family_member m
            where m.user_id = asked.invited_by and m.family_id = asked.family_id
                and m.role = 'parent')
        else true
    end
$function$;

-- Whether an invited person reads and answers it. A member reads none to their own group or family,
-- so an invitation by address says nothing to its sender about members: one that is open and has an
-- `answered_by` has ended for that person, and not for its sender. An invitation from before a person
-- left does not bring them back.
create function groups.is_shown(asked groups.invitation, person uuid) returns boolean
language sql
stable
as $function$
    select asked.answered_by is null
        and groups.is_sent_by_right(asked)
        and not exists (
            select
            from groups.refusal r
            where r.user_id = person and r.other_id = asked.invited_by and r.is_block)
        and not exists (
            select
            from groups.member m
            where m.user_id = person and m.group_id = asked.group_id)
        and not exists (
            select
            from groups.member m
            where m.former_user_id = person and m.group_id = asked.group_id
                and m.left_at > asked.created_at)
        and not exists (
            select
            from groups.family_member m
            where m.user_id = person and m.family_id = asked.family_id)
$function$;

-- Whether new debts are refused in a group of two people, guests aside: the other of a pair has not
-- joined yet, or one of the two refuses them.
create function groups.is_refused(in_group uuid, person uuid) returns boolean
language sql
stable
as $function$
    select exists (
        select
        from groups.expense_group g
        where g.id = in_group and g.pair_low is not null
            and not exists (
                select
                from groups.member o
                where o.group_id = in_group and o.user_id is not null and o.user_id <> person)
    ) or exists (
        select
        from (
            select other_id as user_id from groups.refusal where user_id = person
            union all
            select user_id from groups.refusal where other_id = person
        ) r
        join groups.member o on o.user_id = r.user_id and o.group_id = in_group
        where not exists (
            select
            from groups.member t
            where t.group_id = in_group and t.user_id is not null
                and t.user_id not in (person, r.user_id))
    )
$function$;

update groups.invitation i
set state = 'withdrawn', answered_at = now()
where i.state = 'open' and not groups.is_sent_by_right(i);
