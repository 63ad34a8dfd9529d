-- Of files it counts that somebody took some in or out by a format on a day, not how many: so a
-- figure is not mostly one person's who takes a statement out every hour, and of nobody there are
-- more rows than formats and days.
delete from analytics.file_use f
using analytics.file_use o
where o.user_id = f.user_id and o.day = f.day and o.kind = f.kind and o.format = f.format
    and o.id < f.id;
alter table analytics.file_use drop column id;
alter table analytics.file_use add primary key (user_id, day, kind, format);

-- In analytics.usage_cell a person is of one format from now on, `several` if they took files of
-- more than one: formats with people in common told who is not in one of them (of twenty people
-- nineteen by CSV). What was told so is told no more, nor how many files there were.
delete from analytics.usage_cell where kind in ('imports', 'exports');
