-- Every replica drops what it remembers of a person whose profile has changed. The poll that brings
-- revocations brings their versions, too: one row a person, whose generation is the version.

alter table auth.revocation drop constraint revocation_kind_check;
alter table auth.revocation
    add constraint revocation_kind_check check (kind in ('session', 'user', 'key', 'person'));
create unique index revocation_person_key on auth.revocation (subject) where kind = 'person';
