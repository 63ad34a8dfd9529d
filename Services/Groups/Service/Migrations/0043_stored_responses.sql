-- A stored response that mentions others is found by them when one of them is erased: by their
-- identifiers, and by the addresses of whom the caller invited. Few responses mention anybody but
-- their caller, so the index is small.
alter table groups.idempotency_key add column people text[];
create index idempotency_key_people_idx on groups.idempotency_key using gin (people)
    with (fastupdate = off)
    where people is not null;
