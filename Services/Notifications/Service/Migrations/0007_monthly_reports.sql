-- Who may read everybody's figures is told once a month that they are there. Whoever had the role
-- before this column was there is known with the next event of theirs.

alter table notifications.person add column reads_insights boolean not null default false;

create index person_reads_insights_idx on notifications.person (user_id) where reads_insights;
