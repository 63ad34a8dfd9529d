-- Mails and text messages on their way out. The id is a function of (cause, recipient, channel,
-- template): it can be handed over twice and is sent once. The body is sealed with AES-256-GCM
-- under a key outside the database and goes with hand-over or expiry; the row stays as the receipt.

create table notifications.message (
    id uuid primary key,
    channel text not null check (channel in ('email', 'sms')),
    template text not null,
    user_id uuid,
    sealed bytea,
    state text not null default 'waiting'
        check (state in ('waiting', 'sending', 'sent', 'doubtful', 'failed', 'expired')),
    attempts integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    -- While a replica hands it over the row is its own until then; a killed one's comes free again.
    claimed_until timestamptz,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    check (sealed is null or state in ('waiting', 'sending'))
);
create index message_due_idx on notifications.message (next_attempt_at)
    where state in ('waiting', 'sending');
create index message_created_at_idx on notifications.message (created_at);

-- What notifications must know of a person to write to them: from user.* events.
create table notifications.person (
    user_id uuid primary key,
    email text,
    language text not null default 'en',
    time_zone text not null default 'UTC'
);
