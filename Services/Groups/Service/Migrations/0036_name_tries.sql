-- Usernames that were named and are nobody's, as a level that falls with time: by who asked, and by the
-- network that they asked from. A subject is a code over both, so the table names nobody. Rows of a day
-- ago are deleted.
create table groups.name_try (
    subject text primary key,
    level double precision not null,
    counted_at timestamptz not null default now()
);
create index name_try_counted_at_idx on groups.name_try (counted_at);
