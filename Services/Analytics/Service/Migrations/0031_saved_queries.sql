-- Queries for everybody's figures that somebody has kept to ask them again. They say what is asked,
-- and nothing of an answer. They are in no feed of changes: that is of the ledger, which who is
-- `coo` alone has none of, and no client has them offline.

create table analytics.saved_query (
    user_id uuid not null,
    id uuid not null,
    name text not null,
    -- NFKC_Casefold, so that two names that read alike are one.
    name_folded text not null,
    -- The body as the API writes it; it is judged anew when it is asked.
    query text not null constraint saved_query_size check (octet_length(query) <= 16384),
    version integer not null default 1,
    created_at timestamptz not null default now(),
    changed_at timestamptz not null default now(),
    constraint saved_query_pkey primary key (user_id, id),
    constraint saved_query_name_key unique (user_id, name_folded)
);
create trigger keep_erased_out before insert on analytics.saved_query
    for each row execute function analytics.keep_erased_out('user_id', 'refuse');
