-- What is asked for children's accounts has a number, which is higher for what was noted later of one
-- child: whoever asks late, and has been overtaken, changes nothing.
alter table ledger.allowance add column opened_by bigint not null default 0;
