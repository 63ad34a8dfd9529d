-- Who paid an expense and who bears it stand in its own row: a list each, in the order in which they
-- were written. As rows of their own they were most of what an expense cost: for one of ten people 11
-- rows, 22 entries of indexes and 22 looks at what they refer to. `expense_payment` and
-- `expense_share` show them by row, as before.
alter table groups.expense
    add column payer_ids uuid[],
    add column paid bigint[],
    add column bearer_ids uuid[],
    add column borne bigint[],
    -- The amount, percentage or number of shares that each was made from, as written; empty where
    -- none was.
    add column share_values text[];

drop trigger expense_sums on groups.expense;
drop function groups.check_expense_sums();

update groups.expense e
set (payer_ids, paid) = (
        select coalesce(array_agg(p.member_id order by p.position), '{}'),
            coalesce(array_agg(p.amount order by p.position), '{}')
        from groups.expense_payment p
        where p.group_id = e.group_id and p.expense_id = e.id),
    (bearer_ids, borne, share_values) = (
        select coalesce(array_agg(s.member_id order by s.position), '{}'),
            coalesce(array_agg(s.amount order by s.position), '{}'),
            coalesce(array_agg(s.value order by s.position) filter (
                where e.split_kind <> 'equal'), '{}')
        from groups.expense_share s
        where s.group_id = e.group_id and s.expense_id = e.id);

alter table groups.expense
    alter column payer_ids set not null,
    alter column paid set not null,
    alter column bearer_ids set not null,
    alter column borne set not null,
    alter column share_values set not null;

drop table groups.expense_payment;
drop table groups.expense_share;

create view groups.expense_payment as
select e.group_id, e.id as expense_id, part.position::integer as position, part.member_id,
    part.amount
from groups.expense e
cross join lateral unnest(e.payer_ids, e.paid) with ordinality
    as part (member_id, amount, position);

create view groups.expense_share as
select e.group_id, e.id as expense_id, part.position::integer as position, part.member_id,
    part.amount, part.value
from groups.expense e
cross join lateral unnest(e.bearer_ids, e.borne, e.share_values) with ordinality
    as part (member_id, amount, value, position);

-- Both sides sum to the expense, and name members of its group, each of them once. Nobody pays
-- nothing; to bear nothing is a share too: 0.01 falls on one of three. All that a statement writes is
-- looked at together: whatever is done by row costs more than the row.
create function groups.check_expense_sides() returns trigger
language plpgsql set search_path = groups, pg_temp set enable_seqscan = off as $$
declare
    broken text;
begin
    -- By key, each member is found once, however often it is named.
    select case when wrong.sums then 'expense_sums' else 'expense_members' end into broken
    from made e
    cross join lateral (
        select not (0 < all (e.paid) and 0 <= all (e.borne)
            and cardinality(e.paid) = cardinality(e.payer_ids)
            and cardinality(e.borne) = cardinality(e.bearer_ids)
            and cardinality(e.share_values) in (0, cardinality(e.bearer_ids))
            and e.amount = (select coalesce(sum(part), 0) from unnest(e.paid) part)
            and e.amount = (select coalesce(sum(part), 0) from unnest(e.borne) part))
    ) wrong (sums)
    where wrong.sums is not false
        or cardinality(e.bearer_ids) <> (
            select count(*) from member where group_id = e.group_id and id = any (e.bearer_ids))
        or cardinality(e.payer_ids) <> (
            select count(*) from member where group_id = e.group_id and id = any (e.payer_ids))
    limit 1;
    if broken = 'expense_sums' then
        raise exception using errcode = '23514', constraint = broken,
            message = 'what was paid or is borne does not sum to the expense';
    elsif broken is not null then
        raise exception using errcode = '23503', constraint = broken,
            message = 'who paid or bears an expense is one member of its group';
    end if;
    return null;
end
$$;
create trigger expense_sides after insert on groups.expense
    referencing new table as made
    for each statement execute function groups.check_expense_sides();
create trigger expense_sides_changed after update on groups.expense
    referencing new table as made
    for each statement execute function groups.check_expense_sides();

-- And they stay members, for as long as there is the expense.
create function groups.keep_named_members() returns trigger
language plpgsql set search_path = groups, pg_temp set enable_seqscan = off as $$
begin
    -- With the group all goes: nobody is looked for among what has just been deleted.
    if not exists (select from expense_group where id = old.group_id) then
        return null;
    end if;
    if exists (
        select from expense
        where group_id = old.group_id
            and (old.id = any (payer_ids) or old.id = any (bearer_ids)))
    then
        raise exception using errcode = '23503', constraint = 'expense_members',
            message = 'who paid or bears an expense is one member of its group';
    end if;
    return null;
end
$$;
create constraint trigger keep_named_members
    after delete or update of group_id, id on groups.member
    deferrable initially deferred
    for each row execute function groups.keep_named_members();
