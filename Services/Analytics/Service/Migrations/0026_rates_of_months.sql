-- Before 0011 whether a booking has a rate was judged in each currency that figures are had in. Beside
-- those in the currency in which it is judged now, what was told in another may be of other bookings,
-- so it is told no longer. The next release tells it anew where each day of the month has a rate:
-- then both are of the same bookings.

with judged as (
    select coalesce(
        (
            select case when 'EUR' = any(currencies) then 'EUR' else currencies[1] end
            from analytics.release
            order by number desc
            limit 1
        ),
        'EUR') as currency
), old as (
    select c.month, c.target, c.is_incoming, c.is_converted
    from analytics.month_cube c
    join analytics.release r on r.number = c.release
    where c.target <> (select currency from judged)
        and r.released_at < (
            select applied_at
            from public.schema_migration
            where name = '0011_released_cubes.sql'
        )
), gone as (
    delete from analytics.cell c
    using old o
    where c.month = o.month and c.target = o.target and c.is_incoming = o.is_incoming
        and c.is_converted = o.is_converted
)
update analytics.month_cube c
set closed = array(
        select category * 81 + area * 27 + age * 9 + kind * 3 + currency
        from generate_series(0, 1) category, generate_series(0, 2) area,
            generate_series(0, 2) age, generate_series(0, 1) kind, generate_series(0, 1) currency
        order by 1
    )::bigint[],
    merged = '{}'
from old o
where c.month = o.month and c.target = o.target and c.is_incoming = o.is_incoming
    and c.is_converted = o.is_converted;
