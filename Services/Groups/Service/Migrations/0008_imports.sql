-- Other apps' exports: read into a preview, whose file stays until it is taken in, and taken into
-- the group as a whole or not at all.

create table groups.group_import (
    id uuid primary key,
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    -- Who sent it, and alone sees it.
    user_id uuid not null,
    state text not null default 'preview' check (state in ('preview', 'committed')),
    format text not null check (format in ('splitwise', 'tricount')),
    -- Whom the file names, and who that is in the group.
    people json not null,
    -- What was read: counts, faults and balances.
    summary json not null,
    duplicate_count integer not null check (duplicate_count >= 0),
    leaves_out_errors boolean not null default false,
    -- The file itself: what is taken in is read from it again.
    content bytea,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    check ((state = 'preview') = (content is not null))
);
-- It stays for a day at most: packing it would cost more than writing it.
alter table groups.group_import alter column content set storage external;
create index group_import_user_idx on groups.group_import (user_id, id);
create index group_import_group_idx on groups.group_import (group_id);
create index group_import_created_at_idx on groups.group_import (created_at);

-- What a group has taken in: the key under which a row of a file comes once. Equal rows of one file
-- are told apart by their number, so that true twins stay and the same file twice adds nothing.
create table groups.imported_row (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    fingerprint bytea not null check (octet_length(fingerprint) = 16),
    occurrence integer not null check (occurrence >= 0),
    -- What it became: an expense, or settlements beginning with this one.
    expense_id uuid,
    settlement_id uuid,
    primary key (group_id, fingerprint, occurrence),
    check (num_nonnulls(expense_id, settlement_id) = 1)
);

create trigger keep_erased_out before insert on groups.group_import
    for each row execute function groups.keep_erased_out('user_id', 'refuse');
