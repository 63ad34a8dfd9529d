-- What others owe somebody for what they paid for all: an account of its own kind for each person
-- and currency, with a stored balance, locked as any other. It may fall below zero (overpaid), and
-- nothing is booked on it but claims: what a shared expense puts there, and what clears it.
--
-- «Pay 100 for five» is one entry: account → outside (the share of 20), and account → receivable
-- (the rest of 80). Its transaction is of -100 and has lines that sum to -20: whatever reads lines
-- (budgets, limits, groups of lists, what other services are told) counts what was spent and no
-- more, and whatever reads amounts (balances, statements) what left the account. What is cleared
-- comes from the receivable to the account, a transaction of +80 without a line: it counts nowhere.
-- So a claim has no column: it is what a transaction with lines has beside them.
--
-- The posting function makes them: the function again, of the files of 0006_posting, 0025_limits
-- and 0027_approvals as they are but for three (7_revised, 11_payee, 11_payee_leaf), which this
-- folder has anew, and of what it adds,
--
--   2_variables    what is kept of receivables while a call is decided on
--   3_wanted       a transfer names the payee's receivable as a third account: locked, too
--   4_known        which of the locked accounts are receivables; where none is, nothing is asked
--   5_busy         a transfer whose payee's receivable is locked by another is busy
--   6_claims       the checks, behind those of the state:
--    8. account-kind       anything else on a receivable
--       invalid-element    a claim that is none: of a record not beside a receivable, of another
--                          sign than its amount, or lines that would make a claim of a revision
--       counter-not-found  the receivable is another's, or in another currency
--       already-settled    less is open on the receivable than what is taken back has put there;
--                          where it is overpaid nothing that is open is lost, and it passes
--   7_revised      the lines of a transaction's next version sum to what its lines have summed to
--   8_leaves, 8_left   what leaves a child's account at once is the share and the claim: what a
--                      parent has to approve of is not less because others are to pay it back
--   9_claims       the claim moves, behind the rest
--   10_claimed     what the transaction has beside its lines
--   11_payee, 11_payee_leaf   the payee's side of a transfer that clears a receivable has lines: of
--                             what it does not clear
--
-- `rare` has two fields more:
--     claim         of a record whose counter is the same owner's receivable: what goes there
--                   beside the amount, which is the share, the lines' sum; below zero, what it
--                   clears, and then the amount is nothing
--     receivable    of a transfer within a currency: the payee's; as much of it as is open and the
--                   transfer has is cleared: receivable → outside
--
-- An opening on a receivable, by the service alone, is its release: what its amount says goes to
-- outside, or comes from there, whatever the account's state. It goes with the person.
set local search_path = ledger, pg_temp;

alter table account drop constraint account_kind;
alter table account add constraint account_kind check (
    case when user_id is null then kind in ('outside', 'equity', 'position')
         else kind in ('wallet', 'current', 'deposit', 'allowance', 'receivable') end
);
create unique index account_receivable_key on account (user_id, currency)
    where kind = 'receivable';

-- What was posted for groups, by the id that it gave each: an expense's link, or a settlement. Kept
-- when it is withdrawn: a request that comes late posts nothing again.
create table receivable_posting (
    user_id uuid not null,
    id uuid not null,
    is_clearing boolean not null,
    -- Absent where it was withdrawn before it was posted.
    transaction_id uuid,
    -- What was asked for last; a clearing is asked for once.
    version integer,
    is_withdrawn boolean not null default false,
    primary key (user_id, id, is_clearing),
    constraint receivable_posting_state check (
        (transaction_id is null) = (version is null)
        and (transaction_id is not null or is_withdrawn))
);
create unique index receivable_posting_transaction_key on receivable_posting (transaction_id)
    where transaction_id is not null;
create trigger keep_erased_out before insert on receivable_posting
    for each row execute function keep_erased_out('user_id', 'refuse');

-- Nothing is posted for who is gone, and nothing withdrawn.
create function forget_receivable_postings() returns trigger
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
begin
    delete from receivable_posting where user_id = new.user_id;
    return null;
end
$function$;
create trigger forget_receivable_postings after insert on erased_user
    for each row execute function forget_receivable_postings();

-- As before, but that a receivable is closed by nobody and is no account that is left.
create or replace function close_account_v1(
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
    where user_id = actor and state <> 'closed' and kind <> 'receivable'
    order by id for no key update;
    select * into stored from balance where account_id = wanted for no key update;
    select * into chosen from account where id = wanted;
    if chosen.id is null or chosen.user_id is distinct from actor or chosen.kind = 'receivable'
    then
        return 'not-found';
    end if;
    if chosen.version <> expected then return 'changed'; end if;
    if chosen.state = 'closed' then return 'closed'; end if;
    if chosen.kind = 'allowance' then return 'allowance-account'; end if;
    select count(*) into others from account
    where user_id = actor and state <> 'closed' and kind <> 'receivable' and id <> wanted;
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

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format('grant select, insert, update on ledger.receivable_posting to %I', service);
    execute format('grant select, delete on ledger.receivable_posting to %I', poster);
    execute 'revoke all on function ledger.forget_receivable_postings() from public';
    execute format('grant create on schema ledger to %I', poster);
    execute format(
        'alter function ledger.forget_receivable_postings() owner to %I', poster);
    execute format('revoke create on schema ledger from %I', poster);
end
$$;

