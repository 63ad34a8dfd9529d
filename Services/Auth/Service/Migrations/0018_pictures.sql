-- Pictures of people: what was rendered of them, in two sizes; what was uploaded is not kept.
create table auth.picture (
    user_id uuid primary key references auth.user_account (id) on delete cascade,
    large bytea not null check (length(large) <= 1048576),
    small bytea not null check (length(small) <= 65536),
    -- Names these bytes for as long as they are there.
    tag text not null,
    changed_at timestamptz not null default now()
);
