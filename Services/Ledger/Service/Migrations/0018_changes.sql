-- What a client needs to catch up on what has changed.

-- Together with the cluster's name and its timeline it says of which books a cursor is: after a
-- restore transaction ids are given out again, and what was read under the first ones is unknown.
-- PostgreSQL begins a new timeline by itself where it recovers from a backup or a standby takes
-- over, and has another name where the data was loaded into a new cluster. Only a copy of its files
-- that is put back looks the same to it: whoever does that gives this row a new epoch.
create table ledger.changes_epoch (
    is_only boolean primary key default true check (is_only),
    epoch uuid not null default gen_random_uuid()
);
insert into ledger.changes_epoch default values;

-- Allocations that are gone, with their category or into that of others.
create table ledger.budget_allocation_gone (
    user_id uuid not null,
    id uuid not null,
    gone_at timestamptz not null default now(),
    xid xid8 not null default pg_current_xact_id(),
    primary key (user_id, xid, id)
);
create trigger keep_erased_out before insert on ledger.budget_allocation_gone
    for each row execute function ledger.keep_erased_out('user_id', 'skip');

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format('grant select on ledger.changes_epoch to %I', service);
    execute format('grant select, insert on ledger.budget_allocation_gone to %I', service);
    execute format('grant select, delete on ledger.budget_allocation_gone to %I', poster);
end
$$;
