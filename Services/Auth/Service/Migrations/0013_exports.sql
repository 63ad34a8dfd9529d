-- Everything held on somebody, in one file. It is made by a worker, in pieces of a bounded size and
-- sealed with AES-256-GCM under a key outside the database, and deleted after seven days.

create table auth.export (
    id uuid primary key,
    user_id uuid not null references auth.user_account (id) on delete cascade,
    state text not null default 'gathering' check (state in ('gathering', 'ready', 'failed')),
    -- Tells the attempts apart: each writes pieces of its own, and only the last one's are kept.
    tries integer not null default 0,
    next_try_at timestamptz not null default now(),
    requested_at timestamptz not null default now(),
    ready_at timestamptz,
    expires_at timestamptz,
    size bigint,
    check ((state = 'ready') = (ready_at is not null)),
    check ((state = 'gathering') = (expires_at is null))
);
-- One at a time.
create unique index export_gathering_key on auth.export (user_id) where state = 'gathering';
create index export_user_id_idx on auth.export (user_id, requested_at);
create index export_due_idx on auth.export (next_try_at) where state = 'gathering';
create index export_expires_at_idx on auth.export (expires_at) where expires_at is not null;

create table auth.export_piece (
    export_id uuid not null references auth.export (id) on delete cascade,
    attempt integer not null,
    place integer not null,
    sealed bytea not null,
    primary key (export_id, attempt, place)
);
