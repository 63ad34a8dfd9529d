-- How debts of groups were paid: by the id that groups gave each, with the transfer, or without one
-- where it was given up. Kept for good: a request that comes late must not pay what was given up.
create table ledger.settlement_transfer (
    id uuid primary key,
    transfer_id uuid
);

do $$
begin
    execute format(
        'grant select, insert on ledger.settlement_transfer to %I',
        current_setting('ezwallet.service_role'));
end
$$;
