-- Transfers to others that have passed the rule of the fresh proof and are being posted: whatever
-- passes next reckons with them. A row stands until its operation has an outcome or for two
-- minutes; after a crash nothing is being posted, and nothing need be left here.
create unlogged table ledger.sending (
    user_id uuid not null,
    -- The operation's.
    op uuid not null,
    currency text collate "C" not null,
    amount bigint not null check (amount > 0),
    ends_at timestamptz not null,
    primary key (user_id, op)
);
create index sending_ends_at_idx on ledger.sending (ends_at);

do $$
begin
    execute format(
        'grant select, insert, update, delete on ledger.sending to %I',
        current_setting('ezwallet.service_role'));
end
$$;
