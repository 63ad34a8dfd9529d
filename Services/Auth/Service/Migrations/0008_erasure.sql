-- Who goes. The row is committed before anybody is asked, so that whatever stops in between is gone
-- on with; it stays as the receipt and as the memory of the id, and names nobody.

create table auth.erasure (
    id uuid primary key,
    user_id uuid not null,
    requested_by uuid not null,
    -- The receipt's secret as a hash: reading the table opens none.
    receipt_hash bytea not null,
    -- 0: the ledger is asked. 1: the services forget. 2: we do. 3: the stream does. 4: done.
    stage smallint not null default 0 check (stage between 0 and 4),
    requested_at timestamptz not null default now(),
    agreed_at timestamptz,
    completed_at timestamptz,
    -- The event that tells of the end, the last of the person's.
    event_id uuid,
    constraint erasure_user_key unique (user_id),
    constraint erasure_receipt_key unique (receipt_hash),
    check ((stage = 0) = (agreed_at is null)),
    check ((stage = 4) = (completed_at is not null))
);

-- One row a part, made when its stage begins. Whoever takes it has it until `next_try_at`; `tries`
-- tells its turns apart.
create table auth.erasure_part (
    erasure_id uuid not null references auth.erasure (id) on delete cascade,
    part text not null check (
        part in (
            'accounts', 'transactions', 'groups', 'reports', 'messages', 'profile', 'history'
        )
    ),
    tries integer not null default 0,
    next_try_at timestamptz not null default now(),
    done_at timestamptz,
    primary key (erasure_id, part)
);
create index erasure_part_due_idx on auth.erasure_part (next_try_at) where done_at is null;

-- Whether somebody is the last administrator is asked of the few there are.
create index user_account_admin_idx on auth.user_account (id)
    where enabled and 'admin' = any (roles);
