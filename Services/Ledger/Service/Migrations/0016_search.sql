-- Words of transactions, taken up by a worker behind the writes: the posting path knows nothing of
-- them. Each word has the end of its owner's id before it, so that one index serves everybody, and
-- a person's words that begin alike lie side by side.

create table ledger.transaction_search (
    transaction_id uuid primary key,
    -- Of the version that was taken up: another one is found once it was, too.
    version integer not null,
    user_id uuid not null,
    words tsvector not null
);
create index transaction_search_words_idx on ledger.transaction_search using gin (words);

-- How far the worker is: everything up to this place of the journal.
create table ledger.search_state (
    is_only boolean primary key default true check (is_only),
    mark bigint not null default 0
);
insert into ledger.search_state default values;

-- As `keep_erased_out`, but once a statement: this is behind every write, and a look for each row
-- cost more than the row.
create function ledger.take_erased_out() returns trigger
language plpgsql volatile
set search_path = ledger, pg_temp
as $function$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(user_id::text, 4997))
    from (select distinct user_id from fresh order by user_id) as owner;
    -- Its own statement: it sees who was erased while it waited.
    delete from transaction_search
    where transaction_id = any (array(
        select transaction_id from fresh
        where exists (select from erased_user where erased_user.user_id = fresh.user_id)
    ));
    return null;
end
$function$;
create trigger take_erased_out after insert on ledger.transaction_search
    referencing new table as fresh
    for each statement execute function ledger.take_erased_out();

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format(
        'grant select, insert, update, delete on ledger.transaction_search to %I', service);
    execute format('grant select, update on ledger.search_state to %I', service);
    execute format('grant select, delete on ledger.transaction_search to %I', poster);
end
$$;
