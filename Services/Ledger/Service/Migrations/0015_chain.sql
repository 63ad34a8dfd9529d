-- Tamper-evidence behind the writes: signed blocks over the journal's entries (Shared/ServiceKit/
-- Chain), what the system's accounts come to at each, and what verifying has come to. The service's
-- role may add to them and read them, and nothing else.
set local search_path = ledger, pg_temp;

-- The entries of the places from number_from on and below number_below, in this order.
-- The height is the key, so that two workers that both believe to hold the lease cannot fork it.
create table chain_block (
    chain text not null,
    height bigint not null check (height > 0),
    previous_hash bytea not null,
    number_from bigint not null,
    number_below bigint not null,
    entry_count bigint not null,
    -- The hash of each entry in order, 32 bytes each: tells which one is wrong.
    leaves bytea not null,
    sealed_at timestamptz not null,
    key_id text not null,
    hash bytea not null,
    signature bytea not null,
    constraint chain_block_pkey primary key (chain, height),
    constraint chain_block_count_check check (
        entry_count > 0 and entry_count = octet_length(leaves) / 32
        and octet_length(leaves) % 32 = 0),
    constraint chain_block_bound_check check (height < 9223372036854775807)
);

-- Public keys of blocks; the proof (HMAC under a key outside the database) shows that it is ours.
-- Another row where the key outside is replaced.
create table chain_key (
    key_id text not null,
    x bytea not null,
    y bytea not null,
    proof bytea not null,
    constraint chain_key_pkey primary key (key_id, proof)
);

-- The key that signs now: its private half, sealed under a secret outside the database.
create table chain_signing_key (
    chain text primary key,
    key_id text not null,
    sealed_private_key bytea not null,
    made_at timestamptz not null default now()
);

-- Who does what only one does at a time, for the next seconds.
create table chain_lease (
    chain text primary key,
    holder uuid not null,
    until timestamptz not null
) with (fillfactor = 50);

-- What the movements of all blocks up to a height come to on each of the system's accounts, which
-- have no stored balance: a row where a block has changed it. Beyond 64 bits, for it is a sum over
-- everybody.
create table journal_sum (
    account_id uuid not null,
    height bigint not null,
    currency text collate "C" not null,
    amount numeric(60, 0) not null,
    primary key (account_id, height)
);
create index journal_sum_height_idx on journal_sum (height);

-- Stored balances, the sums of the last block and what came after it, read in one snapshot: zero
-- per currency. It costs what there are accounts, not what there are movements. `position` is the
-- part of the system's that exchanging has left us with.
create or replace view trial_balance as
with last_block as (
    select number_below from chain_block
    where chain = 'ledger.journal' order by height desc limit 1
)
select currency, coalesce(sum(amount) filter (where of_users), 0) as users,
    coalesce(sum(amount) filter (where not of_users), 0) as system,
    coalesce(sum(amount) filter (where kind = 'position'), 0) as position
from (
    select currency, amount::numeric as amount, true as of_users, 'user' as kind
    from balance
    union all
    select account.currency, coalesce(sealed.amount, 0), false, account.kind
    from account
    left join lateral (
        select amount from journal_sum
        where account_id = account.id order by height desc limit 1
    ) as sealed on true
    where account.user_id is null
    union all
    select moved.currency, side.amount, false,
        (select kind from account where id = side.account_id limit 1)
    from entry
    cross join lateral (
        select currency, debit_account, credit_account, debit_seq, credit_seq, amount from movement
        where entry_id = entry.id offset 0
    ) as moved
    cross join lateral (
        values (moved.debit_account, moved.debit_seq, -moved.amount),
            (moved.credit_account, moved.credit_seq, moved.amount)
    ) as side (account_id, sequence, amount)
    where entry.place >= coalesce((select number_below from last_block), 0)
        and side.sequence is null
) as line
group by currency;

-- What verifying has come to.
create table verification (
    id uuid primary key,
    finished_at timestamptz not null,
    milliseconds bigint not null,
    -- `operator` (at the command line) or `service`.
    by text not null check (by in ('operator', 'service')),
    is_intact boolean not null,
    -- The block behind which the chain was walked, and the last one.
    height_from bigint not null,
    height bigint not null,
    head_hash text,
    entries bigint not null,
    movements bigint not null,
    -- The first thing that was wrong.
    wrong_table text,
    wrong_row text,
    wrong text
);
create index verification_finished_at_idx on verification (finished_at);

do $$
declare
    service text := current_setting('ezwallet.service_role');
begin
    execute format(
        'revoke all on chain_block, chain_key, chain_signing_key, journal_sum, verification '
        'from %I', service);
    execute format(
        'grant select, insert on chain_block, chain_key, chain_signing_key, journal_sum, '
        'verification to %I', service);
    execute format('grant update (sealed_private_key) on chain_signing_key to %I', service);
    execute format('grant delete on verification to %I', service);
    execute format('grant select, insert, update on chain_lease to %I', service);
end
$$;
