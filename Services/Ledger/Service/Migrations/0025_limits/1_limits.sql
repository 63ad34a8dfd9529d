-- What a child may spend of their account for allowances in a month, in one of their categories or,
-- where none is named, in all. The posting function holds it: the function again, of the files of
-- 0006_posting as they are and of what this folder adds,
--
--   3_variables  what is kept of limits while a call is decided on
--   4_known      what is limited, once the accounts are locked: a call without a child's account
--                asks for nothing, and one with limits is left to the loop
--   5_kept       the check, behind those of the state and before the money moves:
--    9. limit-exceeded    it raises what is spent of a limit in a month, and leaves it above. A
--                         chain is held to what it adds to what was before all of it, and so is an
--                         edit
--      (overflow and insufficient-funds come behind it)
--
-- Spent is what leaves the account by its current lines, by each line's day and category; transfers
-- count in the category that they have, lines of income and what comes in nowhere. Months are those
-- of the child's budgets, as they were when a parent set the limits. It is summed from the lines under the balance's lock: of two calls the
-- later knows of the other. What is held counts once it is captured. Only the service's own moving
-- of what stood in a category that is gone is let through: nothing is spent by it, and nobody is
-- there to be told.
set local search_path = ledger, pg_temp;

-- Gone with the account's end as an allowance, and with the person's.
create table allowance_limit (
    account_id uuid not null references allowance (account_id) on delete cascade,
    -- One of the child's, or none: everything.
    category_id uuid references category (id) on delete cascade,
    -- In the account's currency.
    amount bigint not null check (amount >= 0),
    -- Where the child's months began when a parent set it: a child who moves that does not begin a
    -- new month with it.
    month_start smallint not null check (month_start between 1 and 28)
);
create unique index allowance_limit_key on allowance_limit (account_id, category_id)
    nulls not distinct;
create index allowance_limit_category_idx on allowance_limit (category_id);

create type spending_limit as (
    account_id uuid, category_id uuid, amount bigint, month_start smallint);
create type spending as (account_id uuid, day date, category_id uuid, amount numeric);

-- What was spent of an account on some days, by category. By money_transaction_account_idx, and a
-- key of the lines for what is split; it is worked out in place where it is called.
create function spent_v1(wanted uuid, first date, behind date)
returns table (category_id uuid, amount numeric)
language sql stable
as $function$
    select spent.category_id, -sum(spent.amount)
    from (
        select t.category_id, t.amount
        from ledger.money_transaction as t
        where t.account_id = wanted and t.day >= first and t.day < behind
            and t.reversed_by is null and not t.is_split and t.amount < 0
        union all
        select line.category_id, line.amount
        from ledger.money_transaction as t
        join ledger.transaction_line as line
            on line.transaction_id = t.id and line.version = t.version
        where t.account_id = wanted and t.day >= first and t.day < behind
            and t.reversed_by is null and t.is_split and line.amount < 0
    ) as spent
    group by spent.category_id
$function$;

-- All limits of an account anew; false: it is no child's any more. Under the balance's lock, so
-- that what is posted behind it is held to them; who meets an account that is held tries again.
create function set_allowance_limits_v1(wanted uuid, categories uuid[], amounts bigint[])
returns boolean
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
begin
    perform set_config('lock_timeout', '100ms', true);
    perform 1 from balance where account_id = wanted for no key update;
    perform 1 from allowance where account_id = wanted and released_at is null;
    if not found then return false; end if;
    delete from allowance_limit where account_id = wanted;
    insert into allowance_limit (account_id, category_id, amount, month_start)
    select wanted, category, most, person.month_start
    from unnest(categories, amounts) as listed (category, most)
    cross join account
    join person on person.user_id = account.user_id
    where account.id = wanted;
    return true;
end
$function$;

create function allowance_released() returns trigger
language plpgsql volatile
set search_path = ledger, pg_temp
as $function$
begin
    delete from allowance_limit where account_id = new.account_id;
    return null;
end
$function$;
create trigger allowance_released after update of released_at on allowance
    for each row when (new.released_at is not null) execute function allowance_released();

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
    signature text;
begin
    execute format('grant select on ledger.allowance_limit to %I', service);
    execute format('grant select, insert, delete on ledger.allowance_limit to %I', poster);
    execute format('grant create on schema ledger to %I', poster);
    foreach signature in array array[
        'ledger.spent_v1(uuid, date, date)',
        'ledger.set_allowance_limits_v1(uuid, uuid[], bigint[])',
        'ledger.allowance_released()'
    ] loop
        execute format('revoke all on function %s from public', signature);
        execute format('alter function %s owner to %I', signature, poster);
    end loop;
    execute format('revoke create on schema ledger from %I', poster);
    execute format(
        'grant execute on function ledger.spent_v1(uuid, date, date), '
        'ledger.set_allowance_limits_v1(uuid, uuid[], bigint[]) to %I', service);
end
$$;

