-- The version of the profile that a copy of a person is of: auth tells of later ones by it. And how
-- they write days, in what is printed for them.

alter table ledger.person add column profile_version integer not null default 0;
alter table ledger.person add column date_format text;

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
        select user_id, id, pg_temp.trimmed(name) as name,
            pg_temp.trimmed(name_folded) as name_folded
        from ledger.category
        where pg_temp.is_untrimmed(name) and deleted_at is null
        order by user_id, id
    loop
        number := 1;
        suffix := '';
        while exists (
            select from ledger.category
            where user_id = twin.user_id and name_folded = twin.name_folded || suffix
                and id <> twin.id
                and deleted_at is null
        ) loop
            number := number + 1;
            suffix := ' ' || number;
        end loop;
        update ledger.category
        set name = twin.name || suffix, name_folded = twin.name_folded || suffix,
            version = version + 1, xid = pg_current_xact_id()
        where user_id = twin.user_id and id = twin.id;
    end loop;
end
$$;

do $$
declare
    twin record;
    number integer;
    suffix text;
begin
    for twin in
        select user_id, id, pg_temp.trimmed(name) as name,
            pg_temp.trimmed(name_folded) as name_folded
        from ledger.account
        where pg_temp.is_untrimmed(name) and state <> 'closed'
        order by user_id, id
    loop
        number := 1;
        suffix := '';
        while exists (
            select from ledger.account
            where user_id = twin.user_id and name_folded = twin.name_folded || suffix
                and id <> twin.id
                and state <> 'closed'
        ) loop
            number := number + 1;
            suffix := ' ' || number;
        end loop;
        update ledger.account
        set name = twin.name || suffix, name_folded = twin.name_folded || suffix,
            version = version + 1, xid = pg_current_xact_id()
        where user_id = twin.user_id and id = twin.id;
    end loop;
end
$$;

do $$
declare
    twin record;
    number integer;
    suffix text;
begin
    for twin in
        select family_id, id, pg_temp.trimmed(name) as name,
            pg_temp.trimmed(name_folded) as name_folded
        from ledger.household_envelope
        where pg_temp.is_untrimmed(name)
        order by family_id, id
    loop
        number := 1;
        suffix := '';
        while exists (
            select from ledger.household_envelope
            where family_id = twin.family_id and name_folded = twin.name_folded || suffix
                and id <> twin.id
        ) loop
            number := number + 1;
            suffix := ' ' || number;
        end loop;
        update ledger.household_envelope
        set name = twin.name || suffix, name_folded = twin.name_folded || suffix,
            version = version + 1
        where family_id = twin.family_id and id = twin.id;
    end loop;
end
$$;

update ledger.folder
set name = pg_temp.trimmed(name), version = version + 1, xid = pg_current_xact_id()
where pg_temp.is_untrimmed(name);

update ledger.person
set display_name = pg_temp.trimmed(display_name)
where pg_temp.is_untrimmed(display_name);

drop function pg_temp.is_untrimmed(text);
drop function pg_temp.trimmed(text);
