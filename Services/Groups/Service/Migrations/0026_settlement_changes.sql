-- A settlement that was written down by mistake is taken back, and what it changed of what is open
-- with it: debts that passed from one to another, and circles that it left to nobody, included. So
-- each currency of one keeps the debts that it added, as the order of a transfer alone has so far.
-- Absent where it took the debt between its two sides and no other, as imports write them.
alter table groups.settlement_payment add column debtor_ids uuid[];
alter table groups.settlement_payment add column creditor_ids uuid[];
alter table groups.settlement_payment add column amounts bigint[];
update groups.settlement_payment p
set debtor_ids = o.debtor_ids, creditor_ids = o.creditor_ids, amounts = o.amounts
from groups.settlement_order o
where o.group_id = p.group_id and o.settlement_id = p.settlement_id;
alter table groups.settlement_payment add check (
    num_nonnulls(debtor_ids, creditor_ids, amounts) in (0, 3)
    and cardinality(debtor_ids) = cardinality(creditor_ids)
    and cardinality(debtor_ids) = cardinality(amounts)
);
alter table groups.settlement_order drop column debtor_ids;
alter table groups.settlement_order drop column creditor_ids;
alter table groups.settlement_order drop column amounts;
