-- Ages have a level more: bands that are told together where each by itself is of too few people. A
-- table's number has a digit to the base of three for each dimension, that of ages is of the nines:
-- bands were its first level, and are its second now.

update analytics.cell set levels = levels + 9 where levels / 9 % 3 = 1;

-- Of months that are told already nothing is told of bands together: what was not told of a month is
-- not told later.
update analytics.month_cube
set closed = array(
        select case when code / 9 % 3 = 1 then code + 9 else code end
        from unnest(closed) as code
        order by 1
    ) || array(
        select category * 81 + area * 27 + 9 + kind * 3 + currency
        from generate_series(0, 1) category, generate_series(0, 2) area,
            generate_series(0, 1) kind, generate_series(0, 1) currency
    )::bigint[];

-- From which coarser table one is answered of which too little is told: pairs of tables' numbers.
alter table analytics.month_cube add column merged bigint[] not null default '{}';
alter table analytics.month_cube alter column merged drop default;
