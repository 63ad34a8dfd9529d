-- The accounts of children in families, which groups keeps: one for each family and child while the
-- child is in it, and what was paid into them. They never fall below zero; a child cannot close one,
-- and it becomes a wallet when the child or the family goes.
create table ledger.allowance (
    account_id uuid primary key references ledger.account (id),
    family_id uuid not null,
    user_id uuid not null,
    released_at timestamptz
);
-- Made once, however often it is asked for; who comes again gets another one.
create unique index allowance_child_key on ledger.allowance (family_id, user_id)
    where released_at is null;
create index allowance_user_idx on ledger.allowance (user_id, family_id);

-- Each payment by the id that groups gave it: longer than keys are kept.
create table ledger.allowance_payment (
    id uuid primary key,
    account_id uuid not null references ledger.allowance (account_id),
    transaction_id uuid not null,
    transfer_id uuid
);
create index allowance_payment_account_idx on ledger.allowance_payment (account_id);

create trigger keep_erased_out before insert on ledger.allowance
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');

-- Makes a wallet of it. Under the balance's lock, so that no posting has its kind changed under it;
-- whoever meets an account that is held tries again. False: it is one already.
create function ledger.release_allowance_v1(wanted uuid, called text, folded text)
returns boolean
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
begin
    perform set_config('lock_timeout', '100ms', true);
    perform 1 from account where id = wanted for no key update;
    perform 1 from balance where account_id = wanted for no key update;
    update allowance set released_at = now() where account_id = wanted and released_at is null;
    if not found then return false; end if;
    update account
    set kind = 'wallet', name = called, name_folded = folded, version = version + 1,
        xid = pg_current_xact_id()
    where id = wanted and kind = 'allowance' and state <> 'closed';
    return true;
end
$function$;

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format(
        'grant select, insert on ledger.allowance, ledger.allowance_payment to %I', service);
    execute format('grant select, delete on ledger.allowance_payment to %I', poster);
    execute format('grant select, update, delete on ledger.allowance to %I', poster);
    execute format('grant update (kind) on ledger.account to %I', poster);
    execute 'revoke all on function ledger.release_allowance_v1(uuid, text, text) from public';
    execute format('grant create on schema ledger to %I', poster);
    execute format(
        'alter function ledger.release_allowance_v1(uuid, text, text) owner to %I', poster);
    execute format('revoke create on schema ledger from %I', poster);
    execute format(
        'grant execute on function ledger.release_allowance_v1(uuid, text, text) to %I', service);
end
$$;
