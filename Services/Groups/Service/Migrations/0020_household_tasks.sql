-- What the ledger is still to be told of families' budgets, which it keeps: that a parent has left,
-- by which membership it was, or that the family is no more, where nobody is named. A row commits
-- with its cause, and goes once the ledger has answered; in any order, as a membership that has ended
-- stays so.
create table groups.household_task (
    number bigint generated always as identity primary key,
    family_id uuid not null,
    user_id uuid,
    joined_at timestamptz,
    check ((user_id is null) = (joined_at is null))
);
create index household_task_user_idx on groups.household_task (user_id);

-- The ledger forgets those who are erased by itself.
create trigger keep_erased_out before insert on groups.household_task
    for each row when (new.user_id is not null)
    execute function groups.keep_erased_out('user_id', 'skip');
