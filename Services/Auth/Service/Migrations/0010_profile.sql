-- Profiles that change. A new e-mail waits until the link mailed to it is followed; what an
-- administrator wants of an e-mail or phone waits until its owner accepts it, or seven days.

-- What names that look alike have in common (UTS 39). The service fills it for names from before;
-- one of two that had looked alike already keeps its name, and has its id here.
alter table auth.user_account add column username_skeleton text;
alter table auth.user_account
    add constraint user_account_username_skeleton_key unique (username_skeleton);

-- At most one change of each waits for a person; the newest wins.
create table auth.pending_change (
    user_id uuid not null references auth.user_account (id) on delete cascade,
    field text not null check (field in ('email', 'phone')),
    -- Null: the phone is to be taken away.
    value text,
    author text not null check (author in ('owner', 'admin')),
    -- An administrator's change needs no consent after this. Its link, kept as a hash, accepts or
    -- rejects it before.
    due_at timestamptz,
    token_hash bytea,
    created_at timestamptz not null default now(),
    primary key (user_id, field),
    constraint pending_change_token_key unique (token_hash),
    constraint pending_change_shape check (
        case author
            when 'owner' then field = 'email' and due_at is null and token_hash is null
            else due_at is not null and token_hash is not null
        end
        and (field = 'phone' or value is not null))
);
create index pending_change_due_at_idx on auth.pending_change (due_at) where due_at is not null;
