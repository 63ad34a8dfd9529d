-- A month's cubes are released each by itself: what is spent and what is earned, what has a rate and
-- what has none have no booking in common. So one of which few people have changed anything stays as
-- it was told, and takes no other along; what was booked since waits with it.

-- Whether a booking has a rate is judged once, in one currency, whichever figures are asked in. Judged
-- for each, the people of both currencies' figures would together tell who has booked on a day on
-- which one of them had no rate.
alter table analytics.booking add column is_converted boolean;
update analytics.booking b
set is_converted = b.currency = base.currency
    or (
        exists (
            select from analytics.released_rate r where r.day = b.day and r.currency = b.currency)
        and exists (
            select from analytics.released_rate r
            where r.day = b.day and r.currency = base.currency)
    )
from (
    select coalesce(
        (
            select case when 'EUR' = any(currencies) then 'EUR' else currencies[1] end
            from analytics.release
            order by number desc
            limit 1
        ),
        'EUR') as currency
) as base;
alter table analytics.booking alter column is_converted set not null;

-- Of those who were erased before, it is not known which they were of; zero people are «perhaps some».
alter table analytics.erased_booking add column is_converted boolean not null default true;
alter table analytics.erased_booking drop constraint erased_booking_pkey;
alter table analytics.erased_booking add constraint erased_booking_pkey primary key (
    month, is_incoming, is_converted, category, area, age_band, account_kind, currency,
    counts_from, counts_until);
insert into analytics.erased_booking (
    month, is_incoming, is_converted, category, area, age_band, account_kind, currency,
    counts_from, counts_until, people
)
select month, is_incoming, false, category, area, age_band, account_kind, currency, counts_from,
    counts_until, 0
from analytics.erased_booking
where currency <> 'EUR';
update analytics.erased_booking set people = 0 where currency <> 'EUR';
alter table analytics.erased_booking alter column is_converted drop default;

-- With which releases which cube was taken up; before, all four of a month were.
alter table analytics.released_month
    add column is_incoming boolean not null default false,
    add column is_converted boolean not null default false;
alter table analytics.released_month drop constraint released_month_pkey;
alter table analytics.released_month add constraint released_month_pkey primary key (
    month, is_incoming, is_converted, release);
insert into analytics.released_month (month, release, is_incoming, is_converted)
select m.month, m.release, way.is_incoming, way.is_converted
from analytics.released_month m
cross join (values (false, true), (true, false), (true, true)) as way (is_incoming, is_converted);
alter table analytics.released_month
    alter column is_incoming drop default,
    alter column is_converted drop default;

-- Which release a cube tells of, none while it waits for people enough, and by what it was decided:
-- how many people are needed, and of how many entries of erased people it was known.
alter table analytics.month_cube
    add column release bigint,
    add column users_min bigint not null default 0,
    add column erased bigint not null default 0;
update analytics.month_cube c
set release = (select max(m.release) from analytics.released_month m where m.month = c.month),
    users_min = coalesce(
        (select r.users_min from analytics.release r order by r.number desc limit 1), 0);
alter table analytics.month_cube
    alter column users_min drop default,
    alter column erased drop default;
