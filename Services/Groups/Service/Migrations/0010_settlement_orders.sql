-- Settlements that are real transfers. A debt counts as paid from the moment when the ledger is asked
-- for the money: the settlement is pending, and what it took from what is open stands in its order,
-- to be given back where the ledger says that no money moved. Then the settlement is gone, and the
-- order stays for as long as its key, with why: whoever repeats the key is told the same.
alter table groups.settlement add column state text not null default 'recorded'
    check (state in ('recorded', 'pending', 'paid'));
alter table groups.settlement add column transfer_id uuid;
alter table groups.settlement add check ((state = 'paid') = (transfer_id is not null));

create table groups.settlement_order (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    settlement_id uuid not null,
    -- Whoever repeats a call that was cut off means the same order. A digest of scope and key, and
    -- of what was asked.
    key_id uuid,
    request_hash bytea not null,
    -- The debts that it added to what is open.
    debtor_ids uuid[] not null,
    creditor_ids uuid[] not null,
    amounts bigint[] not null,
    -- When somebody looks what became of it, for nobody may wait for it any more; later again
    -- where that could not be found out.
    look_at timestamptz not null default now() + interval '30 seconds',
    ended_at timestamptz,
    -- The code of the refusal, where it was given up.
    refusal text,
    primary key (group_id, settlement_id),
    constraint settlement_order_key_id_key unique (key_id),
    check (cardinality(debtor_ids) = cardinality(creditor_ids)
        and cardinality(debtor_ids) = cardinality(amounts)),
    check (refusal is null or ended_at is not null)
);
-- Those whose end somebody has to find out, and those whose key is forgotten with the others.
create index settlement_order_pending_idx on groups.settlement_order (look_at)
    where ended_at is null;
create index settlement_order_ended_idx on groups.settlement_order (ended_at)
    where ended_at is not null;
