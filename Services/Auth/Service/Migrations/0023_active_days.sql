-- The last day, in UTC, on which somebody has signed in or refreshed a session: whichever call
-- writes it anew tells of that day (`user.active`), one a person and day. It is no column of
-- auth.user_account, whose row every log-in shares and a change of the profile takes.
create table auth.active_day (
    user_id uuid primary key references auth.user_account (id) on delete cascade,
    day date not null
);
