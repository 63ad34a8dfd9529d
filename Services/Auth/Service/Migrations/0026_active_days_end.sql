-- By which the last days are found that are too long ago to be kept.
create index active_day_day_idx on auth.active_day (day);
