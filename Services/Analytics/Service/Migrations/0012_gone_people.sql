-- Who is erased while a release is under way has no number any more at once; what is booked under it
-- is nobody's then, and goes as soon as the month that is at work is done.
create table analytics.gone_person (
    number bigint primary key
);

-- Months are released one after another, each for itself. A release that was cut off is made up for,
-- after a while, by another.
alter table analytics.release add column is_whole boolean not null default true;
alter table analytics.release alter column is_whole set default false;
