-- The version of the profile that a copy of a person is of: auth tells of later ones by it.

alter table groups.person add column profile_version integer not null default 0;

-- Names are compared and stored without white space at both ends, composed. Names of before become so;
-- of two that are the same then, the one that changes gets a number: «Café» stays, « Café » becomes
-- «Café 2». A numbered name may be longer than the API takes, by its number.

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

do $$
declare
    twin record;
    number integer;
    suffix text;
begin
    for twin in
        select group_id, id, pg_temp.trimmed(name) as name,
            pg_temp.trimmed(name_folded) as name_folded
        from groups.category
        where pg_temp.is_untrimmed(name)
        order by group_id, id
    loop
        number := 1;
        suffix := '';
        while exists (
            select from groups.category
            where group_id = twin.group_id and name_folded = twin.name_folded || suffix
                and id <> twin.id
        ) loop
            number := number + 1;
            suffix := ' ' || number;
        end loop;
        update groups.category
        set name = twin.name || suffix, name_folded = twin.name_folded || suffix,
            version = version + 1
        where group_id = twin.group_id and id = twin.id;
    end loop;
end
$$;

update groups.expense_group
set name = pg_temp.trimmed(name), version = version + 1
where pg_temp.is_untrimmed(name);

update groups.member
set display_name = pg_temp.trimmed(display_name)
where pg_temp.is_untrimmed(display_name);

update groups.family
set name = pg_temp.trimmed(name)
where pg_temp.is_untrimmed(name);

update groups.invitation
set name = pg_temp.trimmed(name)
where pg_temp.is_untrimmed(name);

update groups.receiving_account
set name = pg_temp.trimmed(name)
where pg_temp.is_untrimmed(name);

update groups.allowance_recurrence
set name = pg_temp.trimmed(name)
where pg_temp.is_untrimmed(name);

update groups.person
set display_name = pg_temp.trimmed(display_name)
where pg_temp.is_untrimmed(display_name);

drop function pg_temp.is_untrimmed(text);
drop function pg_temp.trimmed(text);
