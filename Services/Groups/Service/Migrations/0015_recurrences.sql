-- Expenses that come again: the schedule, and what became of each day of it. A worker that holds the
-- group's row, as whatever changes money does, writes the day's row and the expense in one
-- transaction; by its key no day is written down twice.

create table groups.expense_recurrence (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    id uuid not null,
    -- Who made it, and writes each down: it ends with their membership.
    member_id uuid not null,
    user_id uuid not null,
    -- What each is, as whoever made it sent it, without day and category.
    expense json not null,
    category_id uuid,
    -- Occurrence k is counted from the anchor, the first expense's day.
    every integer not null check (every between 1 and 1000),
    unit text not null check (unit in ('day', 'week', 'month', 'year')),
    until date,
    anchor date not null,
    -- The one to come; its day is absent behind the end.
    next_number integer not null check (next_number > 0),
    next_day date,
    is_active boolean not null default true,
    -- When a worker looks at it: as its next day begins where its maker is, or later, where it could
    -- not be written down. Absent where there is nothing to come.
    look_at timestamptz,
    failures smallint not null default 0,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    primary key (group_id, id),
    foreign key (group_id, member_id) references groups.member (group_id, id) on delete cascade,
    foreign key (group_id, category_id) references groups.category (group_id, id)
        on delete set null (category_id),
    constraint expense_recurrence_look check (
        look_at is null or (is_active and next_day is not null)
    )
);
create index expense_recurrence_look_at_idx on groups.expense_recurrence (look_at)
    where look_at is not null;
create index expense_recurrence_user_idx on groups.expense_recurrence (user_id, id);
create index expense_recurrence_member_idx on groups.expense_recurrence (group_id, member_id);
create index expense_recurrence_category_idx on groups.expense_recurrence (group_id, category_id)
    where category_id is not null;

create table groups.expense_occurrence (
    group_id uuid not null,
    recurrence_id uuid not null,
    day date not null,
    number integer not null,
    -- The expense that it became, or the code of the refusal.
    expense_id uuid,
    reason text,
    recorded_at timestamptz not null default now(),
    primary key (group_id, recurrence_id, day),
    foreign key (group_id, recurrence_id) references groups.expense_recurrence (group_id, id)
        on delete cascade,
    check ((expense_id is null) = (reason is not null))
);

-- Which recurrence an expense is of, also after its end.
alter table groups.expense add column recurrence_id uuid;

create trigger keep_erased_out before insert on groups.expense_recurrence
    for each row execute function groups.keep_erased_out('user_id', 'refuse');

-- However somebody goes, nothing more is written down in their name.
create function groups.end_recurrences() returns trigger
language plpgsql set search_path = groups, pg_temp as $function$
begin
    delete from expense_recurrence where group_id = old.group_id and member_id = old.id;
    return null;
end
$function$;
create trigger end_recurrences after update of user_id on groups.member
    for each row when (old.user_id is not null and new.user_id is distinct from old.user_id)
    execute function groups.end_recurrences();

-- A group that is put away lets its recurrences rest.
create function groups.rest_recurrences() returns trigger
language plpgsql set search_path = groups, pg_temp as $function$
begin
    update expense_recurrence
    set is_active = false, look_at = null, version = version + 1
    where group_id = new.id and is_active;
    return null;
end
$function$;
create trigger rest_recurrences after update of archived_at on groups.expense_group
    for each row when (old.archived_at is null and new.archived_at is not null)
    execute function groups.rest_recurrences();

-- Whoever moves to another zone has other beginnings of days.
create function groups.look_again() returns trigger
language plpgsql set search_path = groups, pg_temp as $function$
begin
    update expense_recurrence set look_at = now()
    where user_id = new.user_id and look_at > now();
    return null;
end
$function$;
create trigger look_again after update of time_zone on groups.person
    for each row when (new.time_zone <> old.time_zone) execute function groups.look_again();
