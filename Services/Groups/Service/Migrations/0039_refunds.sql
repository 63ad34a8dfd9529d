-- An expense below zero is money that came back: who paid it has received it, and what each bears of
-- it is below zero, or nothing. What followed from an amount above zero follows from either sign.
alter table groups.expense
    drop constraint expense_amount_check,
    add constraint expense_amount_check check (amount <> 0);
alter table groups.expense_item
    drop constraint expense_item_amount_check,
    add constraint expense_item_amount_check check (amount <> 0);
alter table groups.group_total drop constraint group_total_amount_check;
alter table groups.foreign_expense
    drop constraint foreign_expense_amount_check,
    add constraint foreign_expense_amount_check check (amount <> 0),
    drop constraint foreign_expense_converted_check;
alter table groups.ledger_link
    drop constraint ledger_link_paid_check,
    add constraint ledger_link_paid_check check (paid <> 0),
    drop constraint ledger_link_check,
    add constraint ledger_link_share check (share between least(paid, 0) and greatest(paid, 0));

-- As before, but that both sides have the sign of the expense.
create or replace function groups.check_expense_sides() returns trigger
language plpgsql set search_path = groups, pg_temp set enable_seqscan = off as $$
declare
    broken text;
begin
    -- By key, each member is found once, however often it is named.
    select case when wrong.sums then 'expense_sums' else 'expense_members' end into broken
    from made e
    cross join lateral (
        select not (
            case when e.amount > 0 then 0 < all (e.paid) and 0 <= all (e.borne)
                else 0 > all (e.paid) and 0 >= all (e.borne) end
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
