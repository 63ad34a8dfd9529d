-- Expenses in other currencies than their group's count towards its limits at the rate of their day.
--
-- A group with limits has a row for each such expense that stands, a group without has none: so the
-- currency that rows are converted into, which cannot change while there are limits, is the group's.
-- Whoever adds an expense asks nobody for a rate; the row waits for whoever converts it, and what it
-- counts as stays, by its rate, until the expense is of another amount, currency or day. Removed,
-- it does not count; restored, it counts as before.

-- Limits and rows in the order in which they came: a row whose expense was there before a limit was
-- set says nothing new to it.
create sequence groups.threshold_order;

create table groups.foreign_expense (
    group_id uuid not null,
    expense_id uuid not null,
    amount bigint not null check (amount > 0),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    day date not null,
    -- Where it was written it was this day: limits of the period that ran then are told of.
    written_on date not null,
    number bigint not null default nextval('groups.threshold_order'),
    is_counted boolean not null default true,
    -- When somebody asks for its rate; later again where there was none.
    look_at timestamptz default now(),
    -- In the group's currency: a sum that is only shown, of 128 bits as all of them.
    converted numeric(38) check (converted >= 0),
    rate text,
    rate_source text,
    rate_day date,
    primary key (group_id, expense_id),
    foreign key (group_id, expense_id) references groups.expense (group_id, id) on delete cascade,
    check ((converted is null) = (look_at is not null)),
    check (num_nonnulls(converted, rate, rate_source, rate_day) in (0, 4))
);
-- What counts between two days, without a look at the table; and what is not converted yet.
create index foreign_expense_counted_idx on groups.foreign_expense (group_id, day)
    include (converted) where is_counted and converted is not null;
create index foreign_expense_open_idx on groups.foreign_expense (group_id, day)
    include (currency, amount) where is_counted and converted is null;
create index foreign_expense_look_idx on groups.foreign_expense (look_at)
    where is_counted and converted is null;

insert into groups.foreign_expense (group_id, expense_id, amount, currency, day, written_on)
select e.group_id, e.id, e.amount, e.currency, e.day, e.day
from groups.expense_group g
join groups.expense e on e.group_id = g.id and e.currency <> g.currency
where e.removed_at is null
    and exists (select from groups.threshold t where t.group_id = g.id);

alter table groups.threshold
    add column number bigint not null default nextval('groups.threshold_order');
