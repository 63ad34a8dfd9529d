-- Shared expenses and what follows from them. Amounts are minor units; a sum that does not fit in
-- 64 bits is refused by the type. What was paid and what is borne are rows of their own, both
-- positive, both summing to the expense: a commit in which they do not is refused here.

-- What expenses are told apart by. «Others» has the group's own id; an expense without a category is
-- in it.
create table groups.category (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    id uuid not null,
    name text not null,
    name_folded text not null,
    -- 0xrrggbb
    color integer not null check (color between 0 and 16777215),
    symbol text,
    coicop text check (coicop ~ '^(0[1-9]|1[0-5])$'),
    version integer not null default 1,
    primary key (group_id, id),
    constraint group_category_name_key unique (group_id, name_folded)
);

create table groups.expense (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    id uuid not null,
    name text not null check (char_length(name) between 1 and 140),
    description text check (char_length(description) <= 2000),
    amount bigint not null check (amount > 0),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    day date not null,
    category_id uuid,
    tags text[] not null default '{}',
    -- Millionths of a degree.
    latitude integer check (latitude between -90000000 and 90000000),
    longitude integer check (longitude between -180000000 and 180000000),
    place_name text check (char_length(place_name) between 1 and 140),
    -- Without one it was not split: who paid bears it.
    split_kind text check (
        split_kind in ('equal', 'exact', 'percent', 'shares', 'adjustment', 'itemised')
    ),
    added_by uuid not null,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    -- Kept after its removal, for its history and its undoing.
    removed_at timestamptz,
    -- What made this version, by whom and when; of the first, see above.
    action text not null default 'added'
        check (action in ('added', 'changed', 'removed', 'restored')),
    acted_by uuid,
    acted_at timestamptz,
    primary key (group_id, id),
    foreign key (group_id, added_by) references groups.member (group_id, id),
    foreign key (group_id, category_id) references groups.category (group_id, id),
    check ((latitude is null) = (longitude is null)),
    check (place_name is null or latitude is not null),
    check ((action = 'added') = (acted_by is null) and (acted_by is null) = (acted_at is null)),
    check ((action = 'removed') = (removed_at is not null))
);
-- The list, newest first.
create index expense_day_idx on groups.expense (group_id, day desc, id desc)
    where removed_at is null;
create index expense_amount_idx on groups.expense (group_id, currency, amount desc, id desc)
    where removed_at is null;
create index expense_category_idx on groups.expense (group_id, category_id)
    where category_id is not null;
create index expense_located_idx on groups.expense (group_id, day desc, id desc)
    where latitude is not null and removed_at is null;
-- What a group has spent between two days, without a look at the table.
create index expense_spent_idx on groups.expense (group_id, currency, day) include (amount)
    where removed_at is null;

create table groups.expense_payment (
    group_id uuid not null,
    expense_id uuid not null,
    position integer not null,
    member_id uuid not null,
    amount bigint not null check (amount > 0),
    primary key (group_id, expense_id, position),
    unique (group_id, expense_id, member_id),
    foreign key (group_id, expense_id) references groups.expense (group_id, id) on delete cascade,
    foreign key (group_id, member_id) references groups.member (group_id, id)
);

create table groups.expense_share (
    group_id uuid not null,
    expense_id uuid not null,
    position integer not null,
    member_id uuid not null,
    -- Nothing at all is a share too: 0.01 falls on one of three.
    amount bigint not null check (amount >= 0),
    -- The amount, percentage or number of shares that it was made from, as written.
    value text,
    primary key (group_id, expense_id, position),
    unique (group_id, expense_id, member_id),
    foreign key (group_id, expense_id) references groups.expense (group_id, id) on delete cascade,
    foreign key (group_id, member_id) references groups.member (group_id, id)
);

-- The lines of a bill, from which the shares of an itemised expense are worked out.
create table groups.expense_item (
    group_id uuid not null,
    expense_id uuid not null,
    position integer not null,
    name text check (char_length(name) between 1 and 140),
    amount bigint not null check (amount > 0),
    member_ids uuid[] not null check (cardinality(member_ids) > 0),
    primary key (group_id, expense_id, position),
    foreign key (group_id, expense_id) references groups.expense (group_id, id) on delete cascade
);

-- Whom an expense makes owe whom: what a removal takes back, and what explains a debt.
create table groups.expense_debt (
    group_id uuid not null,
    expense_id uuid not null,
    debtor_id uuid not null,
    creditor_id uuid not null check (creditor_id <> debtor_id),
    currency text not null,
    amount bigint not null check (amount > 0),
    primary key (group_id, debtor_id, creditor_id, currency, expense_id),
    foreign key (group_id, expense_id) references groups.expense (group_id, id) on delete cascade
);
create index expense_debt_expense_idx on groups.expense_debt (group_id, expense_id);

-- The versions before the one that stands, as members saw them: whoever changes it writes what it
-- was, so that adding costs nothing more.
create table groups.expense_version (
    group_id uuid not null,
    expense_id uuid not null,
    version integer not null,
    action text not null,
    member_id uuid not null,
    at timestamptz not null,
    expense json not null,
    primary key (group_id, expense_id, version),
    foreign key (group_id, expense_id) references groups.expense (group_id, id) on delete cascade
);

create table groups.expense_comment (
    group_id uuid not null,
    expense_id uuid not null,
    id uuid not null,
    member_id uuid not null,
    text text not null check (char_length(text) between 1 and 2000),
    created_at timestamptz not null default now(),
    primary key (group_id, expense_id, id),
    foreign key (group_id, expense_id) references groups.expense (group_id, id) on delete cascade,
    foreign key (group_id, member_id) references groups.member (group_id, id)
);
-- Somebody's own, for their export and their erasure.
create index expense_comment_member_idx on groups.expense_comment (group_id, member_id, id);

create function groups.check_expense_sums() returns trigger
language plpgsql set search_path = groups, pg_temp as $$
begin
    if (select coalesce(sum(amount), 0) from groups.expense_payment
        where group_id = new.group_id and expense_id = new.id) <> new.amount
        or (select coalesce(sum(amount), 0) from groups.expense_share
            where group_id = new.group_id and expense_id = new.id) <> new.amount
    then
        raise exception using errcode = '23514', constraint = 'expense_sums',
            message = 'what was paid or is borne does not sum to the expense';
    end if;
    return null;
end
$$;
create constraint trigger expense_sums
    after insert or update of amount on groups.expense
    deferrable initially deferred
    for each row execute function groups.check_expense_sums();

create table groups.settlement (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    id uuid not null,
    recorded_by uuid not null,
    created_at timestamptz not null default now(),
    primary key (group_id, id),
    foreign key (group_id, recorded_by) references groups.member (group_id, id)
);

create table groups.settlement_payment (
    group_id uuid not null,
    settlement_id uuid not null,
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    debtor_id uuid not null,
    creditor_id uuid not null check (creditor_id <> debtor_id),
    amount bigint not null check (amount > 0),
    primary key (group_id, settlement_id, currency),
    foreign key (group_id, settlement_id) references groups.settlement (group_id, id)
        on delete cascade,
    foreign key (group_id, debtor_id) references groups.member (group_id, id),
    foreign key (group_id, creditor_id) references groups.member (group_id, id)
);

-- The three sums below are kept in the transaction of what changes them, under the group's lock, so
-- that reading them costs the members and not the history.

-- Between two members: above zero, the low one owes the high one.
create table groups.pair_balance (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    currency text not null,
    low_id uuid not null,
    high_id uuid not null,
    amount bigint not null,
    primary key (group_id, currency, low_id, high_id),
    check (low_id < high_id),
    -- The one value without a counterpart; who owes it would owe what cannot be said.
    constraint pair_balance_fits check (amount <> -9223372036854775808),
    foreign key (group_id, low_id) references groups.member (group_id, id),
    foreign key (group_id, high_id) references groups.member (group_id, id)
);

-- Of one member with all: above zero, is owed. A currency's sum over a group is zero.
create table groups.member_balance (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    currency text not null,
    member_id uuid not null,
    amount bigint not null,
    primary key (group_id, currency, member_id),
    constraint member_balance_fits check (amount <> -9223372036854775808),
    foreign key (group_id, member_id) references groups.member (group_id, id)
);

-- All of a group's expenses: a sum that is only shown, of 128 bits as any period's.
create table groups.group_total (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    currency text not null,
    amount numeric(38) not null check (amount >= 0),
    primary key (group_id, currency)
);

create table groups.threshold (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    id uuid not null,
    -- In the group's currency; expenses in others do not count towards it.
    amount bigint not null check (amount > 0),
    period_every integer check (period_every between 1 and 366),
    period_unit text check (period_unit in ('day', 'week', 'month', 'year')),
    period_from date,
    created_by uuid not null,
    created_at timestamptz not null default now(),
    primary key (group_id, id),
    check ((period_every is null) = (period_unit is null)),
    check ((period_every is null) = (period_from is null)),
    foreign key (group_id, created_by) references groups.member (group_id, id)
);

-- A limit is announced once per period, whoever asks at the same time: by the key. The period is
-- its first day; of a limit that never begins anew, 0001-01-01.
create table groups.threshold_crossing (
    group_id uuid not null,
    threshold_id uuid not null,
    period_start date not null,
    expense_id uuid not null,
    spent numeric(38) not null,
    crossed_at timestamptz not null default now(),
    primary key (group_id, threshold_id, period_start),
    foreign key (group_id, threshold_id) references groups.threshold (group_id, id)
        on delete cascade
);
