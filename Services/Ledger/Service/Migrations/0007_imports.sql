-- Bank statements: read into rows first, taken in as a whole by a worker, or taken back as one.

create table ledger.statement_import (
    id uuid primary key,
    user_id uuid not null,
    account_id uuid not null references ledger.account (id),
    state text not null default 'preview'
        check (state in ('preview', 'committing', 'committed', 'withdrawing', 'withdrawn')),
    format text not null,
    -- Minor units of the account's currency; the opening is what makes the closing tie.
    opening bigint,
    closing bigint,
    from_day date,
    to_day date,
    row_count integer not null,
    duplicate_count integer not null,
    -- The rows that could not be read: line and reason.
    faults jsonb not null,
    -- The entry of the opening balance that came with it.
    opening_entry_id uuid,
    -- Why the last attempt of the worker was given up: a status of `post_batch_v1`.
    refusal text,
    created_at timestamptz not null default now()
);
create index statement_import_work_idx on ledger.statement_import (created_at)
    where state in ('committing', 'withdrawing');
create index statement_import_preview_idx on ledger.statement_import (created_at)
    where state = 'preview';

-- A row's fingerprint is what the bank says of it; equal rows of one file are told apart by their
-- number, so that true twins stay and the same file twice adds nothing.
create table ledger.import_row (
    import_id uuid not null references ledger.statement_import (id) on delete cascade,
    place integer not null,
    line integer not null,
    day date not null,
    amount bigint not null,
    name text not null,
    description text,
    fingerprint bytea not null,
    occurrence integer not null,
    is_duplicate boolean not null default false,
    primary key (import_id, place)
);

-- What each account has taken in: the key under which a row comes once.
create table ledger.imported_row (
    account_id uuid not null references ledger.account (id),
    fingerprint bytea not null,
    occurrence integer not null,
    import_id uuid not null references ledger.statement_import (id),
    place integer not null,
    primary key (account_id, fingerprint, occurrence)
);
create index imported_row_import_id_idx on ledger.imported_row (import_id, place);

do $$
begin
    execute format(
        'grant select, insert, update, delete on ledger.statement_import, ledger.import_row, '
        'ledger.imported_row to %I',
        current_setting('ezwallet.service_role')
    );
end
$$;
