-- The journal. A movement is one row from one account to another in one currency, so that an entry
-- sums to zero by construction. Append-only by privilege: nobody but the owner may change a row.
-- No foreign keys here and in the next file: one function is the only writer, it has locked the
-- accounts and makes the entries itself, and nobody may delete either; a dozen look-ups a transfer
-- would make it a third slower and could find nothing.

create table ledger.entry (
    id uuid primary key,
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
    -- The transactions that it made, each with its version: what the chain's reader finds them by.
    transactions uuid[] not null default '{}',
    versions integer[] not null default '{}',
    -- Ids alone commit late: by this one a reader knows below what nothing can still appear.
    xid xid8 not null default pg_current_xact_id()
);
create unique index entry_reverses_key on ledger.entry (reverses) where reverses is not null;
create index entry_xid_idx on ledger.entry (xid, id);

create table ledger.movement (
    id bigint generated always as identity primary key,
    entry_id uuid not null,
    -- Money leaves the debited account and comes to the credited one.
    debit_account uuid not null,
    credit_account uuid not null,
    currency text collate "C" not null,
    amount bigint not null check (amount > 0),
    -- The place in each account's history; absent for system accounts, which have no counter.
    debit_seq bigint,
    credit_seq bigint,
    constraint movement_accounts check (debit_account <> credit_account)
);
create unique index movement_debit_key on ledger.movement (debit_account, debit_seq);
create unique index movement_credit_key on ledger.movement (credit_account, credit_seq);
create index movement_entry_id_idx on ledger.movement (entry_id);

-- What became of each request, under its key; refusals too, so that a retry never flips one.
create table ledger.operation (
    scope text not null,
    key text not null,
    request_hash bytea not null,
    -- The call that claimed it, to tell its own keys from those that were there.
    call_id uuid not null,
    status text not null,
    entry_id uuid,
    transaction_id uuid,
    transfer_id uuid,
    -- Of a chain: the transaction or transfer of each element, in their order.
    members uuid[],
    -- Of a chain that was refused: which of its elements could not be, from 1.
    refused_member integer,
    created_at timestamptz not null default now(),
    primary key (scope, key)
);
-- Old rows go, and new ones take their place: a BRIN would find everything in every block.
create index operation_created_at_idx on ledger.operation (created_at);

-- Stored balances and the sums of system accounts, read in one snapshot: zero per currency.
create view ledger.trial_balance as
select currency, coalesce(sum(amount) filter (where of_users), 0) as users,
    coalesce(sum(amount) filter (where not of_users), 0) as system
from (
    select account.currency, balance.amount::numeric as amount, true as of_users
    from ledger.balance join ledger.account on account.id = balance.account_id
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
        'grant select on ledger.entry, ledger.movement, ledger.operation, ledger.trial_balance '
        'to %I', service);
    execute format('grant select, insert on ledger.entry, ledger.movement to %I', poster);
    execute format('grant select, insert, update, delete on ledger.operation to %I', poster);
end
$$;
