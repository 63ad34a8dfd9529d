-- Receipts: pictures and PDFs of transactions, in pieces. A file comes in piece by piece, each
-- committed by itself, so that no transaction waits for a slow sender; its row makes it one, and
-- pieces without one are swept. No money here: the service writes these tables itself.

create table ledger.attachment (
    id uuid primary key,
    -- The transaction, whatever its version.
    transaction_id uuid not null,
    user_id uuid not null,
    -- Empty once it is deleted.
    name text not null check (length(name) <= 200),
    media_type text not null,
    size bigint not null check (size > 0),
    sha256 bytea not null check (length(sha256) = 32),
    created_at timestamptz not null default clock_timestamp(),
    deleted_at timestamptz,
    -- The last that changed it, for whoever follows changes.
    xid xid8 not null default pg_current_xact_id()
);
create index attachment_transaction_idx on ledger.attachment (transaction_id, id)
    where deleted_at is null;
create index attachment_user_idx on ledger.attachment (user_id, id);
create index attachment_xid_idx on ledger.attachment (user_id, xid, id);

-- A file that is still coming in: of no use once its time is over.
create table ledger.attachment_upload (
    id uuid primary key,
    user_id uuid not null,
    started_at timestamptz not null default clock_timestamp()
);
create index attachment_upload_started_at_idx on ledger.attachment_upload (started_at);
create index attachment_upload_user_idx on ledger.attachment_upload (user_id);

create table ledger.attachment_chunk (
    attachment_id uuid not null,
    place integer not null,
    user_id uuid not null,
    bytes bytea not null,
    primary key (attachment_id, place)
);
create index attachment_chunk_user_idx on ledger.attachment_chunk (user_id);
-- Pictures and PDFs are compressed already.
alter table ledger.attachment_chunk alter column bytes set storage external;

-- What a person's attachments take; its row is locked by whoever adds or removes one.
create table ledger.attachment_usage (
    user_id uuid primary key,
    bytes bigint not null default 0 check (bytes >= 0)
) with (fillfactor = 60);

create trigger keep_erased_out before insert on ledger.attachment
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.attachment_upload
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.attachment_usage
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');

-- By the same lock and the same answer as for the others, without a JSON of all the bytes.
create function ledger.keep_erased_chunk_out() returns trigger
language plpgsql volatile
set search_path = ledger, pg_temp
as $function$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(new.user_id::text, 4997));
    if not exists (select from erased_user where user_id = new.user_id) then return new; end if;
    raise exception using errcode = '23503', constraint = 'erased_user',
        message = 'the person is erased';
end
$function$;
create trigger keep_erased_out before insert on ledger.attachment_chunk
    for each row execute function ledger.keep_erased_chunk_out();

do $$
begin
    execute format(
        'grant select, insert, update, delete on ledger.attachment, ledger.attachment_upload, '
        'ledger.attachment_chunk, ledger.attachment_usage to %I',
        current_setting('ezwallet.service_role')
    );
end
$$;
