-- Accounts and their balances. The service reads them and names accounts; what changes money goes
-- through the posting functions, which belong to the poster, so that no fault of the service can
-- move money past their checks.

-- `outside`, `equity` and `position` are the system's, one of each per currency; all others are
-- somebody's. System accounts have no row in `balance`: they are never locked, and summed.
create table ledger.account (
    id uuid primary key,
    user_id uuid references ledger.person (user_id),
    kind text not null,
    currency text collate "C" not null check (currency ~ '^[A-Z]{3}$'),
    -- Digits after the point, ISO 4217: what events write amounts with.
    exponent smallint not null check (exponent between 0 and 4),
    name text,
    name_folded text,
    icon text,
    iban text,
    state text not null default 'open' check (state in ('open', 'frozen', 'closed')),
    version integer not null default 1,
    -- The wallet that everybody has from the start: made once, whoever asks first.
    is_default boolean not null default false,
    opened_at timestamptz not null default now(),
    closed_at timestamptz,
    -- The last change, for those who catch up on what has changed.
    xid xid8 not null default pg_current_xact_id(),
    constraint account_kind check (
        case when user_id is null then kind in ('outside', 'equity', 'position')
             else kind in ('wallet', 'current', 'deposit', 'allowance') end
    ),
    constraint account_closed check ((state = 'closed') = (closed_at is not null)),
    constraint account_iban_key unique (iban)
);
create unique index account_name_key on ledger.account (user_id, name_folded)
    where user_id is not null and state <> 'closed';
create unique index account_default_key on ledger.account (user_id) where is_default;
create unique index account_system_key on ledger.account (kind, currency) where user_id is null;
create index account_user_id_idx on ledger.account (user_id, id);

-- Account numbers of our own bank, from which IBANs are made: in the order of this key. It never
-- changes, or a number could come twice; so it stands here and not beside the secrets, which are
-- replaced.
create sequence ledger.account_number minvalue 1 start 1;
create table ledger.account_number_key (
    key uuid not null default gen_random_uuid(),
    is_only boolean primary key default true check (is_only)
);
insert into ledger.account_number_key default values;

-- What a posting asks of an account stands beside its amount: one look-up, under the one lock that
-- closing and freezing hold, too. Kept by triggers of `account` and `category` (0006_posting).
-- No index on what changes and room in each page, so that updates are heap-only.
create table ledger.balance (
    account_id uuid primary key references ledger.account (id),
    amount bigint not null default 0,
    held bigint not null default 0 check (held >= 0),
    -- The number of movements and lines so far: each has its place in the account's history.
    sequence bigint not null default 0,
    user_id uuid not null,
    kind text not null,
    currency text collate "C" not null,
    exponent smallint not null,
    state text not null,
    name text,
    -- «Others» of whoever owns it; absent once they are erased.
    others_id uuid
) with (fillfactor = 60);

-- With whom a wallet is shared; its owner is in `account`. Whoever is in it no more keeps a row
-- with the moment when that ended, for those who catch up on what has changed: access gained and
-- lost.
create table ledger.account_member (
    account_id uuid not null references ledger.account (id),
    user_id uuid not null,
    role text not null check (role in ('editor', 'viewer')),
    -- The invitation that brought them: accepted once, however often it is told.
    invitation_id uuid not null,
    joined_at timestamptz not null default now(),
    left_at timestamptz,
    xid xid8 not null default pg_current_xact_id(),
    primary key (account_id, user_id)
);
create index account_member_user_id_idx on ledger.account_member (user_id, account_id);
create index account_member_xid_idx on ledger.account_member (user_id, xid, account_id);

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format('grant select on ledger.account, ledger.balance to %I', service);
    execute format(
        'grant insert (id, user_id, kind, currency, exponent, name, name_folded, icon, iban, '
        'is_default) '
        'on ledger.account to %I', service);
    execute format(
        'grant update (name, name_folded, icon, version, xid) on ledger.account to %I', service);
    execute format(
        'grant select, insert, update, delete on ledger.account_member to %I', service);
    execute format('grant usage on sequence ledger.account_number to %I', service);
    execute format('grant select on ledger.account_number_key to %I', service);
    execute format('grant select, insert on ledger.account, ledger.balance to %I', poster);
    execute format('grant update on ledger.balance to %I', poster);
    execute format('grant select on ledger.account_member to %I', poster);
    execute format('grant update (state, closed_at, version, xid) on ledger.account to %I', poster);
end
$$;
