-- Whoever sets a group's first limit, or removes the last, writes one row, however much the group
-- has spent in other currencies. A worker goes through its expenses by their ids behind that, some
-- at a time, each time holding the group's row as whatever changes money does.
--
-- A row of `foreign_expense` below the walk's number is of limits that are gone. It counts for
-- nothing from the moment in which the walk began, and goes when the walk comes to its expense.
-- Where there are limits the walk makes rows, of its own number, of what stands and is not known
-- yet: an expense that was added, changed or restored since then has had one by whoever did it. So
-- up to `walked_to` rows are what they always were: one for each expense in another currency that
-- stands.
create table groups.foreign_walk (
    group_id uuid primary key references groups.expense_group (id) on delete cascade,
    number bigint not null default nextval('groups.threshold_order'),
    -- The day on which the first limit was set, where it was set; absent where there is none.
    written_on date,
    walked_to uuid,
    -- When somebody goes on; absent behind the last.
    look_at timestamptz default now(),
    check (written_on is not null or look_at is not null)
);
create index foreign_walk_look_idx on groups.foreign_walk (look_at) where look_at is not null;

insert into groups.foreign_walk (group_id, number, written_on, look_at)
select distinct group_id, 0, current_date, null::timestamptz
from groups.threshold;

-- With the number, so that none of it takes a look at the table.
drop index groups.foreign_expense_counted_idx;
create index foreign_expense_counted_idx on groups.foreign_expense (group_id, day)
    include (converted, number) where is_counted and converted is not null;
drop index groups.foreign_expense_open_idx;
create index foreign_expense_open_idx on groups.foreign_expense (group_id, day)
    include (currency, amount, number) where is_counted and converted is null;
