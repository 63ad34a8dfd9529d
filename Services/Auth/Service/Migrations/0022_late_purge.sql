-- Looked at once more, ten minutes after somebody was erased: what another replica was telling of
-- them meanwhile has arrived by then. The row is made with the end of the erasure, whose receipt
-- does not wait for it, and goes once all is clean. Whoever takes it has it until `due_at`; `tries`
-- tells its turns apart.
create table auth.late_purge (
    erasure_id uuid primary key references auth.erasure (id) on delete cascade,
    due_at timestamptz not null default now() + interval '10 minutes',
    tries integer not null default 0
);
create index late_purge_due_idx on auth.late_purge (due_at);

insert into auth.late_purge (erasure_id)
select id from auth.erasure where stage = 4;
