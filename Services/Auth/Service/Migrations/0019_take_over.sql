-- What a recovery takes back from whoever held the account before, and codes that nobody burnt.

-- When the first answer to the current code was counted: where the code is still there long after,
-- whoever was to look at it has ended.
alter table auth.challenge add column counted_at timestamptz;

-- Since when the phone is what it is; null: since the account was made.
alter table auth.user_account add column phone_set_at timestamptz;

create function auth.note_phone() returns trigger
language plpgsql
as $$
begin
    new.phone_set_at = clock_timestamp();
    return new;
end
$$;

create trigger note_phone
before update of phone on auth.user_account
for each row
when (old.phone is distinct from new.phone)
execute function auth.note_phone();

-- When an address of the account was proved for the first time, whatever became of it since: who
-- has proved one is nobody who registered another's.
alter table auth.user_account
    add column email_first_verified_at timestamptz,
    -- When the last address that an administrator had wanted came into force.
    add column email_given_at timestamptz;
update auth.user_account set email_first_verified_at = email_verified_at;

create function auth.note_proof() returns trigger
language plpgsql
as $$
begin
    new.email_first_verified_at = new.email_verified_at;
    return new;
end
$$;

create trigger note_proof
before insert or update of email_verified_at on auth.user_account
for each row
when (new.email_verified_at is not null and new.email_first_verified_at is null)
execute function auth.note_proof();

-- Takes away what signs somebody in, or proves who they are, but the password, where it may be an
-- intruder's: all of it where no address of the account was ever proved, else what is younger than
-- seven days. Who reads the mailbox that an administrator gave the account takes nothing that was
-- there before it: no administrator removes a second factor that way. Tells whether there was
-- anything. The person's row is locked by the caller.
create function auth.clear_ways_in(person uuid) returns boolean
language plpgsql
as $$
declare
    since timestamptz;
    cleared boolean;
begin
    select case
            when email_first_verified_at is null and email_given_at is null then '-infinity'
            else greatest(now() - interval '7 days', email_given_at) end
    into since
    from auth.user_account
    where id = person;
    -- Where they signed in is where whoever had the password did.
    delete from auth.known_network where user_id = person;
    delete from auth.passkey where user_id = person and created_at >= since;
    cleared := found;
    delete from auth.passkey_ceremony where user_id = person;
    delete from auth.totp where user_id = person and confirmed_at is null;
    delete from auth.totp where user_id = person and confirmed_at >= since;
    if found then
        cleared := true;
        delete from auth.recovery_code where user_id = person;
    end if;
    -- Made anew by whoever held a session, though the app is older.
    delete from auth.recovery_code where user_id = person and created_at >= since;
    cleared := cleared or found;
    update auth.user_account
    set phone = null
    where id = person and phone is not null and coalesce(phone_set_at, created_at) >= since;
    cleared := cleared or found;
    -- Planned when it is reached, and only where there are identities at all.
    if to_regclass('auth.identity') is not null then
        delete from auth.identity where user_id = person and created_at >= since;
        cleared := cleared or found;
        delete from auth.sign_in_attempt where user_id = person;
        delete from auth.sign_in_code where user_id = person;
    end if;
    return cleared;
end
$$;
