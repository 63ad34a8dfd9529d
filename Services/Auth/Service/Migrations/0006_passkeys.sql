-- Passkeys (WebAuthn). Of a credential there is its public key alone; of a challenge its SHA-256,
-- so that reading the tables signs nobody in. A ceremony takes five answers and is used once.

create table auth.passkey (
    id uuid primary key,
    user_id uuid not null references auth.user_account (id) on delete cascade,
    credential_id bytea not null check (octet_length(credential_id) between 1 and 1023),
    -- COSE, as the authenticator wrote it.
    public_key bytea not null check (octet_length(public_key) between 32 and 1024),
    algorithm integer not null check (algorithm in (-7, -8, -257)),
    sign_count bigint not null check (sign_count between 0 and 4294967295),
    aaguid bytea not null check (octet_length(aaguid) = 16),
    transports text[] not null check (cardinality(transports) <= 8),
    backup_eligible boolean not null,
    backed_up boolean not null,
    name text not null check (char_length(name) between 1 and 80),
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    constraint passkey_credential_id_key unique (credential_id),
    constraint passkey_backup_check check (backup_eligible or not backed_up)
);
create index passkey_user_id_idx on auth.passkey (user_id, id);

-- `user_id` is whom the challenge is for: nobody in particular, or somebody, or a made-up id where
-- a name was told that is nobody's, so that the row costs and shows the same. Hence no foreign key;
-- the rows live for an hour.
create table auth.passkey_ceremony (
    id uuid primary key,
    kind text not null check (kind in ('registration', 'assertion')),
    user_id uuid,
    challenge_hash bytea not null check (octet_length(challenge_hash) = 32),
    attempts smallint not null default 0 check (attempts between 0 and 1000),
    expires_at timestamptz not null,
    used_at timestamptz,
    constraint passkey_ceremony_registration_check check (
        kind = 'assertion' or user_id is not null)
);
create index passkey_ceremony_expires_at_idx on auth.passkey_ceremony (expires_at);
create index passkey_ceremony_user_id_idx on auth.passkey_ceremony (user_id);

create function auth.forget_ceremonies() returns trigger
language plpgsql
as $$
begin
    delete from auth.passkey_ceremony where user_id = old.id;
    return old;
end
$$;

-- Whoever is erased leaves none behind.
create trigger forget_ceremonies
after delete on auth.user_account
for each row execute function auth.forget_ceremonies();

-- A device that signed in shows a token of ours to be offered its last user's passkeys. Tokens made
-- before this instant are void: whatever ends sessions or changes the password ends them, too.
alter table auth.user_account add column devices_valid_from timestamptz;

create function auth.forget_devices() returns trigger
language plpgsql
as $$
begin
    new.devices_valid_from = clock_timestamp();
    return new;
end
$$;

create trigger forget_devices
before update of password_hash, generation, enabled on auth.user_account
for each row
when (
    old.password_hash is distinct from new.password_hash
    or old.generation is distinct from new.generation
    or old.enabled is distinct from new.enabled)
execute function auth.forget_devices();
