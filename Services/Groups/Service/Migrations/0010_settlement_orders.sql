-- Settlements that are real transfers. A debt counts as paid from the moment when the ledger is asked
-- for the money: the settlement is pending, and what it took from what is open stands in its order,
-- to be given back where the ledger says that no money moved. Then the settlement is gone, too.
alter table groups.settlement add column state text not null default 'recorded'
    check (state in ('recorded', 'pending', 'paid'));
alter table groups.settlement add column transfer_id uuid;
alter table groups.settlement add check ((state = 'paid') = (transfer_id is not null));

create table groups.settlement_order (
    group_id uuid not null,
    settlement_id uuid not null,
    -- Whoever repeats a call that was cut off means the same order. A digest of scope and key, and
    -- of what was asked.
    key_id uuid,
    request_hash bytea not null,
    -- The debts that it added to what is open.
    debtor_ids uuid[] not null,
    creditor_ids uuid[] not null,
    amounts bigint[] not null,
    made_at timestamptz not null default now(),
    paid_at timestamptz,
    primary key (group_id, settlement_id),
    constraint settlement_order_key_id_key unique (key_id),
    foreign key (group_id, settlement_id) references groups.settlement (group_id, id)
        on delete cascade,
    check (cardinality(debtor_ids) = cardinality(creditor_ids)
        and cardinality(debtor_ids) = cardinality(amounts))
);
-- Those whose end somebody has to find out, and those whose key is forgotten with the others.
create index settlement_order_pending_idx on groups.settlement_order (made_at)
    where paid_at is null;
create index settlement_order_paid_idx on groups.settlement_order (paid_at)
    where paid_at is not null;
