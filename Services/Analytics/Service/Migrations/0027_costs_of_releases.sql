-- What of that which was told a release tells no longer, in millionths: it is bounded in all, and not
-- for each release alone. What was lost before is not known any more.
alter table analytics.released_month add column lost bigint not null default 0;
alter table analytics.released_month alter column lost drop default;

-- When a cube was read. A release may take long, and be cut off: what it was begun at is not when the
-- ledger was as its figures say.
alter table analytics.month_cube add column as_of timestamptz;
update analytics.month_cube c
set as_of = r.released_at
from analytics.release r
where r.number = c.release;
alter table analytics.month_cube alter column as_of set not null;
