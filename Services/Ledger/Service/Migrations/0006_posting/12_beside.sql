
-- What every posting needs of an account is made with it: its balance, its events' sequence, and
-- its currency's system accounts. A lock on an absent row would lock nothing.
create function account_made() returns trigger
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
begin
    insert into balance (account_id, user_id, kind, currency, exponent, state, name, others_id)
    values (new.id, new.user_id, new.kind, new.currency, new.exponent, new.state, new.name, (
        select id from category where user_id = new.user_id and is_default));
    insert into aggregate_sequence (aggregate, sequence) values ('account:' || new.id, 0)
    on conflict do nothing;
    insert into account (id, kind, currency, exponent)
    select gen_random_uuid(), system.kind, new.currency, new.exponent
    from unnest(array['equity', 'outside', 'position']) as system (kind)
    where not exists (
        select from account
        where user_id is null and kind = system.kind and currency = new.currency
    )
    order by system.kind
    on conflict do nothing;
    return null;
end
$function$;
create trigger account_made after insert on account
    for each row when (new.user_id is not null) execute function account_made();

-- What a posting asks of an account changes under the lock of its balance.
create function account_changed() returns trigger
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
begin
    update balance set kind = new.kind, state = new.state, name = new.name
    where account_id = new.id;
    return null;
end
$function$;
create trigger account_changed after update of kind, state, name on account
    for each row when (
        new.user_id is not null and (old.kind, old.state, old.name) is distinct from
            (new.kind, new.state, new.name))
    execute function account_changed();

-- «Others» comes with a person, before or after their first account, and goes when they are erased.
create function others_changed() returns trigger
language plpgsql volatile security definer
set search_path = ledger, pg_temp
set enable_seqscan = off
as $function$
begin
    update balance
    set others_id = case when tg_op = 'INSERT' then new.id end
    where account_id = any (array(
        select id from account
        where user_id = case when tg_op = 'INSERT' then new.user_id else old.user_id end));
    return null;
end
$function$;
create trigger others_made after insert on category
    for each row when (new.is_default) execute function others_changed();
create trigger others_gone after delete on category
    for each row when (old.is_default) execute function others_changed();

-- Closes an account, or says why not; of a version, where one is expected. Under the locks of all
-- its owner's open accounts, so that two calls at once cannot close the last two; the balance's own
-- lock keeps postings away meanwhile.
-- Whoever meets an account that is held tries again, and keeps no connection until then.
create function close_account_v1(
    wanted uuid, actor uuid, expected integer default null
) returns text
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
declare
    chosen account;
    stored balance;
    others integer;
begin
    perform set_config('lock_timeout', '100ms', true);
    perform 1 from account
    where user_id = actor and state <> 'closed' order by id for no key update;
    select * into stored from balance where account_id = wanted for no key update;
    select * into chosen from account where id = wanted;
    if chosen.id is null or chosen.user_id is distinct from actor then return 'not-found'; end if;
    if chosen.version <> expected then return 'changed'; end if;
    if chosen.state = 'closed' then return 'closed'; end if;
    if chosen.kind = 'allowance' then return 'allowance-account'; end if;
    select count(*) into others from account
    where user_id = actor and state <> 'closed' and id <> wanted;
    if others = 0 then return 'last-account'; end if;
    -- What is held for it may arrive at any time.
    if coalesce(stored.held, 0) <> 0
        or (chosen.kind <> 'wallet' and coalesce(stored.amount, 0) <> 0)
        or exists (
            select from transfer_terms
            where to_account = wanted and state = 'pending' and expires_at is not null limit 1)
    then
        return 'account-not-empty';
    end if;
    update account
    set state = 'closed', closed_at = now(), version = version + 1, xid = pg_current_xact_id()
    where id = wanted;
    return 'closed';
end
$function$;

-- Those of some accounts that are locked just now, for whoever would rather not wait behind them.
create function locked_accounts_v1(wanted uuid[]) returns setof uuid
language sql volatile security definer
set search_path = ledger, pg_temp
set enable_seqscan = off
as $function$
    select account_id from balance where account_id = any (wanted)
    except
    select account_id from (
        select account_id from balance
        where account_id = any (wanted) order by account_id for no key update skip locked
    ) as free
$function$;

-- Forgets what was refused under keys, and what was asked under those by which something was posted,
-- once they are two days old, some at a time; how many it were.
create function forget_operations_v1() returns integer
language plpgsql volatile security definer
set search_path = ledger, pg_temp
set enable_seqscan = off
as $function$
declare
    old constant timestamptz := now() - interval '2 days';
    forgotten integer;
    more integer;
    reached bigint;
begin
    delete from operation where ctid = any (array(
        select ctid from operation where created_at < old limit 10000
    ));
    get diagnostics forgotten = row_count;
    select place into reached from operation_forgotten for no key update skip locked;
    if not found then return forgotten; end if;
    -- In the order of the journal: the first that is younger ends it, whatever stands behind.
    with next as (
        select place, min(case when recorded_at >= old then place end)
            over (order by place) as end_place
        from (
            select place, recorded_at from entry
            where place > reached and place <= (select settled from journal_horizon)
            order by place limit 10000
        ) as page
    ), passed as (
        update operation_forgotten
        set place = coalesce((select max(place) from next where end_place is null), reached)
        where is_only and exists (select from next where end_place is null)
        returning place
    )
    update entry set request_hash = null
    where request_hash is not null
        and place = any (array(select place from next where end_place is null));
    get diagnostics more = row_count;
    return forgotten + more;
end
$function$;

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
    signature text;
    posting constant text := 'ledger.post_batch_v1('
        || array_to_string(array['text[]', 'uuid[]', 'uuid[]', 'integer[]', 'uuid[]', 'boolean[]',
            'uuid[]', 'uuid[]', 'uuid[]', 'boolean[]', 'bigint[]', 'text[]', 'uuid[]', 'uuid[]',
            'uuid[]', 'date[]', 'uuid[]', 'text[]', 'text[]', 'text[]', 'text[]', 'uuid[]',
            'text[]', 'jsonb[]', 'timestamptz', 'boolean'], ', ') || ')';
begin
    -- An owner needs CREATE on the schema at the moment when it becomes one, and never again.
    execute format('grant create on schema ledger to %I', poster);
    foreach signature in array array[
        posting,
        'ledger.account_made()',
        'ledger.account_changed()',
        'ledger.others_changed()',
        'ledger.close_account_v1(uuid, uuid, integer)',
        'ledger.locked_accounts_v1(uuid[])',
        'ledger.forget_operations_v1()'
    ] loop
        execute format('revoke all on function %s from public', signature);
        execute format('alter function %s owner to %I', signature, poster);
    end loop;
    execute format('revoke create on schema ledger from %I', poster);
    execute format(
        'grant execute on function ' || posting || ', '
        'ledger.close_account_v1(uuid, uuid, integer), ledger.locked_accounts_v1(uuid[]), '
        'ledger.forget_operations_v1() to %I',
        service);
end
$$;
