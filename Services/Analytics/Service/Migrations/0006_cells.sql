-- What reports are summed from: of each person what they have booked on a day, and in a month, on
-- one account and category, in one currency and one way. Kept in the transaction that applies the
-- facts, by what these changed, so that it is their sum at every moment, whatever comes twice, out
-- of order or is taken back.

create table analytics.report_cell (
    -- A person; or a group, whose expenses are on no account but itself.
    owner_id uuid not null,
    -- `day` or `month`: whole months are read by the second, what is left at their ends by days;
    -- `total`, a day whatever the category, for all days of a year at once.
    grain text not null,
    currency text not null,
    -- The day, or the month's first.
    start date not null,
    -- Of a total that of nothing.
    category_id uuid not null,
    account_id uuid not null,
    is_income boolean not null,
    -- Signed minor units, of any number of bookings.
    amount numeric not null,
    part_count bigint not null,
    -- Without what is a further part of the same transaction.
    transaction_count bigint not null,
    -- One currency of one person, in the order of days.
    constraint report_cell_pkey primary key (
        owner_id, grain, currency, start, category_id, account_id, is_income)
) with (fillfactor = 70);

-- The statements that a person's facts are read by where cells do not do: in other currencies than
-- the report's, and between amounts.
create index fact_user_currency_day_idx on analytics.fact (user_id, currency, day)
    where not is_reversed;
drop index analytics.fact_user_day_idx;
-- What is split: of its parts one is counted.
create index fact_split_idx on analytics.fact (user_id, day)
    where part > 0 and not is_reversed;

-- What a person's cells are, worked out anew; while it runs nothing may be applied of theirs.
create function analytics.recount_cells(person uuid) returns void
language sql volatile
set search_path = analytics, pg_temp
as $function$
    delete from analytics.report_cell where owner_id = person;
    insert into analytics.report_cell (
        owner_id, grain, currency, start, category_id, account_id, is_income, amount, part_count,
        transaction_count
    )
    select f.user_id, grained.grain, f.currency, grained.start, grained.category_id, f.account_id,
        f.amount >= 0, sum(f.amount::numeric), count(*), count(*) filter (where f.part = 0)
    from analytics.fact f
    cross join lateral (
        values ('day', f.day, f.category_id),
            ('month', date_trunc('month', f.day::timestamp)::date, f.category_id),
            ('total', f.day, '00000000-0000-0000-0000-000000000000')
    ) as grained (grain, start, category_id)
    where f.user_id = person and not f.is_reversed
    group by 1, 2, 3, 4, 5, 6, 7;
$function$;
select analytics.recount_cells(person.user_id)
from (select distinct user_id from analytics.fact) as person;

-- As of facts: what comes for somebody who is erased goes again.
create function analytics.take_erased_cells_out() returns trigger
language plpgsql volatile
set search_path = analytics, pg_temp
as $function$
declare
    people uuid[];
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(owner_id::text, 4997))
    from (select distinct owner_id from made order by owner_id) as person;
    select array_agg(user_id) into people
    from erased_user where user_id = any (array(select owner_id from made));
    if people is not null then delete from report_cell where owner_id = any (people); end if;
    return null;
end
$function$;
create trigger take_erased_out after insert on analytics.report_cell
    referencing new table as made
    for each statement execute function analytics.take_erased_cells_out();

-- What a category stands below, where it is not at the top: reports add it to that.
alter table analytics.category add column parent_id uuid;
