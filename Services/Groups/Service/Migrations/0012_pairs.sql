-- What two people share without having named it: one group a pair, which each sees by the other's
-- name. Once it is named, or one of the two goes, it is a group as any other.
alter table groups.expense_group add column pair_low uuid;
alter table groups.expense_group add column pair_high uuid;
alter table groups.expense_group
    add constraint expense_group_pair_key unique (pair_low, pair_high);
alter table groups.expense_group add check ((pair_low is null) = (pair_high is null));
alter table groups.expense_group add check (pair_low < pair_high);
alter table groups.expense_group add check (pair_low is null or personal_of is null);
-- How many somebody began within a day: nobody else has to agree.
create index expense_group_created_by_idx on groups.expense_group (created_by, created_at);
create index expense_group_pair_high_idx on groups.expense_group (pair_high)
    where pair_high is not null;
