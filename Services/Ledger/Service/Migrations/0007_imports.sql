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
    -- The rows that could not be read or are left out: line and reason.
    faults jsonb not null,
    -- Of a CSV file: the names of its columns, and which of them tells what.
    columns jsonb,
    mapping jsonb,
    -- The import whose mapping it was read by, where none was given.
    mapping_from uuid,
    -- Line and reason where the balances do not tie, and whether it is taken in all the same.
    balance_fault jsonb,
    accepts_balances boolean not null default false,
    -- The account's number as the file writes it, in capitals and digits.
    account_number text,
    -- The entry of the opening balance that came with it.
    opening_entry_id uuid,
    -- Why the last attempt of the worker was given up: a status of `post_batch_v1`.
    refusal text,
    version integer not null default 1,
    created_at timestamptz not null default now()
);
create index statement_import_work_idx on ledger.statement_import (created_at)
    where state in ('committing', 'withdrawing');
create index statement_import_preview_idx on ledger.statement_import (created_at)
    where state = 'preview';
create index statement_import_account_idx on ledger.statement_import (account_id)
    where account_number is not null;
-- By which an account's last mapping is found.
create index statement_import_mapping_idx on ledger.statement_import (account_id, created_at)
    where state = 'committed' and mapping is not null;

-- A CSV file's own bytes, for as long as it may be read in another way: until it is taken in.
create table ledger.import_file (
    import_id uuid not null references ledger.statement_import (id) on delete cascade,
    part integer not null,
    content bytea not null,
    primary key (import_id, part)
);
-- It stays for a week at most: packing it would cost more than writing it.
alter table ledger.import_file alter column content set storage external;

-- A row's fingerprint is what the bank says of it; equal rows of one file are told apart by their
-- number, so that true twins stay and the same file twice adds nothing. No reference to the import,
-- which would be looked up for each row: whoever deletes a preview deletes its rows after it, and
-- whoever writes rows holds it.
create table ledger.import_row (
    import_id uuid not null,
    place integer not null,
    line integer not null,
    day date not null,
    amount bigint not null,
    name text not null,
    description text,
    -- The other side's account number, and the payer's id of the payment.
    counterparty text,
    end_to_end text,
    fingerprint bytea not null,
    occurrence integer not null,
    is_duplicate boolean not null default false,
    is_included boolean not null default true,
    -- Suggested by a rule or chosen; «Others» without.
    category_id uuid,
    -- The own account's row that tells of the same money, unless that was declined.
    match_account uuid,
    match_import uuid,
    match_place integer,
    is_match_declined boolean not null default false,
    -- What stands on the account: whose identifier the row carries; what it looks like, the likest
    -- first; and which of these it is merged with.
    known_transaction uuid,
    look_alikes uuid[],
    merge_transaction uuid,
    primary key (import_id, place)
);

-- What each account has taken in: the key under which a row comes once.
create table ledger.imported_row (
    account_id uuid not null references ledger.account (id),
    fingerprint bytea not null,
    occurrence integer not null,
    import_id uuid not null references ledger.statement_import (id),
    place integer not null,
    day date not null,
    amount bigint not null,
    transaction_id uuid not null,
    -- Of a row that was merged with what stood there: the day that this had, and has again once the
    -- import is taken back.
    kept_day date,
    primary key (account_id, fingerprint, occurrence)
);
create index imported_row_merged_idx on ledger.imported_row (account_id, transaction_id)
    where kept_day is not null;
create unique index imported_row_import_id_idx on ledger.imported_row (import_id, place);
-- By which the same money is found in another account.
create index imported_row_amount_idx on ledger.imported_row (account_id, amount, day);

-- Rows of two own accounts that became one transfer: `import_id` and `place` name the row that came
-- later, the others the one that stood before and stands again when the later one goes.
create table ledger.import_match (
    import_id uuid not null,
    place integer not null,
    other_import_id uuid not null,
    other_place integer not null,
    transfer_id uuid not null,
    primary key (import_id, place)
);
create unique index import_match_other_key on ledger.import_match (other_import_id, other_place);

do $$
begin
    execute format(
        'grant select, insert, update, delete on ledger.statement_import, ledger.import_file, '
        'ledger.import_row, ledger.imported_row, ledger.import_match to %I',
        current_setting('ezwallet.service_role')
    );
end
$$;
