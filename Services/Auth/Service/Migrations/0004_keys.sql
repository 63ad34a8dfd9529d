-- Signing keys, sealed with AES-256-GCM under a key outside the database, so that every replica
-- signs with the same key and a copy of the database signs nothing. A key is published before it
-- is used and kept until its last token has ended. A revoked one counts no more at once: every
-- service hears of it by the list of revocations.

create table auth.signing_key (
    key_id text primary key,
    sealed_private_key bytea not null,
    public_jwk jsonb not null,
    created_at timestamptz not null default now(),
    use_from timestamptz not null,
    retired_at timestamptz,
    revoked_at timestamptz check (revoked_at is null or retired_at is not null)
);

-- Messages for a person that carry a secret (codes, links): handed to notifications, then deleted.
create table auth.message_job (
    id uuid primary key,
    -- Whom it is to, for erasure.
    user_id uuid,
    sealed bytea not null,
    attempts integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    expires_at timestamptz not null,
    created_at timestamptz not null default now()
);
create index message_job_next_attempt_at_idx on auth.message_job (next_attempt_at);
create index message_job_user_id_idx on auth.message_job (user_id)
    where user_id is not null;
