-- When limits are looked at without an expense, and indexes for what counts and filters by person.

-- A period that begins with more in it than its limit, by expenses dated ahead, is told of when it
-- begins. The day is that of the next period, the instant when it begins where the limit was set;
-- of a limit that never begins anew, or never again, neither. The default has what a service of
-- before this column writes looked at once, and so scheduled.
alter table groups.threshold
    add column next_start date,
    add column next_check_at timestamptz default now();
-- Nobody's expense crosses such a limit.
alter table groups.threshold_crossing alter column expense_id drop not null;
create index threshold_next_check_idx on groups.threshold (next_check_at)
    where next_check_at is not null;

-- How many somebody has invited lately.
create index invitation_inviter_idx on groups.invitation (invited_by, created_at);
-- Somebody's export walks their own, and not everybody's behind an id.
create index invitation_inviter_id_idx on groups.invitation (invited_by, id);
drop index groups.invitation_invited_by_idx;

-- The expenses that a member wrote down, in the order of the list.
create index expense_mine_idx on groups.expense (group_id, added_by, day desc, id desc)
    where removed_at is null;
