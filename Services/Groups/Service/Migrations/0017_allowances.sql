-- Allowances that come again: the schedule, and what became of each day of it. A worker writes the day
-- that has come, with what is to be paid as it was agreed to by then, and moves on to the next day, in
-- one transaction; then the ledger is asked under an id made of both until it has answered. By the
-- day's key none comes twice, and by that id none is paid twice.

create table groups.allowance_recurrence (
    id uuid primary key,
    -- It ends as the child or the parent who pays goes, or the family does.
    family_id uuid not null,
    child_id uuid not null,
    parent_id uuid not null,
    -- What each is, in the family's currency, as it is then.
    amount bigint not null check (amount > 0),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    -- That parent's; income of the child's where there is none.
    from_account uuid,
    -- Whether amount, rule and account stand under a fresh proof of that parent's.
    is_proved boolean not null,
    name text check (char_length(name) between 1 and 80),
    -- Occurrence k is counted from the anchor, the first day, which was paid as it was made.
    every integer not null check (every between 1 and 1000),
    unit text not null check (unit in ('day', 'week', 'month', 'year')),
    until date,
    anchor date not null,
    -- The one to come; its day is absent behind the end.
    next_number integer not null check (next_number > 0),
    next_day date,
    is_active boolean not null default true,
    -- When a worker looks at it: as its next day begins where that parent is. Absent where there is
    -- nothing to come.
    look_at timestamptz,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    foreign key (family_id, child_id)
        references groups.family_member (family_id, user_id) on delete cascade,
    foreign key (family_id, parent_id)
        references groups.family_member (family_id, user_id) on delete cascade,
    constraint allowance_recurrence_look check (
        look_at is null or (is_active and next_day is not null)
    )
);
create index allowance_recurrence_look_at_idx on groups.allowance_recurrence (look_at)
    where look_at is not null;
create index allowance_recurrence_child_idx on groups.allowance_recurrence (
    family_id, child_id, id);
create index allowance_recurrence_parent_idx on groups.allowance_recurrence (
    family_id, parent_id, id);
create index allowance_recurrence_zone_idx on groups.allowance_recurrence (parent_id);

--   pending -> paid | skipped
create table groups.allowance_occurrence (
    recurrence_id uuid not null references groups.allowance_recurrence (id) on delete cascade,
    day date not null,
    number integer not null,
    -- As it was when the day came: what is changed later is for later days.
    amount bigint not null check (amount > 0),
    from_account uuid,
    is_proved boolean not null,
    name text,
    state text not null check (state in ('pending', 'paid', 'skipped')),
    -- When the ledger is asked, or asked again.
    look_at timestamptz,
    tries smallint not null default 0,
    -- The child's transaction, or the code of the refusal.
    transaction_id uuid,
    reason text,
    primary key (recurrence_id, day),
    check ((state = 'pending') = (look_at is not null)),
    check ((state = 'paid') = (transaction_id is not null)),
    check ((state = 'skipped') = (reason is not null))
);
create index allowance_occurrence_look_at_idx on groups.allowance_occurrence (look_at)
    where look_at is not null;

create trigger keep_erased_out before insert on groups.allowance_recurrence
    for each row execute function groups.keep_erased_out('parent_id', 'refuse');
create trigger keep_erased_out_child before insert on groups.allowance_recurrence
    for each row execute function groups.keep_erased_out('child_id', 'refuse');

-- Whoever moves to another zone has other beginnings of days.
create function groups.look_at_allowances_again() returns trigger
language plpgsql set search_path = groups, pg_temp as $function$
begin
    update allowance_recurrence set look_at = now()
    where parent_id = new.user_id and look_at > now();
    return null;
end
$function$;
create trigger look_at_allowances_again after update of time_zone on groups.person
    for each row when (new.time_zone <> old.time_zone)
    execute function groups.look_at_allowances_again();
