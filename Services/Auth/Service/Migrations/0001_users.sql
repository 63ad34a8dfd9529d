-- Who there is. A person's secrets stay in this database; other services know them by id.
-- Names are unique by their folded form (NFKC_Casefold, made by the service), so that «Anna» and
-- «ａｎｎａ» are one name; constraint names are the interface that the service maps to error codes.

create schema auth;

do $$
declare
    service text := current_setting('ezwallet.service_role');
begin
    execute format('grant usage on schema auth to %I', service);
    execute format(
        'alter default privileges in schema auth '
        'grant select, insert, update, delete on tables to %I', service);
    execute format(
        'alter default privileges in schema auth grant usage, select on sequences to %I', service);
end
$$;

create table auth.user_account (
    id uuid primary key,
    email text not null,
    email_folded text not null,
    email_verified_at timestamptz,
    username text not null,
    username_folded text not null,
    password_hash text,
    first_name text,
    last_name text,
    date_of_birth date,
    phone text,
    area text,
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    language text not null,
    time_zone text not null,
    theme text not null default 'system' check (theme in ('light', 'dark', 'system')),
    date_format text,
    month_start smallint not null default 1 check (month_start between 1 and 28),
    roles text[] not null check (roles <@ array['user', 'admin', 'coo'] and cardinality(roles) > 0),
    enabled boolean not null default true,
    -- A token carries the generation that it was made under; raising it ends every older token.
    generation integer not null default 1,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    constraint user_account_email_key unique (email_folded),
    constraint user_account_username_key unique (username_folded),
    constraint user_account_phone_key unique (phone)
);

-- A mailed link that proves an address. Kept as a hash: reading the table gives no working link.
create table auth.email_verification (
    token_hash bytea primary key,
    user_id uuid not null references auth.user_account (id) on delete cascade,
    email text not null,
    expires_at timestamptz not null,
    used_at timestamptz
);
create index email_verification_user_id_idx on auth.email_verification (user_id);
create index email_verification_expires_at_idx on auth.email_verification (expires_at);
