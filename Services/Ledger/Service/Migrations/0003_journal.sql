-- The journal. A movement goes from one account to another in one currency, so that an entry sums to
-- zero by construction. Append-only by privilege: nobody but the owner may change a row.
-- No foreign keys here and in the next file: one function is the only writer, it has locked the
-- accounts and makes the entries itself, and nobody may delete either; a dozen look-ups a transfer
-- would make it a third slower and could find nothing.

-- What was posted, under which key, and what it moved: of whatever moves once, one row is all of
-- it. What moves more than once has the rest in `further_movement`, what moves nothing (words, a
-- hold and its end) no movement here.
create table ledger.entry (
    id uuid primary key,
    -- Drawn while the accounts are locked, so that of one account's entries a later one has a higher
    -- place. Whoever follows the journal reads by it; it is the outbox of postings, too.
    place bigint generated always as identity,
    -- Of the key that it was asked under: half of SHA-256 of scope and key. Of a chain the first
    -- entry's alone.
    op uuid,
    -- Likewise of what was asked; forgotten after two days, and then whatever is asked under the key
    -- is answered as the first time.
    request_hash uuid,
    kind text not null check (
        kind in (
            'record', 'transfer', 'opening', 'reversal', 'revision', 'deposit', 'hold', 'capture',
            'void', 'expiry'
        )
    ),
    -- Who asked; absent where the service did by itself.
    actor_id uuid,
    day date not null,
    recorded_at timestamptz not null,
    -- What this takes back: a thing is taken back once.
    reverses uuid,
    -- Money leaves the debited account and comes to the credited one.
    debit_account uuid,
    credit_account uuid,
    currency text collate "C",
    amount bigint check (amount > 0),
    -- The place in each account's history; absent for system accounts, which have no counter.
    debit_seq bigint,
    credit_seq bigint,
    -- The transactions that it made, each with its version: what the chain's reader finds them by.
    transactions uuid[] not null default '{}',
    versions integer[] not null default '{}',
    -- Of a chain, with its first: the transaction or transfer of each element, in their order; of
    -- what takes one back by itself, that one.
    members uuid[],
    -- What the chain's blocks cover of it.
    leaf bytea not null,
    -- Of the request that asked: it goes on to those who are told of the posting.
    traceparent text,
    xid xid8 not null default pg_current_xact_id(),
    constraint entry_movement check (
        (amount is null) = (debit_account is null) and (amount is null) = (credit_account is null)
        and (amount is null) = (currency is null) and debit_account <> credit_account
    )
);
create unique index entry_place_key on ledger.entry (place);
create unique index entry_op_key on ledger.entry (op) where op is not null;
create unique index entry_reverses_key on ledger.entry (reverses) where reverses is not null;

-- The second movement of an exchange, from the position account in the other currency.
create table ledger.further_movement (
    entry_id uuid not null,
    number smallint not null check (number > 1),
    debit_account uuid not null,
    credit_account uuid not null,
    currency text collate "C" not null,
    amount bigint not null check (amount > 0),
    debit_seq bigint,
    credit_seq bigint,
    primary key (entry_id, number),
    constraint further_movement_accounts check (debit_account <> credit_account)
);

-- All of an entry's movements, wherever they stand.
create view ledger.movement as
select id as entry_id, 1::smallint as number, debit_account, credit_account, currency, amount,
    debit_seq, credit_seq
from ledger.entry
where amount is not null
union all
select entry_id, number, debit_account, credit_account, currency, amount, debit_seq, credit_seq
from ledger.further_movement;

-- What was refused under its key, so that a retry never flips it; for two days. Here and not in the
-- journal, which nobody makes longer by being refused.
create table ledger.operation (
    op uuid primary key,
    request_hash uuid not null,
    status text not null,
    -- Of a chain: which of its elements could not be, from 1.
    refused_member integer,
    actor_id uuid,
    created_at timestamptz not null default now()
);
create index operation_created_at_idx on ledger.operation (created_at);
create index operation_actor_id_idx on ledger.operation (actor_id);

-- How far what was asked has been forgotten.
create table ledger.operation_forgotten (
    is_only boolean primary key default true check (is_only),
    place bigint not null default 0
);
insert into ledger.operation_forgotten default values;

-- Below which place the journal is there for good: ids commit in any order, and whoever follows it
-- reads no further. All up to `drawn` had been drawn before the transaction `bound` began: once all
-- below that one have ended, what is not there by then never will be.
create table ledger.journal_horizon (
    is_only boolean primary key default true check (is_only),
    settled bigint not null default 0,
    drawn bigint not null default 0,
    bound xid8 not null default '0'
) with (fillfactor = 50);
insert into ledger.journal_horizon default values;

-- Looks how far that is, and keeps it. Whoever has drawn a place has its transaction id before it
-- (it locked accounts first): an id that is drawn after the sequence was read is above all of theirs.
-- (A snapshot's xmax is none: it is the id behind the last that has ended, and not the next.)
create function ledger.settle_journal_v1(out settled bigint, out newest bigint)
language plpgsql volatile
set search_path = ledger, pg_temp
as $function$
declare
    kept journal_horizon;
    oldest xid8;
begin
    select case when is_called then last_value else 0 end into newest from entry_place_seq;
    select * into kept from journal_horizon where is_only;
    settled := kept.settled;
    if newest <= settled then return; end if;
    select pg_snapshot_xmin(now) into oldest from pg_current_snapshot() as now;
    if oldest < kept.bound then return; end if;
    select * into kept from journal_horizon where is_only for no key update skip locked;
    if not found or oldest < kept.bound then return; end if;
    settled := greatest(kept.settled, kept.drawn);
    update journal_horizon
    set settled = settle_journal_v1.settled,
        drawn = greatest(newest, kept.drawn),
        bound = case when newest > kept.drawn then pg_current_xact_id() else kept.bound end
    where is_only;
end
$function$;

-- Stored balances and the sums of system accounts, read in one snapshot: zero per currency.
create view ledger.trial_balance as
select currency, coalesce(sum(amount) filter (where of_users), 0) as users,
    coalesce(sum(amount) filter (where not of_users), 0) as system
from (
    select currency, amount::numeric as amount, true as of_users
    from ledger.balance
    union all
    select movement.currency, movement.amount, false
    from ledger.movement join ledger.account on account.id = movement.credit_account
    where account.user_id is null
    union all
    select movement.currency, -movement.amount, false
    from ledger.movement join ledger.account on account.id = movement.debit_account
    where account.user_id is null
) as line
group by currency;

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format(
        'grant select on ledger.entry, ledger.further_movement, ledger.movement, '
        'ledger.operation, ledger.trial_balance to %I', service);
    execute format(
        'grant select, insert on ledger.entry, ledger.further_movement to %I', poster);
    execute format('grant select on ledger.movement to %I', poster);
    -- The one change of a row that stands: what was asked is forgotten.
    execute format('grant update (request_hash) on ledger.entry to %I', poster);
    execute format('grant select, insert, delete on ledger.operation to %I', poster);
    execute format('grant select, update on ledger.operation_forgotten to %I', poster);
    execute format('grant select, update on ledger.journal_horizon to %I', service);
    execute format('grant select on sequence ledger.entry_place_seq to %I', service);
    execute format('grant select on ledger.journal_horizon to %I', poster);
end
$$;
