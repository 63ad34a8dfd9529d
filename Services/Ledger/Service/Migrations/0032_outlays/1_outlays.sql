-- What leaves a child's account for allowances, as it counts against limits and approval: when it was
-- booked, not which day it says. The posting function counts it: the function again, of the files
-- of 0006_posting, 0025_limits, 0027_approvals and 0028_receivables, without their checks of limits
-- and of approval, and with what this folder adds,
--
--   3_variables  what is kept of outlays while a call is decided on
--   4_known      the accounts that are counted, their limits and rules, once they are locked
--   5_left       what an element takes out of an account, or gives back
--   6_kept       the checks, behind those of receivables and before the money moves:
--    9. limit-exceeded     the element raises what counts in a month and leaves it above a limit
--       approval-required  more leaves than may without approval: at once, or within an hour
--                          together with what was bought before
--      (overflow and insufficient-funds come behind it)
--   7_counted    the rows, and what parents are to hear of
--
-- Each outlay is counted at the moment at which it is posted. The rows of a transaction are added to
-- and never changed, so that their sum is what counts of it:
--   own      the amount, in its category, or in each line's
--   claim    what others owe of it, in the same category; below zero, what they have paid back
--   named    what was counted in a category that the child has renamed it from since. It counts
--            there as before, for no money came back, and not in the sum of everything
--   bought   what nobody approved of, for the sum of an hour; counts against no limit
--
-- An edit keeps what stood when it was counted. What it raises counts now; what it lowers is given
-- back, the newest first. A reversal gives back exactly what was counted, then when it was counted:
-- in another month it makes no room in this one. What clears a claim gives back what was counted of
-- claims in the running month, and no more. Other income makes no room. A payment of a parent's
-- that the child deletes, lowers or moves to another account has left, and counts.
--
-- The months are those that the child had when a parent set limits first: month and zone stay.
set local search_path = ledger, pg_temp;

alter table allowance
    add column month_start smallint check (month_start between 1 and 28),
    add column time_zone text;
update allowance set month_start = kept.month_start, time_zone = 'UTC'
from allowance_limit as kept
where kept.account_id = allowance.account_id;

create table outlay (
    account_id uuid not null references allowance (account_id) on delete cascade,
    transaction_id uuid not null,
    counted_at timestamptz not null,
    category_id uuid,
    -- The category above it, which it counts in, too.
    parent_id uuid,
    kind text not null check (kind in ('own', 'claim', 'named', 'bought')),
    amount numeric not null,
    constraint outlay_category check ((category_id is null) = (kind = 'bought'))
);
create index outlay_counted_idx on outlay (account_id, counted_at);
create index outlay_transaction_idx on outlay (account_id, transaction_id);

-- What parents are to hear of an account: `refused` by a limit, or `deleted`. A worker tells of the
-- first at once, and of what comes within ten minutes together.
create table allowance_notice (
    account_id uuid not null references allowance (account_id) on delete cascade,
    kind text not null check (kind in ('refused', 'deleted')),
    count integer not null,
    amount numeric not null,
    due_at timestamptz not null default now(),
    primary key (account_id, kind)
);
create index allowance_notice_due_idx on allowance_notice (due_at) where count > 0;

-- What stands counts from when its version was recorded.
insert into outlay
select t.account_id, t.id, t.recorded_at, part.category_id, category.parent_id, part.kind,
    part.amount
from allowance
join money_transaction as t on t.account_id = allowance.account_id
cross join lateral (
    select t.category_id, 'own' as kind, -t.amount::numeric as amount
    where not t.is_split and t.amount < 0
    union all
    select line.category_id, 'own', -line.amount::numeric
    from transaction_line as line
    where t.is_split and line.transaction_id = t.id and line.version = t.version
        and line.amount < 0
    union all
    select t.category_id, 'claim', coalesce(sum(line.amount), 0) - t.amount
    from transaction_line as line
    where t.is_split and line.transaction_id = t.id and line.version = t.version
    having t.amount < 0 and coalesce(sum(line.amount), 0) > t.amount
) as part
left join category on category.id = part.category_id
where allowance.released_at is null and t.reversed_by is null;

-- The month of an account's limits in which a moment is.
create function limit_month_v1(
    moment timestamptz, month_start smallint, time_zone text,
    out first timestamptz, out behind timestamptz
)
language sql stable
as $function$
    select (month + month_start - 1)::timestamp at time zone time_zone,
        ((month + interval '1 month')::date + month_start - 1)::timestamp at time zone time_zone
    from (
        select date_trunc(
            'month', (moment at time zone time_zone)::date - (month_start - 1)::double precision
                * interval '1 day')::date as month
    ) as local
$function$;

-- What was counted of an account in some time, by category and the one above it.
-- By outlay_counted_idx.
create function counted_v1(wanted uuid, first timestamptz, behind timestamptz)
returns table (category_id uuid, parent_id uuid, kind text, amount numeric)
language sql stable
as $function$
    select category_id, parent_id, kind, sum(amount)
    from ledger.outlay
    where account_id = wanted and counted_at >= first and counted_at < behind
        and kind <> 'bought'
    group by category_id, parent_id, kind
$function$;

-- The rows that make a transaction count as these parts say, beside those that it has: in the table,
-- and, by elements before it in the call, in `pending`.
create function outlay_changes_v1(
    wanted_account uuid, wanted_transaction uuid, pending outlay[], categories uuid[],
    kinds text[], amounts numeric[], moment timestamptz
)
returns setof outlay
language sql stable
set search_path = ledger, pg_temp
as $function$
    with stood as (
        select counted_at, category_id, parent_id, kind, sum(amount) as amount
        from (
            select * from outlay
            where account_id = wanted_account and transaction_id = wanted_transaction
            union all
            select * from unnest(pending)
            where account_id = wanted_account and transaction_id = wanted_transaction
        ) as kept
        where kind <> 'bought'
        group by counted_at, category_id, parent_id, kind
        having sum(amount) <> 0
    ), part as (
        select listed.category_id, listed.kind, sum(listed.amount) as amount,
            (coalesce((
                select array_agg(stood.parent_id) from stood
                where stood.category_id = listed.category_id and stood.kind <> 'named'
            ), array(
                select category.parent_id from category
                where category.id = listed.category_id)))[1] as parent_id
        from unnest(categories, kinds, amounts) as listed (category_id, kind, amount)
        group by listed.category_id, listed.kind
    ), total as (
        select coalesce(sum(amount), 0) as amount from part
    ), slice as (
        -- When all of it was counted: what stood as long as there is that much, the rest now.
        select counted_at, before, least(before + stood_then, total.amount) as behind
        from (
            select counted_at, sum(amount) as stood_then,
                sum(sum(amount)) over (order by counted_at) - sum(amount) as before
            from stood
            where kind <> 'named'
            group by counted_at
            union all
            select moment, greatest(total.amount - coalesce(sum(stood.amount), 0), 0),
                coalesce(sum(stood.amount), 0)
            from total
            left join stood on stood.kind <> 'named'
            group by total.amount
        ) as counted
        cross join total
        where before < total.amount and stood_then > 0
    ), piece as (
        -- What stood in a category goes before what is raised in one.
        select category_id, parent_id, kind, amount,
            sum(amount) over (order by is_raised, kind, category_id) - amount as before
        from (
            select part.category_id, part.parent_id, part.kind, is_raised,
                case when is_raised then greatest(part.amount - had.amount, 0)
                    else least(part.amount, had.amount) end as amount
            from part
            cross join lateral (
                select coalesce(sum(stood.amount), 0) as amount from stood
                where stood.category_id = part.category_id and stood.kind = part.kind
            ) as had
            cross join (values (false), (true)) as half (is_raised)
        ) as listed
        where amount > 0
    ), named as (
        select scope.id, greatest(least((
                select sum(stood.amount) from stood
                where scope.id in (stood.category_id, stood.parent_id)
            ), total.amount) - coalesce((
                select sum(part.amount) from part
                where scope.id in (part.category_id, part.parent_id)
            ), 0), 0) as amount
        from (
            select category_id as id from stood
            union
            select parent_id from stood where parent_id is not null
        ) as scope
        cross join total
    )
    select wanted_account, wanted_transaction, counted_at, category_id, parent_id, kind,
        sum(amount)
    from (
        select counted_at, category_id, parent_id, kind, -amount as amount from stood
        union all
        select slice.counted_at, piece.category_id, piece.parent_id, piece.kind,
            least(slice.behind, piece.before + piece.amount) - greatest(slice.before, piece.before)
        from piece
        join slice on slice.before < piece.before + piece.amount and piece.before < slice.behind
        union all
        select slice.counted_at, named.id, null, 'named',
            least(slice.behind, named.amount) - greatest(slice.before, 0)
        from named
        join slice on slice.before < named.amount and slice.behind > 0
        where named.amount > 0
    ) as change
    group by counted_at, category_id, parent_id, kind
    having sum(amount) <> 0
$function$;

-- The rows by which what has cleared a claim gives back what was counted of claims in the month,
-- the oldest first: none where it has given back already.
create function outlay_cleared_v1(
    wanted_account uuid, wanted_transaction uuid, pending outlay[], cleared numeric,
    first timestamptz, behind timestamptz, moment timestamptz
)
returns setof outlay
language sql stable
set search_path = ledger, pg_temp
as $function$
    with counted as (
        select * from outlay
        where account_id = wanted_account and counted_at >= first and counted_at < behind
            and kind = 'claim'
        union all
        select * from unnest(pending)
        where account_id = wanted_account and counted_at >= first and counted_at < behind
            and kind = 'claim'
    ), open as (
        select least(cleared, sum(amount)) as amount from counted
        having coalesce(sum(amount) filter (
            where transaction_id = wanted_transaction), 0) = 0
    ), claim as (
        select category_id, parent_id, sum(amount) as amount,
            sum(sum(amount)) over (order by min(counted_at), category_id, parent_id)
                - sum(amount) as before
        from counted
        group by category_id, parent_id
        having sum(amount) > 0
    )
    select wanted_account, wanted_transaction, moment, claim.category_id, claim.parent_id, 'claim',
        -least(claim.amount, open.amount - claim.before)
    from claim
    cross join open
    where claim.before < open.amount
$function$;

-- All limits of an account anew; false: it is no child's any more, or a category is gone. As before,
-- but that the months stay as they were when a parent set limits first.
create or replace function set_allowance_limits_v1(
    wanted uuid, categories uuid[], amounts bigint[])
returns boolean
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
declare
    zone text;
begin
    perform set_config('lock_timeout', '100ms', true);
    perform 1 from balance where account_id = wanted for no key update;
    perform 1 from allowance where account_id = wanted and released_at is null;
    if not found then return false; end if;
    -- Whoever deletes or moves one waits, and finds the limit.
    perform 1 from category where id = any (categories) order by id for share;
    if exists (
        select from category where id = any (categories) and deleted_at is not null)
    then
        return false;
    end if;
    select person.time_zone into zone
    from account
    join person on person.user_id = account.user_id
    where account.id = wanted;
    begin
        perform now() at time zone zone;
    exception when invalid_parameter_value then
        zone := 'UTC';
    end;
    update allowance
    set month_start = coalesce(allowance.month_start, person.month_start),
        time_zone = coalesce(allowance.time_zone, zone)
    from account
    join person on person.user_id = account.user_id
    where allowance.account_id = wanted and account.id = wanted;
    delete from allowance_limit where account_id = wanted;
    insert into allowance_limit (account_id, category_id, amount, month_start)
    select wanted, category, most, allowance.month_start
    from unnest(categories, amounts) as listed (category, most)
    cross join allowance
    where allowance.account_id = wanted;
    return true;
end
$function$;

-- Nothing is counted of a wallet.
create or replace function allowance_released() returns trigger
language plpgsql volatile
set search_path = ledger, pg_temp
as $function$
begin
    delete from allowance_limit where account_id = new.account_id;
    delete from outlay where account_id = new.account_id;
    delete from allowance_notice where account_id = new.account_id;
    return null;
end
$function$;

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
    signature text;
begin
    execute format('grant select on ledger.outlay to %I', service);
    execute format('grant select, insert, update on ledger.allowance_notice to %I', service);
    execute format('grant select, insert, delete on ledger.outlay to %I', poster);
    execute format(
        'grant select, insert, update, delete on ledger.allowance_notice to %I', poster);
    execute format('grant select on ledger.allowance_payment to %I', poster);
    -- It keeps the categories of limits from being deleted meanwhile.
    execute format('grant update (sweep_at) on ledger.category to %I', poster);
    execute format('grant create on schema ledger to %I', poster);
    foreach signature in array array[
        'ledger.limit_month_v1(timestamptz, smallint, text)',
        'ledger.counted_v1(uuid, timestamptz, timestamptz)',
        'ledger.outlay_changes_v1(uuid, uuid, ledger.outlay[], uuid[], text[], numeric[], '
            'timestamptz)',
        'ledger.outlay_cleared_v1(uuid, uuid, ledger.outlay[], numeric, timestamptz, timestamptz, '
            'timestamptz)'
    ] loop
        execute format('revoke all on function %s from public', signature);
        execute format('alter function %s owner to %I', signature, poster);
    end loop;
    execute format('revoke create on schema ledger from %I', poster);
    execute format(
        'grant execute on function ledger.limit_month_v1(timestamptz, smallint, text), '
        'ledger.counted_v1(uuid, timestamptz, timestamptz) to %I', service);
end
$$;

