-- An answer is made of what is told, and of nothing else: so no row says that somebody is there of whom
-- nothing may be told. A month that waited for people enough had a row that withheld each sum over
-- several months, and went when whoever it was took their booking back; a cell that was not told
-- withheld the sum that it was in, where one that nobody is in does not.

delete from analytics.month_cube where release is null;
alter table analytics.month_cube alter column release set not null;

delete from analytics.cell where not is_told;
alter table analytics.cell drop column is_told;
