-- The audit log: what administrators did and read, and what changed somebody's rights or proofs.
--
-- Append-only for the service's role, which may insert and read and nothing else. An entry carries
-- a code over its columns (HMAC under a key outside the database), so that a row made or altered
-- by hand is told apart; the transaction's id decides its block, and the chain of signed blocks
-- tells of rows taken away. What is personal stands in audit_text and in the entry as a salted
-- hash alone, so that erasing a person breaks neither.
set local search_path = auth, pg_temp;

create table audit_entry (
    id uuid primary key,
    xid xid8 not null default pg_current_xact_id(),
    -- A user's id, `service:<name>`, `operator` (at the command line) or `anyone`.
    actor text not null,
    action text not null,
    subject uuid,
    -- JSON, as text: the hash is over the bytes as they were written.
    detail text not null check (octet_length(detail) <= 4096),
    text_hash bytea check (octet_length(text_hash) = 32),
    address_family text not null check (address_family in ('IPv4', 'IPv6', 'unknown')),
    request_id text,
    -- To the microsecond that the id was made in.
    at timestamptz not null,
    code bytea not null check (octet_length(code) = 32)
);
create index audit_entry_xid_idx on audit_entry (xid, id);
create index audit_entry_actor_idx on audit_entry (actor, id);
create index audit_entry_subject_idx on audit_entry (subject, id) where subject is not null;
create index audit_entry_action_idx on audit_entry (action, id);

-- Names and addresses of an entry: a JSON object, and the salt of its hash. Goes with the person.
create table audit_text (
    entry_id uuid primary key references audit_entry (id),
    salt bytea not null check (octet_length(salt) = 32),
    value text not null
);

-- The signed blocks of a chain (Shared/ServiceKit/Chain): entries of the transactions from
-- number_from on and below number_below, in the order of (xid, id). The height is the key, so that two
-- workers that both believe to hold the lease cannot fork it.
create table chain_block (
    chain text not null,
    height bigint not null check (height > 0),
    previous_hash bytea not null,
    number_from bigint not null,
    number_below bigint not null,
    entry_count bigint not null,
    -- The hash of each entry in order, 32 bytes each: tells which one is wrong.
    leaves bytea not null,
    sealed_at timestamptz not null,
    key_id text not null,
    hash bytea not null,
    signature bytea not null,
    constraint chain_block_pkey primary key (chain, height)
);

-- Public keys of blocks, kept when the key is retired; the proof (HMAC under a key outside the
-- database) shows that it is ours. Another row where the key outside is replaced.
create table chain_key (
    key_id text not null,
    x bytea not null,
    y bytea not null,
    proof bytea not null,
    constraint chain_key_pkey primary key (key_id, proof)
);

-- Who appends blocks for the next seconds.
create table chain_lease (
    chain text primary key,
    holder uuid not null,
    until timestamptz not null
) with (fillfactor = 50);

do $$
declare
    service text := current_setting('ezwallet.service_role');
begin
    execute format(
        'revoke all on audit_entry, audit_text, chain_block, chain_key from %I', service);
    execute format('grant select, insert on audit_entry, chain_block, chain_key to %I', service);
    -- No update: a text is there as it was written, or erased.
    execute format('grant select, insert, delete on audit_text to %I', service);
end
$$;
