-- What a booking costs is the rows and the pages that it touches. A cell was a row of its day, one
-- of its month and one of the day's total, each far from the others; and a fact stood in three
-- indexes, two of them at its person's place. Now a cell is of a month and has its days in it, and
-- facts are found by their transaction, whose names follow time.

-- In the order in which others take them.
lock table analytics.report_cell, analytics.fact in access exclusive mode;

alter table analytics.report_cell rename to day_cell;
alter table analytics.day_cell rename constraint report_cell_pkey to day_cell_pkey;

-- What somebody has booked in a month, on one account and category, in one currency and one way.
create table analytics.report_cell (
    -- A person; or a group, whose expenses are on no account but itself.
    owner_id uuid not null,
    currency text not null,
    -- Its first day.
    month date not null,
    category_id uuid not null,
    account_id uuid not null,
    is_income boolean not null,
    -- Of the whole month: signed minor units, of any number of bookings.
    amount numeric not null,
    part_count bigint not null,
    -- Without what is a further part of the same transaction.
    transaction_count bigint not null,
    -- Its days, four numbers each: which of the month, amount, parts, transactions. One day may be
    -- there several times: it is their sum.
    days bigint[] not null,
    -- One currency of one owner, in the order of months.
    constraint report_cell_pkey primary key (
        owner_id, currency, month, category_id, account_id, is_income)
) with (fillfactor = 70);

create function analytics.cell_days(month date, days bigint[])
returns table (day date, amount bigint, part_count bigint, transaction_count bigint)
language sql immutable parallel safe
as $function$
    select month + days[n]::integer - 1, days[n + 1], days[n + 2], days[n + 3]
    from generate_series(1, cardinality(days), 4) as n;
$function$;

create aggregate analytics.joined(bigint[]) (sfunc = array_cat, stype = bigint[], initcond = '{}');

-- The numbers of a day. What 64 bits do not hold stands there in pieces.
create function analytics.day_numbers(
    day bigint, amount numeric, part_count bigint, transaction_count bigint
) returns bigint[]
language sql immutable parallel safe
return case
    when abs(amount) <= 9e18 then array[day, amount::bigint, part_count, transaction_count]
    else array[day, (amount % 9e18)::bigint, part_count, transaction_count] || (
        select analytics.joined(array[day, (sign(amount) * 9e18)::bigint, 0, 0])
        from generate_series(1, trunc(abs(amount) / 9e18)::integer))
end;

-- Each day once, and none that comes to nothing.
create function analytics.merged_days(days bigint[]) returns bigint[]
language sql immutable parallel safe
as $function$
    select analytics.joined(
        analytics.day_numbers(day, amount, part_count, transaction_count) order by day)
    from (
        select days[n] as day, sum(days[n + 1]) as amount, sum(days[n + 2])::bigint as part_count,
            sum(days[n + 3])::bigint as transaction_count
        from generate_series(1, cardinality(days), 4) as n
        group by 1
    ) as of_day
    where amount <> 0 or part_count <> 0 or transaction_count <> 0;
$function$;

-- All that was kept, as it stands.
insert into analytics.report_cell (
    owner_id, currency, month, category_id, account_id, is_income, amount, part_count,
    transaction_count, days
)
select owner_id, currency, date_trunc('month', start::timestamp)::date, category_id, account_id,
    is_income, sum(amount), sum(part_count), sum(transaction_count),
    analytics.joined(
        analytics.day_numbers(
            extract(day from start)::bigint, amount, part_count, transaction_count)
        order by start)
from analytics.day_cell
where grain = 'day' and (amount <> 0 or part_count <> 0 or transaction_count <> 0)
group by 1, 2, 3, 4, 5, 6;
drop table analytics.day_cell;
analyze analytics.report_cell;

-- Whoever asks for a fact names all four.
alter table analytics.fact drop constraint fact_pkey;
alter table analytics.fact add constraint fact_pkey
    primary key (transaction_id, version, part, user_id);
-- Everything of a person, what is taken back too: it is exported and forgotten by this.
drop index analytics.fact_user_currency_day_idx;
create index fact_user_currency_day_idx on analytics.fact (user_id, currency, day);
drop index analytics.fact_day_idx;
create index fact_day_idx on analytics.fact (day) where not is_reversed;

-- What a person's cells are, worked out anew; while it runs nothing may be applied of theirs.
create or replace function analytics.recount_cells(person uuid) returns void
language sql volatile
set search_path = analytics, pg_temp
as $function$
    delete from analytics.report_cell where owner_id = person;
    insert into analytics.report_cell (
        owner_id, currency, month, category_id, account_id, is_income, amount, part_count,
        transaction_count, days
    )
    select person, currency, date_trunc('month', day::timestamp)::date, category_id, account_id,
        is_income, sum(amount), sum(part_count), sum(transaction_count),
        analytics.joined(
            analytics.day_numbers(
                extract(day from day)::bigint, amount, part_count, transaction_count)
            order by day)
    from (
        select currency, day, category_id, account_id, amount >= 0 as is_income,
            sum(amount::numeric) as amount, count(*) as part_count,
            count(*) filter (where part = 0) as transaction_count
        from analytics.fact
        where user_id = person and not is_reversed
        group by 1, 2, 3, 4, 5
    ) as of_day
    group by 1, 2, 3, 4, 5, 6;
$function$;

-- As of facts: what comes for somebody who is erased goes again.
create trigger take_erased_out after insert on analytics.report_cell
    referencing new table as made
    for each statement execute function analytics.take_erased_cells_out();
