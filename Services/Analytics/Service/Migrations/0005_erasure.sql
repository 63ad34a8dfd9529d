-- Whose facts are still looked for, because an event of theirs may come late.
create index person_erased_idx on analytics.person (erased_at) where erased_at is not null;
