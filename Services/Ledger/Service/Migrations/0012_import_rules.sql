-- What a person wants rows of statements to be: the first rule that fits names the category.

create table ledger.import_rule (
    id uuid primary key,
    user_id uuid not null references ledger.person (user_id),
    -- Lower ones are asked first; those of one priority in the order of their ids.
    priority integer not null,
    field text not null check (field in ('name', 'description', 'both')),
    operator text not null check (operator in ('contains', 'equals', 'startsWith')),
    pattern text,
    -- NFKC_Casefold, as rows are compared.
    pattern_folded text,
    account_id uuid references ledger.account (id),
    direction text check (direction in ('in', 'out')),
    category_id uuid not null,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    -- What is deleted is kept without its text, to be told of.
    deleted_at timestamptz,
    xid xid8 not null default pg_current_xact_id(),
    constraint import_rule_pattern check ((pattern is null) = (deleted_at is not null))
);
create index import_rule_user_id_idx on ledger.import_rule (user_id, priority, id)
    where deleted_at is null;
create index import_rule_xid_idx on ledger.import_rule (user_id, xid, id);

create trigger keep_erased_out before insert on ledger.import_rule
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format(
        'grant select, insert, update on ledger.import_rule to %I', service);
    execute format('grant select, delete on ledger.import_rule to %I', poster);
end
$$;
