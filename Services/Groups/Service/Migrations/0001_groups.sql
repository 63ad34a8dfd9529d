-- Groups of people who share expenses: who there is, which groups, who is in them, who is asked to
-- come. Keys begin with the group, whose row is also its lock: whatever changes money, members or
-- invitations of a group takes that row first, so that two changes of one group never interleave.

create schema groups;

do $$
declare
    service text := current_setting('ezwallet.service_role');
begin
    execute format('grant usage on schema groups to %I', service);
    execute format(
        'alter default privileges in schema groups '
        'grant select, insert, update, delete on tables to %I', service);
    execute format(
        'alter default privileges in schema groups grant usage, select on sequences to %I', service);
end
$$;

-- A copy of what auth tells of its users; auth decides. No unique names here: between two events a
-- name may have gone from one user to another, and only one of the two has been heard of.
create table groups.person (
    user_id uuid primary key,
    username text not null,
    username_folded text not null,
    email_folded text not null,
    email_verified boolean not null,
    display_name text not null,
    time_zone text not null,
    currency text not null check (currency ~ '^[A-Z]{3}$')
);
create index person_username_folded_idx on groups.person (username_folded);
create index person_email_folded_idx on groups.person (email_folded);

create table groups.expense_group (
    id uuid primary key,
    name text not null check (char_length(name) between 1 and 80),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    -- The personal group of this user: one each, however often and from wherever it is made.
    personal_of uuid,
    -- Whether a debt may be paid to somebody else than whom it is owed to, so that few payments
    -- settle all.
    simplifies_debts boolean not null default true,
    -- Whether what a member may do is decided by their role.
    has_roles boolean not null default false,
    archived_at timestamptz,
    created_by uuid not null,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    constraint expense_group_personal_of_key unique (personal_of)
);

-- A place in a group. What it owes and is owed hangs on it and not on the user, so that it outlives
-- the account: an erased user leaves a place with a name that says nothing.
create table groups.member (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    id uuid not null,
    user_id uuid,
    -- Of a guest, and of who is gone, as they were called then.
    display_name text,
    -- Counts where the group has roles.
    role text not null default 'editor' check (role in ('viewer', 'editor', 'admin')),
    joined_at timestamptz not null default now(),
    left_at timestamptz,
    -- Whose it was: it is theirs again if they come back. In no other way are they in the group.
    former_user_id uuid,
    primary key (group_id, id),
    check (user_id is not null or display_name is not null),
    check (left_at is null or user_id is null),
    check (former_user_id is null or left_at is not null)
);
create unique index member_former_user_idx on groups.member (former_user_id, group_id)
    where former_user_id is not null;
-- A user has one place in a group; newest groups first, it also answers «my groups».
create unique index member_user_idx on groups.member (user_id, group_id);

-- Parents and children; everybody is in one family at most. Its row is also its lock.
create table groups.family (
    id uuid primary key,
    name text not null check (char_length(name) between 1 and 80),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    created_at timestamptz not null default now()
);

create table groups.family_member (
    family_id uuid not null references groups.family (id) on delete cascade,
    user_id uuid not null,
    role text not null check (role in ('parent', 'child')),
    joined_at timestamptz not null default now(),
    primary key (family_id, user_id),
    constraint family_member_user_key unique (user_id)
);

-- What the ledger is still to be told of children's accounts: a row commits with its cause, and goes
-- once the ledger has answered, in their order for each child.
create table groups.allowance_task (
    id uuid primary key,
    family_id uuid not null,
    user_id uuid not null,
    action text not null check (action in ('open', 'release')),
    currency text not null
);
create index allowance_task_child_idx on groups.allowance_task (user_id, family_id, id);

-- What a payment to a child was asked with, from before the ledger hears of it: after a kill the same
-- key pays the same, and nothing else. Goes with the keys, after two days.
create table groups.allowance_payment (
    id uuid primary key,
    request_hash bytea not null,
    made_at timestamptz not null default now()
);
create index allowance_payment_made_at_idx on groups.allowance_payment (made_at);

create table groups.invitation (
    id uuid primary key,
    -- What for: a group, or a wallet or a folder of the inviter's, which the ledger keeps, with the
    -- name that it had and what the invited may do there.
    group_id uuid references groups.expense_group (id) on delete cascade,
    family_id uuid references groups.family (id) on delete cascade,
    family_role text check (family_role in ('parent', 'child')),
    account_id uuid,
    folder_id uuid,
    -- Whichever of the two that the ledger keeps: no two things have one identifier.
    shared_id uuid generated always as (coalesce(account_id, folder_id)) stored,
    role text check (role in ('editor', 'viewer')),
    access text check (access in ('read', 'write')),
    name text,
    invited_by uuid not null,
    -- By user, or by an address that somebody may own now or later: whoever has proved it sees it.
    user_id uuid,
    email_folded text,
    -- As the inviter wrote it.
    invitee text not null,
    -- Or by a link, whose token is made of the id and a secret: whoever has it may come, so many
    -- yet or any number; of a guest's, into the guest's place.
    expires_at timestamptz,
    uses_left integer check (uses_left >= 0),
    member_id uuid,
    -- One to what the ledger keeps is `accepting` until the ledger has answered, and `lapsed` where
    -- it would not have the new member.
    state text not null default 'open' check (
        state in ('open', 'accepting', 'accepted', 'rejected', 'withdrawn', 'lapsed')
    ),
    created_at timestamptz not null default now(),
    answered_at timestamptz,
    foreign key (group_id, member_id) references groups.member (group_id, id) on delete cascade,
    check (num_nonnulls(user_id, email_folded, expires_at) = 1),
    check (expires_at is not null or num_nonnulls(uses_left, member_id) = 0),
    check (expires_at is null or group_id is not null),
    check (num_nonnulls(group_id, family_id, account_id, folder_id) = 1),
    check ((family_id is null) = (family_role is null)),
    check ((account_id is null) = (role is null) and (folder_id is null) = (access is null)),
    check ((group_id is null) = (name is not null)),
    check (state not in ('accepting', 'lapsed') or num_nonnulls(group_id, family_id) = 0),
    check ((state = 'open') = (answered_at is null))
);
-- Nobody is asked twice while the first is open.
create unique index invitation_group_user_idx on groups.invitation (group_id, user_id)
    where state = 'open' and user_id is not null;
create unique index invitation_group_email_idx on groups.invitation (group_id, email_folded)
    where state = 'open' and email_folded is not null;
create unique index invitation_family_email_idx on groups.invitation (family_id, email_folded)
    where state = 'open' and family_id is not null;
create index invitation_group_idx on groups.invitation (group_id, id) where state = 'open';
create unique index invitation_shared_user_idx on groups.invitation (shared_id, user_id)
    where state in ('open', 'accepting') and user_id is not null;
create unique index invitation_shared_email_idx on groups.invitation (shared_id, email_folded)
    where state in ('open', 'accepting') and email_folded is not null;
create index invitation_shared_idx on groups.invitation (shared_id, id) where state = 'open';
create index invitation_accepting_idx on groups.invitation (answered_at)
    where state = 'accepting';
create index invitation_user_idx on groups.invitation (user_id, id);
create index invitation_invited_by_idx on groups.invitation (invited_by);
create index invitation_email_idx on groups.invitation (email_folded, id);
