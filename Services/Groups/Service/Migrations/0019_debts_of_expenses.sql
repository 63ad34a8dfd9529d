-- By expense first: with the group first, a planner whose figures are older than an import took this
-- one backwards for each debt that is explained, over all of the group's newest expenses, instead of
-- the key, which has the debtor and the creditor before the expense (20 s for 5,000 debts).
drop index groups.expense_debt_expense_idx;
create index expense_debt_expense_idx on groups.expense_debt (expense_id, group_id);
