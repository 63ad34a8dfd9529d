-- Places where transactions are put together, alone or with others. A transaction is in one folder
-- at most, by `money_transaction.folder_id`; a category brings all that is in it.
--
-- A link counts as long as the one in whose books the transaction is, is in the folder: so nothing
-- has to be undone where somebody leaves or a folder is deleted, and whoever comes back finds what
-- they had put in.

create table ledger.folder (
    id uuid primary key,
    user_id uuid not null,
    name text not null,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    deleted_at timestamptz,
    -- The last change of its name, of who is in it or of its categories, for those who catch up.
    xid xid8 not null default pg_current_xact_id()
);
create index folder_user_id_idx on ledger.folder (user_id, id);

-- Who is in it, its owner as well. Whoever is in it no more keeps a row with the moment when that
-- ended, for those who catch up on what has changed: access gained and lost.
create table ledger.folder_member (
    folder_id uuid not null references ledger.folder (id),
    user_id uuid not null,
    access text not null check (access in ('owner', 'write', 'read')),
    -- The invitation that brought them: accepted once, however often it is told.
    invitation_id uuid,
    joined_at timestamptz not null default now(),
    left_at timestamptz,
    xid xid8 not null default pg_current_xact_id(),
    primary key (folder_id, user_id),
    constraint folder_member_invited check ((access = 'owner') = (invitation_id is null))
);
create unique index folder_member_owner_key on ledger.folder_member (folder_id)
    where access = 'owner';
create index folder_member_user_id_idx on ledger.folder_member (user_id, folder_id);
create index folder_member_xid_idx on ledger.folder_member (user_id, xid, folder_id);

-- Categories, each of somebody who is in the folder.
create table ledger.folder_category (
    folder_id uuid not null references ledger.folder (id),
    category_id uuid not null,
    user_id uuid not null,
    primary key (folder_id, category_id)
);
create index folder_category_category_idx on ledger.folder_category (category_id);
create index folder_category_user_id_idx on ledger.folder_category (user_id);

create trigger keep_erased_out before insert on ledger.folder
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.folder_member
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.folder_category
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format('grant select, insert on ledger.folder, ledger.folder_member to %I', service);
    execute format(
        'grant update (name, version, deleted_at, xid) on ledger.folder to %I', service);
    execute format(
        'grant update (access, invitation_id, joined_at, left_at, xid) '
        'on ledger.folder_member to %I', service);
    execute format('grant select, insert, delete on ledger.folder_category to %I', service);
    execute format('grant select on ledger.folder, ledger.folder_member to %I', poster);
    execute format('grant update (name, deleted_at, xid) on ledger.folder to %I', poster);
    execute format('grant update (left_at, xid) on ledger.folder_member to %I', poster);
    execute format('grant select, delete on ledger.folder_category to %I', poster);
end
$$;
