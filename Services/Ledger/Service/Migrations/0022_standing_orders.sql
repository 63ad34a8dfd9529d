-- Standing orders: transfers that come again, and what became of each day of them. A worker claims
-- an order that is due, pays its next day through the posting function, writes the day's row and
-- moves the order on, all in one transaction: no day is paid twice, by the row's key and by that of
-- the posting, which is made of order and day.

create table ledger.standing_order (
    id uuid primary key,
    -- Who made it, and under whose right each day is paid.
    user_id uuid not null references ledger.person (user_id),
    from_account uuid not null references ledger.account (id),
    to_account uuid not null references ledger.account (id),
    -- Whether both accounts are theirs.
    is_own boolean not null,
    -- What the account that pays is debited each time, in its currency; what arrives is in the
    -- other.
    currency text collate "C" not null,
    to_currency text collate "C" not null,
    amount bigint not null check (amount > 0),
    reference text,
    -- Occurrence k is counted from the anchor, which is the first, number 0.
    every integer not null check (every between 1 and 1000),
    unit text not null check (unit in ('day', 'week', 'month', 'year')),
    until date,
    anchor date not null,
    -- The one to come; its day is absent behind the end.
    next_number integer not null check (next_number >= 0),
    next_day date,
    is_active boolean not null default true,
    -- Whether its amount and recurrence stand under a fresh proof of who made them.
    is_proved boolean not null,
    -- When a worker looks at it: as its next day begins where its owner is, or later, where it
    -- could not be paid yet. Absent where there is nothing to come.
    look_at timestamptz,
    failures smallint not null default 0,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    deleted_at timestamptz,
    xid xid8 not null default pg_current_xact_id(),
    constraint standing_order_look check (
        look_at is null or (is_active and next_day is not null and deleted_at is null)
    ),
    constraint standing_order_accounts check (from_account <> to_account)
);
create index standing_order_look_at_idx on ledger.standing_order (look_at)
    where look_at is not null;
create index standing_order_user_idx on ledger.standing_order (user_id, id)
    where deleted_at is null;
create index standing_order_user_xid_idx on ledger.standing_order (user_id, xid, id);
-- Whom it names: those who pay somebody who is called otherwise now, or is gone, are told of it.
create index standing_order_to_account_idx on ledger.standing_order (to_account)
    where deleted_at is null;
-- What a person sends to others without having proved who they are.
create index standing_order_unproved_idx on ledger.standing_order (user_id, id)
    where deleted_at is null and not is_own and not is_proved;

-- Written once, with what became of it.
create table ledger.standing_order_execution (
    order_id uuid not null references ledger.standing_order (id) on delete cascade,
    day date not null,
    number integer not null check (number >= 0),
    state text not null check (state in ('paid', 'skipped')),
    transfer_id uuid,
    -- The code of the refusal.
    reason text,
    recorded_at timestamptz not null default now(),
    primary key (order_id, day),
    constraint standing_order_execution_state check (
        (state = 'paid') = (transfer_id is not null)
        and (state = 'skipped') = (reason is not null)
    )
);

create trigger keep_erased_out before insert on ledger.standing_order
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format('grant select, insert, update on ledger.standing_order to %I', service);
    execute format('grant select, insert on ledger.standing_order_execution to %I', service);
    execute format(
        'grant select, delete on ledger.standing_order, ledger.standing_order_execution to %I',
        poster);
    execute format('grant update (xid) on ledger.standing_order to %I', poster);
end
$$;
