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

-- Takes away what signs somebody in, or proves who they are, but the password, where it was added
-- at `since` or later. Tells whether there was anything. The person's row is locked by the caller.
create function auth.clear_ways_in(person uuid, since timestamptz) returns boolean
language plpgsql
as $$
declare
    cleared boolean;
begin
    delete from auth.passkey where user_id = person and created_at >= since;
    cleared := found;
    delete from auth.passkey_ceremony where user_id = person;
    delete from auth.totp where user_id = person and confirmed_at is null;
    delete from auth.totp where user_id = person and confirmed_at >= since;
    if found then
        cleared := true;
        delete from auth.recovery_code where user_id = person;
    end if;
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
