-- The ledger's own copy of people (what it needs of them), and their categories.

create schema ledger;

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format('grant usage on schema ledger to %I, %I', service, poster);
    execute format('revoke all on database %I from public', current_database());
end
$$;

-- Made on the event of a registration or on the first call, whichever comes first, in one
-- transaction with the wallet «Default» and the category «Others»: who is here has both.
create table ledger.person (
    user_id uuid primary key,
    currency text collate "C" not null check (currency ~ '^[A-Z]{3}$'),
    time_zone text not null,
    -- What others read when they send money.
    display_name text not null,
    -- The account of whoever is erased is kept for tracing; nothing is made for it any more.
    erased_at timestamptz,
    -- The day on which a month of theirs begins.
    month_start smallint not null default 1 check (month_start between 1 and 28),
    -- That of what is written for them, BCP 47.
    language text not null default 'en'
);

create table ledger.category (
    id uuid primary key,
    user_id uuid not null references ledger.person (user_id),
    name text not null,
    name_folded text not null,
    -- 0xrrggbb
    color integer not null check (color between 0 and 16777215),
    symbol text,
    parent_id uuid references ledger.category (id),
    type text not null default 'both' check (type in ('income', 'expense', 'both')),
    coicop text check (coicop ~ '^(0[1-9]|1[0-5])$'),
    is_default boolean not null default false,
    -- The owner's label.
    is_important boolean not null default false,
    version integer not null default 1,
    -- Kept when it is deleted, for earlier versions of transactions name it. Its transactions go to
    -- «Others» or with it, some at a time; a worker goes on until none are left, and looks once
    -- more for those that were under way.
    deleted_at timestamptz,
    removal text check (removal in ('reassign', 'delete')),
    sweep_at timestamptz not null default '-infinity',
    swept_at timestamptz,
    -- The transaction that wrote it last: by this one a client's reader of changes finds it.
    xid xid8 not null default pg_current_xact_id(),
    constraint category_default check (
        not is_default or (parent_id is null and deleted_at is null and coicop is null)
    ),
    constraint category_parent check (parent_id <> id)
);
create unique index category_name_key on ledger.category (user_id, name_folded)
    where deleted_at is null;
create unique index category_default_key on ledger.category (user_id) where is_default;
create index category_parent_id_idx on ledger.category (parent_id) where deleted_at is null;
create index category_user_xid_idx on ledger.category (user_id, xid, id);
create index category_sweep_idx on ledger.category (sweep_at)
    where deleted_at is not null and swept_at is null;

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format(
        'grant select, insert, update on ledger.person, ledger.category to %I', service);
    execute format('grant select on ledger.person, ledger.category to %I', poster);
end
$$;
