-- Transactions that come again: the schedule, and what became of each day of it. A worker claims a
-- schedule that is due, posts what is due of it through the posting function, and writes the day's
-- row in the same transaction; by its key no day is posted twice.

create table ledger.recurrence (
    id uuid primary key,
    -- Who made it, and under whose right each is posted.
    user_id uuid not null references ledger.person (user_id),
    account_id uuid not null references ledger.account (id),
    currency text collate "C" not null,
    -- Signed, as the account sees it.
    amount bigint not null,
    category_id uuid not null,
    name text,
    description text,
    tags text[] not null default '{}',
    latitude integer,
    longitude integer,
    place text,
    folder_id uuid,
    -- In place of the category, where it is split: they sum to the amount.
    line_categories uuid[] not null default '{}',
    line_amounts bigint[] not null default '{}',
    -- Occurrence k is counted from the anchor, the first transaction's day.
    every integer not null check (every between 1 and 1000),
    unit text not null check (unit in ('day', 'week', 'month', 'year')),
    until date,
    anchor date not null,
    -- The one to come; its day is absent behind the end.
    next_number integer not null check (next_number > 0),
    next_day date,
    is_active boolean not null default true,
    -- When a worker looks at it: as its next day begins where its owner is, or later, where it
    -- could not be posted. Absent where there is nothing to come.
    look_at timestamptz,
    failures smallint not null default 0,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    deleted_at timestamptz,
    xid xid8 not null default pg_current_xact_id(),
    constraint recurrence_look check (
        look_at is null or (is_active and next_day is not null and deleted_at is null)
    ),
    constraint recurrence_lines check (cardinality(line_categories) = cardinality(line_amounts))
);
create index recurrence_look_at_idx on ledger.recurrence (look_at) where look_at is not null;
create index recurrence_user_idx on ledger.recurrence (user_id, id) where deleted_at is null;
create index recurrence_user_xid_idx on ledger.recurrence (user_id, xid, id);

create table ledger.recurrence_occurrence (
    recurrence_id uuid not null references ledger.recurrence (id) on delete cascade,
    day date not null,
    number integer not null,
    state text not null default 'posted' check (state in ('posted', 'skipped')),
    transaction_id uuid,
    -- The code of the refusal.
    reason text,
    recorded_at timestamptz not null default now(),
    primary key (recurrence_id, day),
    constraint recurrence_occurrence_state check (
        (state = 'posted') = (transaction_id is not null)
        and (state = 'skipped') = (reason is not null)
    )
);

create trigger keep_erased_out before insert on ledger.recurrence
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');

do $$
begin
    execute format(
        'grant select, insert, update on ledger.recurrence, ledger.recurrence_occurrence to %I',
        current_setting('ezwallet.service_role'));
    execute format(
        'grant select, delete on ledger.recurrence, ledger.recurrence_occurrence to %I',
        current_setting('ezwallet.poster_role'));
end
$$;
