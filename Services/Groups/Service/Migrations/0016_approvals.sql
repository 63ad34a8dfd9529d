-- What children ask their parents for: each purchase is asked for once, and decided once. One that is
-- approved is the ledger's to post, which is asked until it has answered: by whoever decided, and where
-- that was cut off by whoever looks in. Changed under the family's lock.
--
--   pending -> declined | withdrawn | expired
--   pending -> approved -> posted | refused
create table groups.approval (
    id uuid primary key,
    family_id uuid not null,
    child_id uuid not null,
    amount bigint not null check (amount > 0),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    name text not null check (char_length(name) between 1 and 140),
    -- One of the child's, as it was called.
    category_id uuid,
    category_name text,
    description text check (char_length(description) <= 2000),
    -- The day on which it is posted where there is none.
    day date,
    state text not null default 'pending' check (
        state in ('pending', 'approved', 'posted', 'refused', 'declined', 'withdrawn', 'expired')),
    created_at timestamptz not null default now(),
    expires_at timestamptz not null default now() + interval '7 days',
    -- Nobody any more where the parent has left.
    decided_by uuid,
    decided_at timestamptz,
    reason text check (char_length(reason) between 1 and 500),
    -- Under which key, and what was asked: whoever repeats a call that was cut off goes on with it.
    key_id uuid,
    request_hash bytea,
    -- Of one that is approved: when somebody looks what became of it, for nobody may wait for it any
    -- more; later again where that could not be found out.
    look_at timestamptz,
    transaction_id uuid,
    -- The code of why the ledger posts nothing.
    refusal text,
    foreign key (family_id, child_id)
        references groups.family_member (family_id, user_id) on delete cascade,
    foreign key (family_id, decided_by)
        references groups.family_member (family_id, user_id) on delete set null (decided_by),
    check ((category_id is null) = (category_name is null)),
    check ((state in ('approved', 'posted', 'refused', 'declined')) = (decided_at is not null)),
    check (decided_at is not null or num_nonnulls(decided_by, reason, key_id, request_hash) = 0),
    check ((state = 'approved') = (look_at is not null)),
    check ((state = 'posted') = (transaction_id is not null)),
    check ((state = 'refused') = (refusal is not null))
);
create index approval_family_idx on groups.approval (family_id, id);
create index approval_child_idx on groups.approval (family_id, child_id, id);
-- How many a child has asked for, and how many within a day.
create index approval_open_idx on groups.approval (family_id, child_id) where state = 'pending';
create index approval_made_idx on groups.approval (family_id, child_id, created_at);
create index approval_decided_by_idx on groups.approval (family_id, decided_by)
    where decided_by is not null;
-- Those that expire, those whose end somebody has to find out, and those that are old.
create index approval_pending_idx on groups.approval (expires_at) where state = 'pending';
create index approval_approved_idx on groups.approval (look_at) where state = 'approved';
create index approval_old_idx on groups.approval (created_at)
    where state not in ('pending', 'approved');

-- What a parent has said goes with them.
create function groups.approval_decider_left() returns trigger
language plpgsql volatile
set search_path = groups, pg_temp
as $function$
begin
    new.reason := null;
    return new;
end
$function$;
create trigger approval_decider_left before update of decided_by on groups.approval
    for each row when (new.decided_by is null) execute function groups.approval_decider_left();
