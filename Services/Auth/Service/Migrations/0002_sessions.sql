-- A session is a family of refresh tokens. The current one is number `refresh_number`; a token is
-- HMAC(key, family, number), so none is stored and the last one can be repeated within its grace.

create table auth.session (
    id uuid primary key,
    user_id uuid not null references auth.user_account (id) on delete cascade,
    refresh_number bigint not null default 1,
    rotated_at timestamptz not null default now(),
    device_name text not null,
    address_family text not null check (address_family in ('IPv4', 'IPv6', 'unknown')),
    methods text[] not null,
    authenticated_at timestamptz not null default now(),
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    expires_at timestamptz not null,
    revoked_at timestamptz
);
create index session_user_id_idx on auth.session (user_id, id);
create index session_expires_at_idx on auth.session (expires_at);

-- What every replica of every service polls each second: sessions, generations of users and keys
-- that no longer count. The cursor is the reader's snapshot xmin, for ids alone commit late.
create table auth.revocation (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('session', 'user', 'key')),
    subject text not null,
    generation integer,
    xid xid8 not null default pg_current_xact_id(),
    expires_at timestamptz not null
);
create index revocation_xid_idx on auth.revocation (xid);
create index revocation_expires_at_idx on auth.revocation (expires_at);
