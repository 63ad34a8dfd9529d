-- What was found by people who meant harm, and by two replicas at once.

-- A guest's place is given by changing its row: not to somebody who is being erased.
create trigger keep_erased_out_claim before update of user_id on groups.member
    for each row when (new.user_id is not null)
    execute function groups.keep_erased_out('user_id', 'refuse');

-- What the ledger is to do for a child has a number that grows with each, for the ledger to know what
-- comes late: the clocks of two replicas would not order them.
drop index groups.allowance_task_child_idx;
alter table groups.allowance_task add column number bigint generated always as identity;
alter table groups.allowance_task drop column id;
alter table groups.allowance_task add primary key (number);
create index allowance_task_child_idx on groups.allowance_task (user_id, family_id, number);

-- The ledger knows a payment for good, a key is known for two days: the payment's id is none that the
-- same key would have again.
alter table groups.allowance_payment add column order_id uuid;
update groups.allowance_payment set order_id = id;
alter table groups.allowance_payment alter column order_id set not null;
