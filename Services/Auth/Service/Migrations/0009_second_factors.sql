-- Second factors, recoveries and what bounds them. Nothing that can be used stands here in the
-- clear: codes are HMACs under a key outside the database, secrets are sealed, tokens are hashes.

-- A challenge knows who may answer it (step-up: the session that asked), what was proved before it
-- (methods), and what the account was like then: a changed password, phone or address ends it.
alter table auth.challenge
    add column session_id uuid references auth.session (id) on delete cascade,
    add column methods text[] not null default '{}',
    add column credential_mark bytea,
    alter column code_hmac drop not null,
    drop constraint challenge_channel_check,
    add constraint challenge_channel_check check (channel in ('sms', 'email', 'totp')),
    add constraint challenge_code_check check ((channel = 'totp') = (code_hmac is null));
create index challenge_session_id_idx on auth.challenge (session_id);

-- How many codes have gone out in the running hour, by what bounds them (a number, a person, an
-- address, a network, a country's numbers, all): our code over each, not the thing itself.
create table auth.code_budget (
    subject text primary key,
    sent integer not null,
    began_at timestamptz not null
) with (fillfactor = 70);
create index code_budget_began_at_idx on auth.code_budget (began_at);

-- Proofs of a phone that have been used: each counts once.
create table auth.used_phone_token (
    token_hash bytea primary key,
    used_at timestamptz not null default now()
);
create index used_phone_token_used_at_idx on auth.used_phone_token (used_at);

-- RFC 6238. `last_step` is the newest step whose code was taken: none is taken twice.
create table auth.totp (
    user_id uuid primary key references auth.user_account (id) on delete cascade,
    sealed_secret bytea not null,
    last_step bigint not null default 0,
    confirmed_at timestamptz,
    created_at timestamptz not null default now()
);
create index totp_pending_idx on auth.totp (created_at) where confirmed_at is null;

create table auth.recovery_code (
    user_id uuid not null references auth.user_account (id) on delete cascade,
    code_hmac bytea not null,
    used_at timestamptz,
    created_at timestamptz not null default now(),
    primary key (user_id, code_hmac)
);

-- A password's recovery; without a user where nobody has the address, so that both cost the same.
create table auth.password_recovery (
    id uuid primary key,
    user_id uuid references auth.user_account (id) on delete cascade,
    code_hmac bytea not null,
    attempts smallint not null default 0,
    token_hash bytea,
    expires_at timestamptz not null,
    answered_at timestamptz,
    used_at timestamptz,
    created_at timestamptz not null default now()
);
create index password_recovery_user_id_idx on auth.password_recovery (user_id);
create index password_recovery_expires_at_idx on auth.password_recovery (expires_at);

-- Networks from which somebody has signed in lately: guesses from elsewhere do not slow them down
-- there. Our code over user and network.
create table auth.known_network (
    subject text primary key,
    user_id uuid not null references auth.user_account (id) on delete cascade,
    seen_at timestamptz not null default now()
);
create index known_network_user_id_idx on auth.known_network (user_id);
create index known_network_seen_at_idx on auth.known_network (seen_at);

-- Whose account a count is about, so that a recovery forgets it wherever the guesses came from.
alter table auth.failed_log_in add column owner text;
create index failed_log_in_owner_idx on auth.failed_log_in (owner) where owner is not null;
