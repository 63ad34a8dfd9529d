-- Figures of a month are kept in one currency, each booking converted at its day's rate; in another
-- they are told at one rate of the month. Kept in each at dated rates, a median in two of them told
-- the day of the booking that it is: 1,234.56 EUR beside 1,339.50 USD is one day's rate.
--
-- A month keeps its currency for good. Were it the setting of the moment, a new one would have each
-- booking judged anew, and months of whose days it has no rate told no more.
--
-- A replica of before answers no insights from here on, and a release that it makes has no month in
-- it: `ezwallet-analytics release` makes one where that has happened. Which tables of a month are
-- told coarser stays as it was settled until the month is taken up again.

-- In the order in which others take them.
lock table analytics.month_cube, analytics.cell in access exclusive mode;

create table analytics.month_base (
    month date constraint month_base_pkey primary key,
    currency text not null
);

-- Of what can be told beside: so many minor units are one of the month's own currency.
create table analytics.month_rate (
    month date not null references analytics.month_base,
    currency text not null,
    rate numeric not null check (rate > 0),
    constraint month_rate_pkey primary key (month, currency)
);

-- Where a month was told in several, that in which most of what has a rate is told (of a cube that
-- tells nothing all 72 tables are closed), and of such that in which it was judged what has a rate.
insert into analytics.month_base (month, currency)
select distinct on (c.month) c.month, c.target
from analytics.month_cube c
group by c.month, c.target
order by c.month, count(*) filter (where c.is_converted and cardinality(c.closed) < 72) desc,
    c.target = coalesce(
        (
            select case when 'EUR' = any(currencies) then 'EUR' else currencies[1] end
            from analytics.release
            order by number desc
            limit 1
        ),
        'EUR') desc,
    c.target;
insert into analytics.month_rate (month, currency, rate)
select b.month, b.currency, 1
from analytics.month_base b
union all
select b.month, r.currency, round(avg(r.minor_units / own.minor_units), 12)
from analytics.month_base b
join analytics.released_rate own
    on own.day >= b.month and own.day < b.month + interval '1 month' and own.currency = b.currency
join analytics.released_rate r on r.day = own.day and r.currency <> own.currency
where exists (
    select from analytics.month_cube c where c.month = b.month and c.target = r.currency)
group by b.month, r.currency
having count(*) = (b.month + interval '1 month')::date - b.month
    and round(avg(r.minor_units / own.minor_units), 12) > 0;

delete from analytics.cell c
using analytics.month_base b
where b.month = c.month and b.currency <> c.target;
delete from analytics.month_cube c
using analytics.month_base b
where b.month = c.month and b.currency <> c.target;

-- Who and how much, for people and quantiles of several cells: these are told of none any more, for
-- people in A or B less those in A are those who are in B alone, who may be one.
alter table analytics.cell
    drop constraint cell_pkey,
    drop column target,
    drop column people,
    drop column amounts;
alter table analytics.cell
    add constraint cell_pkey primary key (is_incoming, is_converted, levels, month, place);
alter table analytics.month_cube
    drop constraint month_cube_pkey,
    drop column target;
alter table analytics.month_cube
    add constraint month_cube_pkey primary key (month, is_incoming, is_converted),
    add foreign key (month) references analytics.month_base;
