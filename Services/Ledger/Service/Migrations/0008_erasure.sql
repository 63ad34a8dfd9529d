-- A person goes: the accounts are closed first, or nothing happens at all; then texts and names go
-- from beside the journal, whose movements stay. Whoever is gone is kept by id, so that nothing is
-- made for them any more.

create table ledger.erased_user (
    user_id uuid primary key,
    erased_at timestamptz not null,
    -- How far the erasure of texts has come, so that no try begins anew: first what stands, by day
    -- and id, then versions that ended, by id.
    texts_ended boolean not null default false,
    texts_day date,
    texts_id uuid,
    texts_done_at timestamptz
);

-- What was answered to each request to agree: it stands, however often and late the request comes.
create table ledger.erasure (
    id uuid primary key,
    user_id uuid not null,
    is_agreed boolean not null,
    decided_at timestamptz not null default clock_timestamp()
);
create index erasure_decided_at_idx on ledger.erasure (decided_at) where not is_agreed;

create function ledger.keep_erased_out() returns trigger
language plpgsql volatile
set search_path = ledger, pg_temp
as $function$
declare
    who constant uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
begin
    if who is null then return new; end if;
    perform pg_advisory_xact_lock_shared(hashtextextended(who::text, 4997));
    if not exists (select from erased_user where user_id = who) then return new; end if;
    if tg_argv[1] = 'skip' then return null; end if;
    raise exception using errcode = '23503', constraint = 'erased_user',
        message = 'the person is erased';
end
$function$;
create trigger keep_erased_out before insert on ledger.person
    for each row execute function ledger.keep_erased_out('user_id', 'skip');
create trigger keep_erased_out before insert on ledger.category
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.account
    for each row when (new.user_id is not null)
    execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.account_member
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.quote
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.deletion
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');
create trigger keep_erased_out before insert on ledger.statement_import
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');

-- Versions that were replaced or taken back; nothing else finds them by their owner. A row comes in
-- with the edit or deletion, so that recording and transferring cost what they did.
create index money_transaction_ended_idx on ledger.money_transaction (user_id, id, version)
    where reversed_by is not null;
create index statement_import_user_idx on ledger.statement_import (user_id);
create index quote_user_idx on ledger.quote (user_id);
create index deletion_user_idx on ledger.deletion (user_id);

-- Closes all accounts of a person at once, or none: no money may be in what holds money for them,
-- and none may be held. The balances' locks keep postings away meanwhile, as they do where a single
-- account is closed; the person's own lock keeps new accounts away.
create function ledger.agree_to_erasure_v1(wanted uuid, who uuid) returns boolean
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
declare
    verdict boolean;
begin
    -- Whoever finds an account in use comes again: behind a lock that is waited for, every posting
    -- to the accounts that are held already would wait, too.
    perform set_config('lock_timeout', '500ms', true);
    perform pg_advisory_xact_lock(hashtextextended(who::text, 4997));
    select is_agreed into verdict from erasure where id = wanted;
    if found then return verdict; end if;
    perform 1 from account
    where user_id = who and state <> 'closed' order by id for no key update;
    perform 1 from balance
    where account_id = any (array(select id from account where user_id = who))
    order by account_id for no key update;
    verdict := not exists (
        select from account
        join balance on balance.account_id = account.id
        where account.user_id = who and account.state <> 'closed'
            and (held <> 0 or (account.kind in ('current', 'deposit') and amount <> 0)
                or exists (
                    select from transfer_terms as held
                    where to_account = account.id and held.state = 'pending'
                        and expires_at is not null
                    limit 1))
    );
    insert into erasure (id, user_id, is_agreed) values (wanted, who, verdict);
    if verdict then
        insert into erased_user (user_id, erased_at) values (who, clock_timestamp())
        on conflict do nothing;
        update account
        set state = 'closed', closed_at = now(), version = version + 1, xid = pg_current_xact_id()
        where user_id = who and state <> 'closed';
    end if;
    return verdict;
end
$function$;

-- What names a person or was named by them, but for imports and the texts of transactions, of which
-- there may be any number.
create function ledger.erase_person_v1(who uuid, moment timestamptz) returns void
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
begin
    -- What is being written of them ends first.
    perform pg_advisory_xact_lock(hashtextextended(who::text, 4997));
    insert into erased_user (user_id, erased_at) values (who, moment) on conflict do nothing;
    insert into person (user_id, currency, time_zone, display_name, erased_at)
    values (who, 'EUR', 'UTC', '', moment)
    on conflict (user_id) do nothing;
    update person
    set display_name = '', currency = 'EUR', time_zone = 'UTC', language = 'en', month_start = 1,
        erased_at = coalesce(erased_at, moment)
    where user_id = who;
    update account set name = null, name_folded = null, icon = null, iban = null
    where user_id = who;
    -- Kept without a right: by it the lists of those who shared a wallet find what was recorded
    -- there.
    update account_member set left_at = moment, xid = pg_current_xact_id()
    where user_id = who and left_at is null;
    delete from allowance_payment
    where account_id = any (array(select account_id from allowance where user_id = who));
    delete from allowance where user_id = who;
    -- Those who share a wallet of theirs are told that it is gone.
    update account_member set left_at = moment, xid = pg_current_xact_id()
    where account_id = any (array(select id from account where user_id = who))
        and left_at is null;
    -- Those who are in a folder of theirs are told that it is gone. Each is locked before who is in
    -- it: whoever joins holds it, and is seen by what follows.
    perform 1 from folder
    where user_id = who or id = any (array(
        select folder_id from folder_member where user_id = who))
    order by id for no key update;
    delete from folder_category
    where user_id = who
        or folder_id = any (array(select id from folder where user_id = who));
    update folder_member set left_at = moment, xid = pg_current_xact_id()
    where left_at is null and (
        user_id = who or folder_id = any (array(select id from folder where user_id = who)));
    update folder
    set name = '', deleted_at = coalesce(deleted_at, moment), xid = pg_current_xact_id()
    where user_id = who;
    update folder set xid = pg_current_xact_id()
    where id = any (array(select folder_id from folder_member where user_id = who))
        and deleted_at is null;
    delete from quote where user_id = who;
    delete from deletion where user_id = who;
    delete from recurrence where user_id = who;
    delete from standing_order where user_id = who;
    -- Those who pay them are told that nobody is there any more.
    update standing_order set xid = pg_current_xact_id()
    where deleted_at is null
        and to_account = any (array(select id from account where user_id = who));
    delete from import_rule where user_id = who;
    delete from budget_allocation where user_id = who;
    delete from budget_allocation_gone where user_id = who;
    delete from budget_closing where user_id = who;
    delete from budget_spending where user_id = who;
    delete from budget_alert where user_id = who;
    delete from budget_touched where user_id = who;
    -- What the family has spent stays a sum of theirs, without whose it was.
    perform keep_household_spending_v1(who, family_id)
    from household_parent where user_id = who order by family_id;
    delete from household_parent where user_id = who;
    delete from category where user_id = who;
    delete from operation where actor_id = who;
end
$function$;

-- Some rows of a person's imports: whether there may be more.
create function ledger.erase_imports_v1(who uuid, most integer) returns boolean
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
declare
    ended uuid[];
begin
    delete from imported_row where ctid = any (array(
        select taken.ctid from statement_import
        join imported_row as taken on taken.import_id = statement_import.id
        where user_id = who limit most));
    if found then return true; end if;
    delete from import_row where ctid = any (array(
        select read.ctid from statement_import
        join import_row as read on read.import_id = statement_import.id
        where user_id = who limit most));
    if found then return true; end if;
    delete from import_match where import_id = any (array(
        select id from statement_import where user_id = who));
    with gone as (delete from statement_import where user_id = who returning id)
    select array_agg(id) into ended from gone;
    -- Who was writing rows of them meanwhile is done by now.
    delete from import_row where import_id = any (ended);
    return false;
end
$function$;

-- The texts of some transactions of a person, with those of transfers on the other side, where the
-- person is named and may have written: whether there may be more. By one of two indexes, in its
-- order; where it stands is kept with the person.
create function ledger.erase_texts_v1(who uuid, most integer) returns boolean
language plpgsql volatile security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $function$
declare
    stand erased_user;
    ids uuid[];
    days date[];
    transfers uuid[];
    from_id uuid;
    own constant uuid[] := array(select id from account where user_id = who);
begin
    select * into stand from erased_user where user_id = who for no key update;
    if not found or stand.texts_done_at is not null then return false; end if;
    from_id := coalesce(stand.texts_id, '00000000-0000-0000-0000-000000000000');
    if stand.texts_ended then
        select array_agg(id order by id), array_agg(day order by id),
            array_agg(distinct transfer_id) filter (where transfer_id is not null)
        into ids, days, transfers
        from (
            select distinct on (id) id, day, transfer_id from money_transaction
            where user_id = who and id > from_id and reversed_by is not null
            order by id limit most
        ) as found;
    else
        select array_agg(id order by day, id), array_agg(day order by day, id),
            array_agg(distinct transfer_id) filter (where transfer_id is not null)
        into ids, days, transfers
        from (
            select id, day, transfer_id from money_transaction
            where user_id = who and reversed_by is null
                and (day, id) > (coalesce(stand.texts_day, '-infinity'), from_id)
            order by day, id limit most
        ) as found;
    end if;
    if ids is null then
        update erased_user
        set texts_ended = true, texts_day = null, texts_id = null,
            texts_done_at = case when stand.texts_ended then clock_timestamp() end
        where user_id = who;
        return not stand.texts_ended;
    end if;
    -- An editor may have had a line of another's transfer in their books: that is not theirs.
    if transfers is not null then
        select array_agg(transfer.id) into transfers
        from transfer
        where transfer.id = any (transfers) and exists (
            select from account
            where account.id in (from_account, to_account) and account.user_id = who);
    end if;
    if transfers is not null then
        -- Whoever writes the next version of a line read the last under this lock: none that was
        -- read with the name is written after it is gone.
        perform 1 from balance
        where account_id = any (array(
            select unnest(array[from_account, to_account]) from transfer
            where id = any (transfers)))
        order by account_id for no key update;
    end if;
    -- Of these the versions in their books or on their accounts alone: in another's wallet somebody
    -- may have taken it over. Whoever is left there and follows changes is told.
    with gone as (
        update money_transaction
        set name = null, description = null, tags = '{}', latitude = null, longitude = null,
            place = null, salt = null
        -- A line whose other side went before has no salt any more, and words all the same.
        where id = any (ids) and (user_id = who or account_id = any (own))
            and (salt is not null or name is not null or description is not null
                or place is not null or latitude is not null or tags <> '{}')
        returning account_id, id
    )
    insert into changed (account_id, id)
    select distinct account_id, id from gone where account_id <> all (own)
    on conflict do nothing;
    -- Nobody repeats what was asked.
    update entry set request_hash = null
    where request_hash is not null and id = any (array(
        select entry_id from money_transaction where id = any (ids) and user_id = who))
        and actor_id = who;
    -- Found by the words of the version that stands.
    delete from transaction_tag where transaction_id = any (ids) and not exists (
        select from money_transaction as kept
        where kept.id = transaction_id and kept.reversed_by is null
            and kept.user_id <> who and kept.account_id <> all (own)
        offset 0);
    delete from transaction_search where transaction_id = any (ids) and not exists (
        select from money_transaction as kept
        where kept.id = transaction_id and kept.reversed_by is null
            and kept.user_id <> who and kept.account_id <> all (own)
        offset 0);
    if transfers is not null then
        -- The other's own line stays; who it was with, and what they wrote, goes.
        with told as (
            update money_transaction as line
            set name = 'Deleted user', salt = null,
                description = case when side.is_payer then null else line.description end
            from (
                select case when account.user_id = who then to_transaction
                    else from_transaction end as other, account.user_id = who as is_payer
                from transfer
                join account on account.id = transfer.from_account
                where transfer.id = any (transfers)
            ) as side
            where line.id = side.other and line.user_id <> who
                and (line.name is distinct from 'Deleted user'
                    or side.is_payer and line.description is not null)
            returning line.account_id, line.id
        ), dropped as (
            -- Sums of ended months have the name, too; they are made anew (0031_report_sums.sql).
            delete from report_closing where account_id in (select account_id from told)
        )
        insert into changed (account_id, id)
        select distinct account_id, id from told
        on conflict do nothing;
        -- The words that were taken up name the person, too.
        delete from transaction_search where transaction_id = any (array(
            select unnest(array[from_transaction, to_transaction]) from transfer
            where id = any (transfers)));
        update transfer_terms set reference = null, salt = null
        where id = any (transfers) and reference is not null
            and (select user_id from account where account.id = from_account) = who;
    end if;
    update erased_user
    set texts_id = ids[cardinality(ids)],
        texts_day = case when not stand.texts_ended then days[cardinality(days)] end
    where user_id = who;
    return true;
end
$function$;

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
    signature text;
begin
    execute format('grant select on ledger.erased_user to %I', service);
    execute format('grant select, delete on ledger.erasure to %I', service);
    execute format(
        'grant select, insert on ledger.erased_user, ledger.erasure to %I', poster);
    execute format('grant update on ledger.erased_user to %I', poster);
    execute format('grant select, insert, update on ledger.person to %I', poster);
    execute format(
        'grant update (name, name_folded, icon, iban) on ledger.account to %I', poster);
    execute format('grant update (left_at, xid) on ledger.account_member to %I', poster);
    execute format(
        'grant select, delete on ledger.account_member, ledger.imported_row, ledger.import_row, '
        'ledger.import_match, ledger.statement_import, ledger.quote, ledger.deletion, '
        'ledger.category to %I', poster);
    execute format(
        'grant update (name, description, tags, latitude, longitude, place, salt) '
        'on ledger.money_transaction to %I', poster);
    execute format('grant update (reference, salt) on ledger.transfer_terms to %I', poster);
    execute format('grant create on schema ledger to %I', poster);
    foreach signature in array array[
        'ledger.agree_to_erasure_v1(uuid, uuid)',
        'ledger.erase_person_v1(uuid, timestamptz)',
        'ledger.erase_imports_v1(uuid, integer)',
        'ledger.erase_texts_v1(uuid, integer)'
    ] loop
        execute format('revoke all on function %s from public', signature);
        execute format('alter function %s owner to %I', signature, poster);
        execute format('grant execute on function %s to %I', signature, service);
    end loop;
    execute format('revoke create on schema ledger from %I', poster);
end
$$;
