-- Receipts: pictures and PDFs of expenses, in pieces, as the ledger has those of transactions. A file
-- comes in piece by piece, each committed by itself; its row makes it one, and pieces without one are
-- swept. It is the group's to read and to take away, and in the space of who added it, too; with them
-- it is erased.

create table groups.expense_attachment (
    group_id uuid not null,
    expense_id uuid not null,
    id uuid not null,
    -- Who added it: their place, and themselves, who may have left it.
    member_id uuid not null,
    user_id uuid not null,
    -- An expense has ten at most.
    number smallint not null check (number between 1 and 10),
    name text not null check (char_length(name) between 1 and 200),
    media_type text not null check (
        media_type in ('image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/heic',
            'image/avif', 'application/pdf')
    ),
    size bigint not null check (size between 1 and 10485760),
    sha256 bytea not null check (length(sha256) = 32),
    created_at timestamptz not null default clock_timestamp(),
    primary key (group_id, expense_id, id),
    unique (group_id, expense_id, number),
    foreign key (group_id, expense_id) references groups.expense (group_id, id) on delete cascade,
    foreign key (group_id, member_id) references groups.member (group_id, id)
);
-- Somebody's own, for their export and their erasure.
create index expense_attachment_user_idx on groups.expense_attachment (user_id, id);

-- A file that is still coming in, or of which only the pieces are left: nobody's then.
create table groups.attachment_upload (
    id uuid primary key,
    user_id uuid,
    started_at timestamptz not null default clock_timestamp()
);
create index attachment_upload_started_at_idx on groups.attachment_upload (started_at);
create index attachment_upload_user_idx on groups.attachment_upload (user_id);

create table groups.attachment_chunk (
    attachment_id uuid not null,
    place integer not null check (place between 0 and 39),
    user_id uuid not null,
    bytes bytea not null check (length(bytes) between 1 and 262144),
    primary key (attachment_id, place)
);
create index attachment_chunk_user_idx on groups.attachment_chunk (user_id);
-- Pictures and PDFs are compressed already.
alter table groups.attachment_chunk alter column bytes set storage external;

-- What a person's attachments take, in all groups; its row is locked after that of the group.
create table groups.attachment_usage (
    user_id uuid primary key,
    bytes bigint not null default 0 check (bytes >= 0)
) with (fillfactor = 60);

-- What a group's attachments take; changed under the group's lock, as all of it.
alter table groups.expense_group add column attachment_bytes bigint not null default 0
    check (attachment_bytes >= 0);

-- However a row goes, with its expense, its group or alone, the space is free again, and whoever
-- sweeps finds the pieces.
create function groups.release_attachments() returns trigger
language plpgsql set search_path = groups, pg_temp as $function$
begin
    if not exists (select from gone) then return null; end if;
    update expense_group
    set attachment_bytes = attachment_bytes - freed.bytes
    from (select group_id, sum(size) as bytes from gone group by group_id) as freed
    where id = freed.group_id;
    -- In one order, whoever else does.
    perform from attachment_usage
    where user_id = any (array(select user_id from gone))
    order by user_id
    for no key update;
    update attachment_usage as used
    set bytes = used.bytes - freed.bytes
    from (select user_id, sum(size) as bytes from gone group by user_id) as freed
    where used.user_id = freed.user_id;
    insert into attachment_upload (id, started_at)
    select id, '-infinity' from gone
    on conflict do nothing;
    return null;
end
$function$;
create trigger release_attachments
    after delete on groups.expense_attachment
    referencing old table as gone
    for each statement execute function groups.release_attachments();

-- The other rows are written under the lock of a group that the person is in, which an erasure takes.
create trigger keep_erased_out before insert on groups.attachment_upload
    for each row when (new.user_id is not null)
    execute function groups.keep_erased_out('user_id', 'refuse');
