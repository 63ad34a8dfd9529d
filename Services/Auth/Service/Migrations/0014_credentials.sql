-- Whether somebody has anything left to sign in with: a password, a passkey, an identity of another
-- provider. Who takes one away locks the person's row first and asks here afterwards.

create function auth.can_sign_in(person uuid) returns boolean
language plpgsql
stable
as $$
begin
    if exists (
        select 1 from auth.user_account where id = person and password_hash is not null)
        or exists (select 1 from auth.passkey where user_id = person)
    then
        return true;
    end if;
    -- Planned when it is reached, and only where there are identities at all.
    if to_regclass('auth.identity') is null then
        return false;
    end if;
    return exists (select 1 from auth.identity where user_id = person);
end
$$;
