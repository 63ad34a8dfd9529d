-- Envelopes: what is set aside for a category in a month. What was spent is summed from the
-- transactions themselves; of months that are over the sums are kept beside the mark below which
-- every change is in them, so that a later change of such a month is seen and its sums made anew.

-- What was put into an envelope on a day, in the currency of then. Minus is taken out.
create table ledger.budget_allocation (
    user_id uuid not null references ledger.person (user_id),
    category_id uuid not null,
    -- The month, by its first day; a custom beginning of months moves its days, not its name.
    month date not null check (extract(day from month) = 1),
    day date not null,
    currency text collate "C" not null,
    -- A sum of what was sent, as long as there is no end to it: 38 digits fit 128 bits.
    amount numeric(38) not null,
    -- A name for those who catch up on what has changed.
    id uuid not null default gen_random_uuid(),
    xid xid8 not null default pg_current_xact_id(),
    primary key (user_id, category_id, month, day, currency)
);
create index budget_allocation_user_xid_idx on ledger.budget_allocation (user_id, xid, id);

-- Which months of a person have their sums in `budget_spending`, and how their months ran then.
create table ledger.budget_closing (
    user_id uuid primary key references ledger.person (user_id),
    month_start smallint not null,
    currency text collate "C" not null,
    -- Days from `opened_from` on and before `closed_before`.
    opened_from date not null,
    closed_before date not null,
    -- Every change below is in the sums; those at or above it may be.
    mark xid8 not null
);

-- Signed as transactions are. In the person's currency a row a month, on its first day; in others a
-- row a day, as each counts at its day's rate.
create table ledger.budget_spending (
    user_id uuid not null,
    month date not null,
    category_id uuid not null,
    day date not null,
    currency text collate "C" not null,
    amount numeric(38) not null,
    primary key (user_id, month, category_id, day, currency)
);

-- Envelopes that hold less than nothing and of which that has been told.
create table ledger.budget_alert (
    user_id uuid not null,
    category_id uuid not null,
    month date not null,
    told_at timestamptz not null default now(),
    primary key (user_id, category_id, month)
);

-- How far the journal has been looked through for categories with envelopes, and what was found.
create table ledger.budget_watch (
    is_one boolean primary key default true check (is_one),
    mark bigint not null default 0
);
insert into ledger.budget_watch default values;
create table ledger.budget_touched (
    id bigint generated always as identity primary key,
    user_id uuid not null,
    category_id uuid not null,
    day date not null
);
create index budget_touched_user_idx on ledger.budget_touched (user_id);

create trigger keep_erased_out before insert on ledger.budget_allocation
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.budget_closing
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.budget_spending
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.budget_alert
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.budget_touched
    for each row execute function ledger.keep_erased_out('user_id', 'skip');

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format(
        'grant select, insert, update, delete on ledger.budget_allocation, ledger.budget_closing, '
        'ledger.budget_spending, ledger.budget_alert, ledger.budget_touched to %I', service);
    execute format('grant select, update on ledger.budget_watch to %I', service);
    execute format(
        'grant select, delete on ledger.budget_allocation, ledger.budget_closing, '
        'ledger.budget_spending, ledger.budget_alert, ledger.budget_touched to %I', poster);
end
$$;
