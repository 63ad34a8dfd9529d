-- What groups have spent, by their events: without names, and without whoever paid or bears it.
-- Everything of a group comes in order, so that each row is as the last event of it says.

create table analytics.group_expense (
    group_id uuid not null,
    expense_id uuid not null,
    day date not null,
    -- Minor units, as the group has it: what was spent is above zero.
    amount bigint not null,
    currency text not null,
    -- The group's «Others» where it has none.
    category_id uuid not null,
    primary key (group_id, expense_id)
);
-- Reports: what is in other currencies than theirs, and between amounts.
create index group_expense_currency_day_idx
    on analytics.group_expense (group_id, currency, day);

-- The categories that stand below another.
create table analytics.group_category (
    group_id uuid not null,
    category_id uuid not null,
    parent_id uuid not null,
    primary key (group_id, category_id)
);
