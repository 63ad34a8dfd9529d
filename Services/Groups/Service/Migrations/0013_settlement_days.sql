-- On which day a debt was paid: whoever writes it down may do so later, and so do other apps' exports.
alter table groups.settlement add column day date;
update groups.settlement set day = (created_at at time zone 'UTC')::date;
alter table groups.settlement alter column day set not null;
