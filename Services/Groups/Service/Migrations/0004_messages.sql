-- Mails that ask people to join: handed to notifications, then deleted. The table is that of
-- Shared/ServiceKit; it is found by the search_path.
create table groups.message_job (
    id uuid primary key,
    -- Whom it is to, for erasure.
    user_id uuid,
    sealed bytea not null,
    attempts integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    expires_at timestamptz not null,
    created_at timestamptz not null default now()
);
create index message_job_next_attempt_at_idx on groups.message_job (next_attempt_at);
create index message_job_user_id_idx on groups.message_job (user_id)
    where user_id is not null;

-- The language in which somebody is written to.
alter table groups.person add column language text not null default 'en';
