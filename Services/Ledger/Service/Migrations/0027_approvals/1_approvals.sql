-- Purchases of children that a parent has to approve of: above which amount one is, and what became
-- of those that were approved of. The posting function holds a child to it: the function again, of
-- the files of 0006_posting and of 0025_limits as they are and of what this folder adds,
--
--   2_variables  what is kept of it while a call is decided on
--   3_known      above which amounts, once the accounts are locked: as with limits, a call without a
--                child's account asks for nothing, and one with such an amount is left to the loop
--   4_kept       the check, behind the limits and before the money moves:
--    9. approval-required  at once more leaves a child's account than may without approval: by an
--                          expense, a transfer, a deposit, what is held and what is captured. Of a
--                          transaction's next version, what the one before took of the account is
--                          free: an edit that does not raise it, and what is had back
--      (overflow and insufficient-funds come behind it)
--
-- `rare` has one field more:
--     approved      of a record: up to which amount a parent has approved of it
set local search_path = ledger, pg_temp;

-- Gone with the account's end as an allowance, and with the person's.
create table approval_rule (
    account_id uuid primary key references allowance (account_id) on delete cascade,
    -- In the account's currency: what is more than this is approved of first.
    above bigint not null check (above >= 0)
);

-- Purchases that were approved of, by the id that groups gave each: with the transaction, or with
-- the code of why there is none. Kept for good: a request that comes late posts nothing again.
create table allowance_purchase (
    id uuid primary key,
    transaction_id uuid,
    refusal text,
    check (num_nonnulls(transaction_id, refusal) = 1)
);

-- All limits of an account anew, and above which amount a purchase is approved of; false: it is no
-- child's any more.
create function set_allowance_limits_v2(
    wanted uuid, categories uuid[], amounts bigint[], approval_above bigint)
returns boolean
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
begin
    -- With the balance's lock, which is held until the end of the transaction.
    if not set_allowance_limits_v1(wanted, categories, amounts) then return false; end if;
    delete from approval_rule where account_id = wanted;
    insert into approval_rule (account_id, above)
    select wanted, approval_above where approval_above is not null;
    return true;
end
$function$;

create function approval_rule_released() returns trigger
language plpgsql volatile
set search_path = ledger, pg_temp
as $function$
begin
    delete from approval_rule where account_id = new.account_id;
    return null;
end
$function$;
create trigger approval_rule_released after update of released_at on allowance
    for each row when (new.released_at is not null) execute function approval_rule_released();

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
    signature text;
begin
    execute format('grant select on ledger.approval_rule to %I', service);
    execute format('grant select, insert on ledger.allowance_purchase to %I', service);
    execute format('grant select, insert, delete on ledger.approval_rule to %I', poster);
    execute format('grant create on schema ledger to %I', poster);
    foreach signature in array array[
        'ledger.set_allowance_limits_v2(uuid, uuid[], bigint[], bigint)',
        'ledger.approval_rule_released()'
    ] loop
        execute format('revoke all on function %s from public', signature);
        execute format('alter function %s owner to %I', signature, poster);
    end loop;
    execute format('revoke create on schema ledger from %I', poster);
    execute format(
        'grant execute on function '
        'ledger.set_allowance_limits_v2(uuid, uuid[], bigint[], bigint) to %I', service);
end
$$;

