-- Who a person is at an OpenID Connect provider. An identity is issuer and subject, never an
-- e-mail address, which providers give to somebody else one day. States, codes and what binds them
-- to a browser are kept as hashes: reading the tables ends no sign-in.

create table auth.identity (
    id uuid primary key,
    user_id uuid not null references auth.user_account (id) on delete cascade,
    provider text not null,
    issuer text not null,
    subject text not null,
    email text,
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    constraint identity_subject_key unique (issuer, subject)
);
create index identity_user_id_idx on auth.identity (user_id);

-- A sign-in under way at a provider: bound to a browser by a cookie's hash, or to a native client
-- by its challenge (RFC 7636). user_id: whom the identity is to be linked to.
create table auth.sign_in_attempt (
    state_hash bytea primary key,
    browser_hash bytea,
    code_challenge text,
    provider text not null,
    nonce text not null,
    verifier_sealed bytea not null,
    redirect_uri text not null,
    user_id uuid references auth.user_account (id) on delete cascade,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    check ((browser_hash is null) <> (code_challenge is null))
);
create index sign_in_attempt_expires_at_idx on auth.sign_in_attempt (expires_at);
create index sign_in_attempt_user_id_idx on auth.sign_in_attempt (user_id);

-- What a callback gave the client; a row is deleted by its one use.
create table auth.sign_in_code (
    code_hash bytea primary key,
    kind text not null check (kind in ('log-in', 'link', 'registration')),
    browser_hash bytea,
    code_challenge text,
    provider text not null,
    issuer text not null,
    subject text not null,
    email text,
    email_verified boolean not null,
    user_id uuid references auth.user_account (id) on delete cascade,
    expires_at timestamptz not null,
    check ((browser_hash is null) <> (code_challenge is null)),
    check ((kind = 'link') = (user_id is not null))
);
create index sign_in_code_expires_at_idx on auth.sign_in_code (expires_at);
create index sign_in_code_user_id_idx on auth.sign_in_code (user_id);
