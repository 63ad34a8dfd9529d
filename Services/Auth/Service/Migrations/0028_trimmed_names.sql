-- Names of people and of their passkeys are stored without white space at both ends, composed. Names
-- of before become so, and services hear of the people whose names have changed.

-- A name that its composition lengthens stays as it is: it may be as long as names may be.
create function pg_temp.trimmed(text) returns text language sql immutable as $$
    select btrim(
        case when char_length(normalize($1, nfc)) > char_length($1)
            then $1
            else normalize($1, nfc)
        end, E'\t\n\u000B\f\r \u0085\u00A0\u1680\u180E'
        '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u200B\u200C\u200D'
        '\u2028\u2029\u202F\u205F\u2060\u3000\uFEFF')
$$;
-- A name of nothing visible stays: it has no other.
create function pg_temp.is_untrimmed(text) returns boolean language sql immutable as $$
    select $1 <> pg_temp.trimmed($1) and pg_temp.trimmed($1) <> ''
$$;

with changed as (
    update auth.user_account
    set first_name = pg_temp.trimmed(first_name), last_name = pg_temp.trimmed(last_name),
        version = version + 1
    where pg_temp.is_untrimmed(first_name) or pg_temp.is_untrimmed(last_name)
    returning id, version
)
insert into auth.revocation (kind, subject, generation, expires_at)
select 'person', id::text, version, now() + interval '1 hour'
from changed;

update auth.passkey
set name = pg_temp.trimmed(name)
where pg_temp.is_untrimmed(name);

drop function pg_temp.is_untrimmed(text);
drop function pg_temp.trimmed(text);
