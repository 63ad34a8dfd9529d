-- The months of which it has been told that everybody's figures are there, so that whoever wants a
-- report of each has one. Nobody's: a month says nothing of a person.

create table analytics.announced_month (
    month date not null,
    announced_at timestamptz not null default now(),
    constraint announced_month_pkey primary key (month)
);
