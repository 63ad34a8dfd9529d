-- What is told of how the suite is used: a calendar month's figures are worked out once, with the
-- first release from the third day after its end on that has events of a later day, and never
-- again. So no two releases differ by anybody, and what is told of a month before it ends is
-- nothing.
--
-- Whom a figure is of does not change either. With the month in which somebody registered it is
-- settled in which region, of what age and in which language they are counted, for good; and who is
-- erased stays counted among those who have registered, as a number: were they not, one who moves,
-- has a birthday or goes would be the difference of two months.

create table analytics.cohort_member (
    -- That of analytics.insight_person, and nobody's once that row is gone.
    person bigint primary key,
    -- The month of registration, by its first day.
    cohort date not null,
    area text not null,
    -- On the day of registration.
    age_band text not null,
    language text not null
);
create index cohort_member_cohort_idx on analytics.cohort_member (cohort);

-- How many of a cohort are erased, and nothing else of them.
create table analytics.cohort_gone (
    cohort date not null,
    area text not null,
    age_band text not null,
    language text not null,
    people bigint not null,
    primary key (cohort, area, age_band, language)
);

-- Whoever loses their number is one of these from then on.
create function analytics.count_gone() returns trigger
language plpgsql volatile
set search_path = analytics, pg_temp
as $function$
begin
    with gone as (
        delete from cohort_member where person = old.number
        returning cohort, area, age_band, language
    )
    insert into cohort_gone as kept (cohort, area, age_band, language, people)
    select cohort, area, age_band, language, 1 from gone
    on conflict (cohort, area, age_band, language) do update set people = kept.people + 1;
    return null;
end
$function$;
create trigger count_gone after delete on analytics.insight_person
    for each row execute function analytics.count_gone();

-- The months that are told of, each with the release that worked it out and the number of people
-- that a figure of it needed.
create table analytics.usage_month (
    month date primary key,
    release bigint not null,
    users_min bigint not null
);

-- The cells of a month's tables, but of those of which nothing is told. A table is a level of each
-- dimension; null is a margin.
create table analytics.usage_cell (
    -- `cohort`: who registered in the month. `funnel`: how far they had come by the end of the
    -- month after it. `activity`: who was there in the month, by cohort. `imports` and `exports`:
    -- who took files in or out in it, by format.
    kind text not null,
    month date not null,
    levels bigint not null,
    place bigint not null,
    -- The cohort, the step by those before it, or the format; empty for all.
    path text not null,
    country text,
    area text,
    age_band text,
    language text,
    is_told boolean not null,
    -- Figures of what is told, else zero.
    users bigint not null,
    -- The days on which each was there, summed; and those of their weeks.
    days bigint not null,
    week_days bigint not null,
    -- How often.
    times bigint not null,
    primary key (kind, month, levels, place)
);

-- The ages that everybody's figures tell apart.
create function analytics.age_band(born date, at date) returns text
language sql immutable parallel safe
return case
    when born <= at then
        (array['0-17', '18-24', '25-34', '35-44', '45-54', '55-64', '65+'])[
            1 + width_bucket(
                extract(year from age(at, born))::int, array[18, 25, 35, 45, 55, 65])]
    else 'unknown'
end;
