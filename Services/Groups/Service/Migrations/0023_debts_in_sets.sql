-- That a debt is one of an expense in its group is looked at once for all that are written together,
-- and not by a foreign key for each: of ten people an expense makes nine, and the look-up of a key is
-- planned once a connection, so that one which began with an empty table went on reading all of it.
alter table groups.expense_debt drop constraint expense_debt_group_id_expense_id_fkey;

create function groups.check_debts() returns trigger
language plpgsql set search_path = groups, pg_temp set enable_seqscan = off as $$
begin
    if exists (
        select from (select distinct group_id, expense_id from made) debt
        left join lateral (
            select true as is_there from expense e
            where e.group_id = debt.group_id and e.id = debt.expense_id
            limit 1
        ) found on true
        where found.is_there is null)
    then
        raise exception using errcode = '23503', constraint = 'expense_debt_expense',
            message = 'a debt is of an expense in its group';
    end if;
    return null;
end
$$;
create trigger check_debts after insert on groups.expense_debt
    referencing new table as made
    for each statement execute function groups.check_debts();

-- A debt never becomes another, nor does the name of an expense.
do $$
begin
    execute format(
        'revoke update on groups.expense_debt from %I', current_setting('ezwallet.service_role'));
end
$$;

create function groups.take_debts_along() returns trigger
language plpgsql set search_path = groups, pg_temp set enable_seqscan = off as $$
begin
    if tg_op = 'UPDATE' then
        raise exception using errcode = '23503', constraint = 'expense_debt_expense',
            message = 'an expense stays the one that it is';
    end if;
    delete from expense_debt where group_id = old.group_id and expense_id = old.id;
    return null;
end
$$;
create trigger take_debts_along after delete on groups.expense
    for each row execute function groups.take_debts_along();
create trigger keep_name after update of group_id, id on groups.expense
    for each row when (old.group_id <> new.group_id or old.id <> new.id)
    execute function groups.take_debts_along();
