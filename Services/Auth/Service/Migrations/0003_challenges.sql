-- One-time codes. A code is kept as HMAC(key outside the database, challenge id and code), lives
-- five minutes and is counted before it is compared. Three codes in all: after that it is exhausted.

create table auth.challenge (
    id uuid primary key,
    user_id uuid references auth.user_account (id) on delete cascade,
    purpose text not null check (purpose in ('log-in', 'phone-verification', 'step-up')),
    channel text not null check (channel in ('sms', 'email')),
    destination text,
    code_hmac bytea not null,
    language text not null,
    codes_sent smallint not null default 1 check (codes_sent between 1 and 3),
    attempts smallint not null default 0,
    expires_at timestamptz not null,
    used_at timestamptz,
    created_at timestamptz not null default now()
);
create index challenge_expires_at_idx on auth.challenge (expires_at);
create index challenge_user_id_idx on auth.challenge (user_id, created_at);
create index challenge_destination_idx on auth.challenge (destination, created_at);

-- Failed log-ins by account and by address: held here so that back-off holds across replicas.
create table auth.failed_log_in (
    subject text primary key,
    failures integer not null,
    last_failed_at timestamptz not null,
    blocked_until timestamptz not null
);
create index failed_log_in_last_failed_at_idx on auth.failed_log_in (last_failed_at);
