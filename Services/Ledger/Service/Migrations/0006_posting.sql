-- The one way to move money. Every outcome is a status of its element, never an exception, so that
-- a bad element harms no neighbour; only what is wrong with the call itself raises.
--
-- An element (JSON object; amounts in minor units, hashes in hexadecimal):
--   kind            record, transfer, opening, reversal or reclassification (the category alone)
--   scope, key, hash   the operation: on each element that stands alone, and on a chain's first
--   chain           elements in a row with one number: all of them or none, under the first's key
--   actor           who asks, checked against the account again; or asService: true
--   account         the account; of a transfer, the one debited
--   counter         of a transfer, and of a transfer's reversal, the other account
--   counterIsOwn    whether it must be the same owner's; then the accounts' names stand where
--                   name and counterName are left out
--   amount, currency   signed for record and opening, positive for transfer
--   quote           a transfer's quote, which holds both amounts or lets amount and counterAmount
--                   say them; across currencies there is no transfer without
--   entry, transaction, version, transfer, counterTransaction   ids that the service made
--   import          the import that brings it
--   reverses        an opening's entry, for a reversal without a transaction
--   day, name, counterName, description, reference
--   category        «Others» where there is none, as in a transfer's other account
--
-- The order of checks, the first that fails being the status:
--    1. busy                an account is locked by another: nothing was done, the key is free
--    2. key-reused          the key stands for a different request (a replay gives its old status)
--    3. chain-failed        another element of the chain was refused
--    4. invalid-element     what the kind needs is not there
--    5. account-not-found, counter-not-found, same-account, transaction-not-found,
--       transaction-exists
--    6. forbidden           the actor may not, or nobody is named; then category-not-found, so that
--                           nobody learns of an account by its owner's categories
--    7. invalid-amount, currency-mismatch, quote-not-found, quote-mismatch, quote-used,
--       quote-expired, amount-too-small
--    8. account-closed, account-frozen, account-kind, account-not-empty
--    9. overflow            a balance would leave 64 bits
--   10. insufficient-funds  an account that may not would fall below what is held
set local search_path = ledger, pg_temp;

create type ended_version as (id uuid, version integer, entry_id uuid);

-- `waits` is the second lane: it waits up to 1 s for accounts that the first found busy.
create function post_batch_v1(
    elements jsonb, moment timestamptz, waits boolean default false, trace text default null
) returns table (
    place integer, status text, replayed boolean,
    entry_id uuid, transaction_id uuid, transfer_id uuid
)
language plpgsql volatile security definer
set search_path = ledger, pg_temp
-- Every statement is a look-up by an index, whatever the parameters: planning them again at each
-- call cost more than running them, and a plan made while the tables were empty may not scan them.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
#variable_conflict use_column
declare
    maximum constant bigint := 9223372036854775807;
    call constant uuid := gen_random_uuid();
    -- Accounts of the call, sorted by id, so that a binary search finds them; parallel arrays.
    ids uuid[]; users uuid[]; kinds text[]; currencies text[]; exponents smallint[];
    states text[]; names text[]; amounts bigint[]; helds bigint[]; sequences bigint[];
    wanted uuid[]; had uuid[];
    -- What is to be written.
    entries entry[] := '{}'; movements movement[] := '{}'; details money_transaction[] := '{}';
    transfers transfer[] := '{}';
    -- What is told: each of `details` as posted, each of `gone` as reversed, in which order.
    gone money_transaction[] := '{}'; posted_order integer[] := '{}'; gone_order integer[] := '{}';
    told integer := 0;
    -- Outcomes by place.
    statuses text[]; replays boolean[]; outcome_entries uuid[]; outcome_transactions uuid[];
    outcome_transfers uuid[]; claimed_places integer[] := '{}';
    -- What elements before this one did to things other than balances.
    taken_back uuid[] := '{}'; ended ended_version[] := '{}';
    quotes_used uuid[] := '{}';
    -- Categories that are named, and everybody's «Others»; each sorted for a binary search.
    label_ids uuid[]; label_users uuid[]; label_coicops text[];
    other_users uuid[]; other_ids uuid[]; other_coicops text[];
    label uuid; label_coicop text; counter_label uuid; counter_coicop text;
    -- System accounts by kind and currency: `outside EUR`.
    system_names text[]; system_ids uuid[]; system uuid;
    -- Whether all keys are new, and if not, each element's.
    fresh boolean; keys text[] := '{}';
    -- As all was before the element or its chain.
    old_amounts bigint[]; old_sequences bigint[]; old_counts integer[];
    chain_number integer; chain_start integer; chain_status text; chain_replay boolean;
    starts boolean; e record; quoted quote; taken money_transaction;
    verdict text; a integer; b integer; i integer; n integer;
    sources uuid[]; targets uuid[]; units bigint[]; coins text[]; from_seq bigint; to_seq bigint;
    touched integer[]; debit bigint; credit bigint; moved integer; own boolean;
    detail money_transaction;
    -- The verdict that stands under a chain's key, by the place of its first.
    kept text[];
    drawn_aggregates text[]; drawn_sequences bigint[];
    scales constant numeric[] := array[1, 0.1, 0.01, 0.001, 0.0001];
    recorded constant text :=
        to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
begin
    n := jsonb_array_length(elements);
    if n = 0 then return; end if;
    statuses := array_fill(null::text, array[n]);
    kept := statuses;
    replays := array_fill(false, array[n]);
    outcome_entries := array_fill(null::uuid, array[n]);
    outcome_transactions := outcome_entries;
    outcome_transfers := outcome_entries;

    select array_agg(distinct id order by id) into wanted
    from (
        select (element ->> 'account')::uuid as id from jsonb_array_elements(elements) as element
        union all
        select (element ->> 'counter')::uuid from jsonb_array_elements(elements) as element
    ) as named
    where id is not null;

    -- 1. Lock. No key update: inserts that refer to the account go on. All that is locked or
    -- referred to was made with the account (account_made): a row that this call made would hold up
    -- every other call that needs it, for as long as the transaction lasts.
    if waits then
        perform set_config('lock_timeout', '1s', true);
        select array_agg(account_id) into had from (
            select account_id from balance where account_id = any (wanted)
            order by account_id for no key update
        ) as held;
    else
        select array_agg(account_id) into had from (
            select account_id from balance where account_id = any (wanted)
            order by account_id for no key update skip locked
        ) as held;
    end if;
    had := coalesce(had, '{}');
    select array_agg(kind || ' ' || currency), array_agg(id) into system_names, system_ids
    from account where user_id is null;
    select array_agg(id), array_agg(user_id), array_agg(kind), array_agg(currency),
        array_agg(exponent), array_agg(state), array_agg(name), array_agg(amount),
        array_agg(held), array_agg(sequence)
    into ids, users, kinds, currencies, exponents, states, names, amounts, helds, sequences
    from (
        select account.id, account.user_id, account.kind, account.currency, account.exponent,
            account.state, account.name, balance.amount, balance.held, balance.sequence
        from account join balance on balance.account_id = account.id
        where account.id = any (wanted) and balance.account_id = any (wanted)
        order by account.id
    ) as known;
    ids := coalesce(ids, '{}');
    select array_agg(id order by id), array_agg(user_id order by id), array_agg(coicop order by id)
    into label_ids, label_users, label_coicops
    from category
    where id = any (array(
        select (element ->> 'category')::uuid from jsonb_array_elements(elements) as element
    )) and deleted_at is null;
    select array_agg(user_id order by user_id), array_agg(id order by user_id),
        array_agg(coicop order by user_id)
    into other_users, other_ids, other_coicops
    from category where user_id = any (users) and is_default;
    label_ids := coalesce(label_ids, '{}');
    other_users := coalesce(other_users, '{}');

    -- A chain is busy as a whole, or its part that is not would be posted alone.
    if cardinality(had) < cardinality(ids) then
        for e in
            select (min(at) over chains)::integer as first, at::integer as at,
                bool_or(
                    ((element ->> 'account')::uuid = any (ids)
                        and not (element ->> 'account')::uuid = any (had))
                    or ((element ->> 'counter')::uuid = any (ids)
                        and not (element ->> 'counter')::uuid = any (had))
                ) over chains as busy
            from jsonb_array_elements(elements) with ordinality as list (element, at)
            window chains as (partition by coalesce(element ->> 'chain', 'alone ' || at))
        loop
            if e.busy then statuses[e.at] := 'busy'; end if;
        end loop;
    end if;

    -- 2. Claim the keys, sorted: in any other order two calls wait for each other.
    with asked as (
        select element ->> 'scope' as scope, element ->> 'key' as key,
            decode(element ->> 'hash', 'hex') as hash, (element ->> 'entry')::uuid as entry,
            (element ->> 'transaction')::uuid as transaction,
            (element ->> 'transfer')::uuid as transfer, at
        from jsonb_array_elements(elements) with ordinality as list (element, at)
        where element ->> 'scope' is not null and element ->> 'key' is not null
            and element ->> 'hash' <> '' and statuses[at] is null
    ), claims as (
        insert into operation
            (scope, key, request_hash, call_id, status, entry_id, transaction_id, transfer_id)
        select distinct on (scope, key)
            scope, key, hash, call, 'posted', entry, transaction, transfer
        from asked
        order by scope, key, at
        on conflict do nothing
        returning 1
    )
    select (select count(*) from claims) = (select count(*) from asked) into fresh;
    if not fresh then
        select array_agg(case when statuses[at] is null
            then (element ->> 'scope') || chr(10) || (element ->> 'key') end order by at)
        into keys
        from jsonb_array_elements(elements) with ordinality as list (element, at);
    end if;

    -- 3. and 4. Read the outcomes that were there (a new statement, so that it sees a neighbour's
    -- that was waited for above) and decide in the order of arrival.
    for e in
        select list.at::integer as at, x.*, op.call_id, op.status as old_status,
            encode(op.request_hash, 'hex') as old_hash, op.entry_id as old_entry,
            op.transaction_id as old_transaction, op.transfer_id as old_transfer,
            versions.current, versions.latest,
            case when fresh then list.at::integer else array_position(keys, keys[list.at]) end
                as first_place
        from jsonb_array_elements(elements) with ordinality as list (element, at)
        cross join lateral jsonb_to_record(list.element) as x (
            kind text, scope text, key text, hash text, chain integer, actor uuid,
            "asService" boolean, account uuid, counter uuid, "counterIsOwn" boolean,
            amount bigint, currency text, quote uuid, entry uuid, transaction uuid,
            version integer, transfer uuid, "counterTransaction" uuid, "counterAmount" bigint,
            day date, category uuid,
            import uuid, reverses uuid, name text,
            "counterName" text, description text, reference text
        )
        left join lateral (
            select * from operation
            where not fresh and operation.scope = x.scope and operation.key = x.key limit 1
        ) as op on true
        left join lateral (
            select max(version) as latest,
                max(version) filter (where reversed_by is null) as current
            from money_transaction
            where id = x.transaction
                and (x.version is not null or x.kind in ('reversal', 'reclassification'))
        ) as versions on true
        order by list.at
    loop
        continue when statuses[e.at] = 'busy';
        starts := e.chain is null or chain_number is distinct from e.chain;
        if starts then
            chain_number := e.chain;
            chain_start := e.at;
            chain_status := null;
            chain_replay := false;
            if e.chain is not null then
                old_amounts := amounts;
                old_sequences := sequences;
                old_counts := array[
                    cardinality(entries), cardinality(movements), cardinality(details),
                    cardinality(transfers), cardinality(gone), cardinality(taken_back),
                    cardinality(quotes_used), cardinality(ended)
                ];
            end if;
        end if;
        verdict := null;
        outcome_entries[e.at] := e.entry;
        outcome_transactions[e.at] := e.transaction;
        outcome_transfers[e.at] := e.transfer;

        -- The key. Who has none is in a chain that a key leads.
        if (fresh and e.key is not null) or (e.call_id = call and e.first_place = e.at) then
            claimed_places := array_append(claimed_places, e.at);
        end if;
        if starts then
            if e.scope is null or e.key is null or coalesce(e.hash, '') = '' then
                verdict := 'invalid-element';
            elsif fresh then
                null;
            elsif e.old_hash <> lower(e.hash) then
                verdict := 'key-reused';
            elsif e.call_id <> call then
                statuses[e.at] := e.old_status;
                outcome_entries[e.at] := e.old_entry;
                outcome_transactions[e.at] := e.old_transaction;
                outcome_transfers[e.at] := e.old_transfer;
                chain_replay := true;
            elsif e.first_place <> e.at then
                statuses[e.at] := statuses[e.first_place];
                outcome_entries[e.at] := outcome_entries[e.first_place];
                outcome_transactions[e.at] := outcome_transactions[e.first_place];
                outcome_transfers[e.at] := outcome_transfers[e.first_place];
                chain_replay := true;
            end if;
        elsif chain_replay then
            statuses[e.at] := statuses[chain_start];
            outcome_entries[e.at] := null;
            outcome_transactions[e.at] := null;
            outcome_transfers[e.at] := null;
        elsif chain_status is not null then
            verdict := 'chain-failed';
        elsif e.scope is not null or e.key is not null then
            verdict := 'invalid-element';
        end if;
        if chain_replay then
            replays[e.at] := true;
            continue;
        end if;

        sources := '{}'; targets := '{}'; units := '{}'; coins := '{}'; touched := '{}';
        a := 0; b := 0; own := false; quoted := null; taken := null;

        -- The element.
        if verdict is null and (
            e.kind is null
            or e.kind not in ('record', 'transfer', 'opening', 'reversal', 'reclassification')
            or e.entry is null or e.account is null
            or (e.kind <> 'opening' and (e.transaction is null)
                <> (e.kind = 'reversal' and e.reverses is not null))
            or (e.kind in ('record', 'opening', 'transfer') and e.day is null)
            or (e.kind in ('record', 'opening') and (e.amount is null or e.currency is null))
            or (e.kind = 'transfer' and (
                e.counter is null or e.transfer is null or e."counterTransaction" is null
                or e."counterTransaction" = e.transaction
                or (e.quote is null and (e.amount is null or e.currency is null))
                or length(e.reference) > 140))
            or coalesce(e.version, 1) < 1
        ) then
            verdict := 'invalid-element';
        end if;

        -- The accounts.
        if verdict is null then
            a := width_bucket(e.account, ids);
            if a = 0 or ids[a] <> e.account then verdict := 'account-not-found'; end if;
        end if;
        if verdict is null and e.counter is not null then
            b := width_bucket(e.counter, ids);
            if b = 0 or ids[b] <> e.counter then
                verdict := 'counter-not-found';
            elsif a = b then
                verdict := 'same-account';
            elsif e."counterIsOwn" and users[a] <> users[b] then
                verdict := 'counter-not-found';
            end if;
        end if;
        if verdict is null and e.reverses is not null then
            -- An opening balance has no transaction: its entry is named.
            select day into taken.day from entry where id = e.reverses and kind = 'opening';
            taken.money_entry_id := e.reverses;
            taken.account_id := e.account;
            if not found or e.reverses = any (taken_back)
                or exists (select from entry where reverses = e.reverses)
                or not exists (
                    select from movement where entry_id = e.reverses
                        and e.account in (debit_account, credit_account))
            then
                verdict := 'transaction-not-found';
            end if;
        elsif verdict is null and e.kind in ('reversal', 'reclassification') then
            select * into taken from money_transaction
            where id = e.transaction and version = e.current;
            -- The accounts named are exactly those that the entry moved: only they are locked.
            if taken.id is null or taken.version <> coalesce(e.version, taken.version)
                or taken.entry_id = any (taken_back)
                or e.kind = 'reversal' and exists (
                    select from movement join account
                        on account.id in (movement.debit_account, movement.credit_account)
                    where movement.entry_id = taken.money_entry_id and account.user_id is not null
                        and account.id <> e.account and account.id is distinct from e.counter
                )
                or taken.account_id not in (e.account, coalesce(e.counter, e.account))
            then
                verdict := 'transaction-not-found';
            end if;
        elsif verdict is null and e.kind = 'record' and e.version is not null then
            -- The next version stands only where the one before was taken back, here or earlier.
            -- Without one the transaction is new: were it not, its primary key would say so.
            if coalesce(e.latest, 0) + 1 <> e.version
                or (e.current is not null and not exists (
                    select from money_transaction
                    where id = e.transaction and version = e.current
                        and entry_id = any (taken_back)))
            then
                verdict := 'transaction-exists';
            end if;
        end if;

        -- The right, under the lock. Taking back needs it on every account that gives or gets.
        if verdict is null and not coalesce(e."asService", false) then
            if e.actor is null then
                verdict := 'forbidden';
            elsif users[a] <> e.actor then
                if e.kind in ('opening', 'transfer') or not exists (
                    select from account_member
                    where account_id = e.account and user_id = e.actor and role = 'editor')
                then
                    verdict := 'forbidden';
                end if;
            end if;
            if verdict is null and e.kind = 'reversal' and b > 0 and users[b] <> e.actor then
                if not exists (
                    select from account_member
                    where account_id = e.counter and user_id = e.actor and role = 'editor')
                then
                    verdict := 'forbidden';
                end if;
            end if;
        end if;

        -- The categories: the one named must be the owner's; else «Others».
        if verdict is null and e.kind in ('record', 'transfer', 'reclassification') then
            i := width_bucket(e.category, label_ids);
            if e.category is null then
                i := width_bucket(users[a], other_users);
                if i = 0 or other_users[i] <> users[a] then
                    verdict := 'category-not-found';
                else
                    label := other_ids[i]; label_coicop := other_coicops[i];
                end if;
            elsif i = 0 or label_ids[i] <> e.category or label_users[i] <> users[a] then
                verdict := 'category-not-found';
            else
                label := e.category; label_coicop := label_coicops[i];
            end if;
        end if;
        if verdict is null and e.kind = 'transfer' then
            i := width_bucket(users[b], other_users);
            if i = 0 or other_users[i] <> users[b] then
                verdict := 'category-not-found';
            else
                counter_label := other_ids[i]; counter_coicop := other_coicops[i];
            end if;
        end if;

        -- Amount and currency.
        debit := 0; credit := 0;
        if verdict is null and e.kind in ('record', 'opening') then
            if e.amount < -maximum then verdict := 'invalid-amount';
            elsif e.currency <> currencies[a] then verdict := 'currency-mismatch';
            end if;
        elsif verdict is null and e.kind = 'transfer' and e.quote is null then
            debit := e.amount;
            credit := e.amount;
            if e.amount <= 0 then verdict := 'invalid-amount';
            elsif e.currency <> currencies[a] or e.currency <> currencies[b] then
                verdict := 'currency-mismatch';
            end if;
        elsif verdict is null and e.kind = 'transfer' then
            -- A quote is used under the lock of the account that it debits: no two at once.
            select * into quoted from quote where id = e.quote;
            debit := coalesce(quoted.debit_amount, e.amount);
            credit := coalesce(quoted.credit_amount, e."counterAmount");
            if quoted.id is null then
                verdict := 'quote-not-found';
            elsif quoted.from_account <> e.account or quoted.to_account <> e.counter
                or quoted.user_id is distinct from coalesce(e.actor, quoted.user_id)
                or (currencies[a] = currencies[b] and debit <> credit)
                or (currencies[a] <> currencies[b] and quoted.rate_day is null)
            then
                verdict := 'quote-mismatch';
            elsif e.quote = any (quotes_used)
                or exists (select from transfer where quote_id = e.quote)
            then
                verdict := 'quote-used';
            elsif quoted.expires_at <= moment then
                verdict := 'quote-expired';
            elsif debit is null or credit is null or debit <= 0 or credit < 0 then
                verdict := 'invalid-amount';
            elsif credit = 0 then
                verdict := 'amount-too-small';
            elsif currencies[a] <> currencies[b]
                and credit::numeric * quoted.rate_denominator * 10::numeric ^ exponents[a]
                    > debit::numeric * quoted.rate_numerator * 10::numeric ^ exponents[b]
            then
                -- Whoever worked it out: nobody gets more than the rate.
                verdict := 'quote-mismatch';
            end if;
        end if;

        -- What moves: from, to, how much.
        if verdict is null then
            case e.kind
            when 'record', 'opening' then
                if e.amount <> 0 then
                    system := system_ids[array_position(
                        system_names,
                        case e.kind when 'record' then 'outside ' else 'equity ' end || e.currency
                    )];
                    if e.amount > 0 then
                        sources := array[system]; targets := array[e.account];
                    else
                        sources := array[e.account]; targets := array[system];
                    end if;
                    units := array[abs(e.amount)]; coins := array[e.currency];
                end if;
            when 'transfer' then
                own := users[a] = users[b];
                if currencies[a] = currencies[b] then
                    sources := array[e.account]; targets := array[e.counter];
                    units := array[debit]; coins := array[currencies[a]];
                else
                    sources := array[e.account, system_ids[
                        array_position(system_names, 'position ' || currencies[b])]];
                    targets := array[system_ids[
                        array_position(system_names, 'position ' || currencies[a])], e.counter];
                    units := array[debit, credit];
                    coins := array[currencies[a], currencies[b]];
                end if;
            when 'reversal' then
                select coalesce(array_agg(credit_account order by id), '{}'),
                    coalesce(array_agg(debit_account order by id), '{}'),
                    coalesce(array_agg(amount order by id), '{}'),
                    coalesce(array_agg(currency order by id), '{}')
                into sources, targets, units, coins
                from movement where entry_id = taken.money_entry_id;
            else
                -- Words move nothing.
            end case;
        end if;

        -- State.
        if verdict is null and e.kind <> 'reclassification' then
            if 'closed' in (states[a], states[b]) then verdict := 'account-closed';
            elsif 'frozen' in (states[a], states[b]) then verdict := 'account-frozen';
            elsif e.kind = 'transfer' and not own and not coalesce(e."asService", false)
                and kinds[a] not in ('current', 'deposit')
            then
                verdict := 'account-kind';
            elsif e.kind = 'opening' and kinds[a] <> 'wallet' then verdict := 'account-kind';
            elsif e.kind = 'opening' and amounts[a] <> 0 then
                verdict := 'account-not-empty';
            elsif e.kind = 'opening' then
                if exists (
                    select from money_transaction
                    where account_id = e.account and reversed_by is null)
                then
                    verdict := 'account-not-empty';
                end if;
            end if;
        end if;

        -- Overflow, on the way; then funds, once all of it has moved.
        moved := 0;
        if verdict is null then
            for i in 1 .. cardinality(sources) loop
                a := width_bucket(sources[i], ids);
                b := width_bucket(targets[i], ids);
                if a > 0 and ids[a] <> sources[i] then a := 0; end if;
                if b > 0 and ids[b] <> targets[i] then b := 0; end if;
                if (a > 0 and amounts[a] < units[i] - maximum)
                    or (b > 0 and amounts[b] > maximum - units[i])
                then
                    verdict := 'overflow';
                    exit;
                end if;
                from_seq := null; to_seq := null;
                if a > 0 then
                    amounts[a] := amounts[a] - units[i];
                    from_seq := sequences[a] + 1;
                    sequences[a] := from_seq;
                    touched := array_append(touched, a);
                end if;
                if b > 0 then
                    amounts[b] := amounts[b] + units[i];
                    to_seq := sequences[b] + 1;
                    sequences[b] := to_seq;
                end if;
                movements := array_append(movements, row(
                    null, e.entry, sources[i], targets[i], coins[i], units[i], from_seq, to_seq
                )::movement);
                moved := i;
            end loop;
            if verdict is null then
                foreach i in array touched loop
                    if kinds[i] <> 'wallet' and amounts[i] < helds[i] then
                        verdict := 'insufficient-funds';
                    end if;
                end loop;
            end if;
        end if;

        -- Refused: as if it and its chain had never been.
        if verdict is not null then
            statuses[e.at] := verdict;
            if e.chain is not null then
                amounts := old_amounts;
                sequences := old_sequences;
                entries := entries[1:old_counts[1]];
                movements := movements[1:old_counts[2]];
                details := details[1:old_counts[3]];
                posted_order := posted_order[1:old_counts[3]];
                transfers := transfers[1:old_counts[4]];
                gone := gone[1:old_counts[5]];
                gone_order := gone_order[1:old_counts[5]];
                taken_back := taken_back[1:old_counts[6]];
                quotes_used := quotes_used[1:old_counts[7]];
                ended := ended[1:old_counts[8]];
            elsif moved > 0 then
                for i in 1 .. moved loop
                    a := width_bucket(sources[i], ids);
                    if a > 0 and ids[a] = sources[i] then
                        amounts[a] := amounts[a] + units[i];
                        sequences[a] := sequences[a] - 1;
                    end if;
                    b := width_bucket(targets[i], ids);
                    if b > 0 and ids[b] = targets[i] then
                        amounts[b] := amounts[b] - units[i];
                        sequences[b] := sequences[b] - 1;
                    end if;
                end loop;
                movements := movements[1:cardinality(movements) - moved];
            end if;
            if e.chain is not null and chain_status is null then
                chain_status := verdict;
                kept[chain_start] := verdict;
                for i in chain_start .. e.at - 1 loop
                    statuses[i] := 'chain-failed';
                end loop;
            end if;
            continue;
        end if;

        -- Posted.
        statuses[e.at] := 'posted';
        entries := array_append(entries, row(
            e.entry, e.kind, e.actor, coalesce(e.day, taken.day), moment,
            case e.kind when 'reversal' then taken.money_entry_id end, pg_current_xact_id()
        )::entry);
        a := width_bucket(e.account, ids);
        if e.kind in ('record', 'transfer') then
            detail := row(
                e.transaction, coalesce(e.version, 1), e.entry, e.entry, e.account, users[a],
                case e.kind when 'record' then e.amount else -debit end, e.day, label,
                label_coicop,
                case when e."counterIsOwn" then coalesce(e.name, names[b]) else e.name end,
                e.description, e.transfer, own, e.import, moment, null
            )::money_transaction;
            details := array_append(details, detail);
            told := told + 1;
            posted_order := array_append(posted_order, told);
        end if;
        if e.kind = 'transfer' then
            b := width_bucket(e.counter, ids);
            detail := row(
                e."counterTransaction", 1, e.entry, e.entry, e.counter, users[b], credit, e.day,
                counter_label, counter_coicop,
                case when e."counterIsOwn" then coalesce(e."counterName", names[a])
                    else e."counterName" end,
                e.description, e.transfer, own,
                null, moment, null
            )::money_transaction;
            details := array_append(details, detail);
            told := told + 1;
            posted_order := array_append(posted_order, told);
            transfers := array_append(transfers, row(
                e.transfer, e.entry, e.account, e.counter, e.transaction, e."counterTransaction",
                debit, credit, e.quote, e.reference, quoted.rate_numerator,
                quoted.rate_denominator, quoted.rate_day, moment
            )::transfer);
            if e.quote is not null then quotes_used := array_append(quotes_used, e.quote); end if;
        elsif e.kind = 'reversal' then
            if e.reverses is not null then
                taken_back := array_append(taken_back, e.reverses);
            end if;
            -- Of a transfer both sides end.
            for detail in
                select side.* from money_transaction as side
                where side.reversed_by is null and (side.id = taken.id or side.id in (
                    select unnest(array[from_transaction, to_transaction])
                    from transfer where id = taken.transfer_id))
                order by side.id
            loop
                taken_back := array_append(taken_back, detail.entry_id);
                ended := array_append(
                    ended, row(detail.id, detail.version, e.entry)::ended_version);
                gone := array_append(gone, detail);
                told := told + 1;
                gone_order := array_append(gone_order, told);
            end loop;
        elsif e.kind = 'reclassification' then
            taken_back := array_append(taken_back, taken.entry_id);
            ended := array_append(ended, row(taken.id, taken.version, e.entry)::ended_version);
            gone := array_append(gone, taken);
            gone_order := array_append(gone_order, told + 1);
            taken.version := taken.version + 1;
            taken.entry_id := e.entry;
            taken.category_id := label;
            taken.coicop := label_coicop;
            taken.recorded_at := moment;
            details := array_append(details, taken);
            told := told + 2;
            posted_order := array_append(posted_order, told);
        end if;
    end loop;

    -- 5. Write.
    update balance
    set amount = amounts[width_bucket(account_id, ids)],
        sequence = sequences[width_bucket(account_id, ids)]
    where account_id = any (had) and sequence <> sequences[width_bucket(account_id, ids)];
    insert into entry (id, kind, actor_id, day, recorded_at, reverses, xid)
    select id, kind, actor_id, day, recorded_at, reverses, xid from unnest(entries);
    insert into movement
        (entry_id, debit_account, credit_account, currency, amount, debit_seq, credit_seq)
    select entry_id, debit_account, credit_account, currency, amount, debit_seq, credit_seq
    from unnest(movements);
    -- Taken back first: a transaction has one current version.
    if cardinality(ended) > 0 then
        update money_transaction as kept set reversed_by = gone.entry_id
        from unnest(ended) as gone
        where kept.id = gone.id and kept.version = gone.version;
    end if;
    insert into money_transaction select * from unnest(details);
    insert into transfer select * from unnest(transfers);

    -- A sequence first: its row is the aggregate's lock, under which the outbox draws its ids.
    if told > 0 then
        with drawn as (
            insert into aggregate_sequence as kept (aggregate, sequence)
            select 'account:' || account_id, count(*)
            from (
                select account_id from unnest(details)
                union all
                select account_id from unnest(gone)
            ) as moved
            group by account_id order by account_id
            on conflict (aggregate) do update set sequence = kept.sequence + excluded.sequence
            returning aggregate, sequence
        )
        select array_agg(aggregate), array_agg(sequence)
        into drawn_aggregates, drawn_sequences from drawn;
        -- `wallet.transaction.posted.v1`, joined as text: none of it needs an escape.
        insert into outbox (aggregate, sequence, type, event_id, payload, traceparent)
        select numbered.aggregate, last - total + nth,
            'wallet.transaction.posted.v1', gen_random_uuid(),
            ('{"transactionId":"' || id || '","version":' || version || ',"kind":"' || change
                || '","userId":"' || user_id || '","accountId":"' || account_id
                || '","accountKind":"' || kinds[place] || '","amount":{"amount":"'
                -- By multiplication: a division rounds.
                || amount * scales[exponents[place] + 1] || '","currency":"' || currencies[place]
                || '"},"day":"' || to_char(day, 'YYYY-MM-DD') || '","categoryId":"' || category_id
                || coalesce('","coicop":"' || coicop, '')
                || coalesce('","transferId":"' || transfer_id, '')
                || '","ownTransfer":' || case when own_transfer then 'true' else 'false' end
                || ',"recordedAt":"' || recorded || '"}')::json,
            trace
        from (
            select change.*, width_bucket(change.account_id, ids) as place,
                'account:' || change.account_id as aggregate,
                row_number() over (partition by change.account_id order by change.at) as nth,
                count(*) over (partition by change.account_id) as total
            from (
                select 'posted' as change, posted.*, posted_order[posted.nr] as at
                from unnest(details) with ordinality as posted (
                    id, version, entry_id, money_entry_id, account_id, user_id, amount, day,
                    category_id, coicop, name, description, transfer_id, own_transfer, import_id,
                    recorded_at, reversed_by, nr)
                union all
                select 'reversed', reversed.*, gone_order[reversed.nr]
                from unnest(gone) with ordinality as reversed (
                    id, version, entry_id, money_entry_id, account_id, user_id, amount, day,
                    category_id, coicop, name, description, transfer_id, own_transfer, import_id,
                    recorded_at, reversed_by, nr)
            ) as change
        ) as numbered
        join unnest(drawn_aggregates, drawn_sequences) as drawn (aggregate, last)
            on drawn.aggregate = numbered.aggregate
        order by at;
    end if;

    -- Keys were claimed as posted. The few that were refused are kept as such.
    foreach i in array claimed_places loop
        continue when statuses[i] = 'posted';
        update operation
        set status = coalesce(kept[i], statuses[i]), entry_id = null, transaction_id = null,
            transfer_id = null
        where scope = elements -> (i - 1) ->> 'scope' and key = elements -> (i - 1) ->> 'key';
    end loop;
    return query
        select result.at::integer, result.status, result.replayed,
            case when result.status = 'posted' then result.entry end,
            case when result.status = 'posted' then result.transaction end,
            case when result.status = 'posted' then result.transfer end
        from unnest(statuses, replays, outcome_entries, outcome_transactions, outcome_transfers)
            with ordinality
            as result (status, replayed, entry, transaction, transfer, at);
end
$function$;

-- What every posting needs of an account is made with it: its balance, and its currency's system
-- accounts. A lock on an absent row would lock nothing.
create function account_made() returns trigger
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
begin
    insert into balance (account_id) values (new.id);
    insert into account (id, kind, currency, exponent)
    select gen_random_uuid(), system.kind, new.currency, new.exponent
    from unnest(array['equity', 'outside', 'position']) as system (kind)
    where not exists (
        select from account
        where user_id is null and kind = system.kind and currency = new.currency
    )
    order by system.kind
    on conflict do nothing;
    return null;
end
$function$;
create trigger account_made after insert on account
    for each row when (new.user_id is not null) execute function account_made();

-- Closes an account, or says why not. Under the locks of all its owner's open accounts, so that two
-- calls at once cannot close the last two; the balance's own lock keeps postings away meanwhile.
-- Whoever meets an account that is held tries again, and keeps no connection until then.
create function close_account_v1(wanted uuid, actor uuid) returns text
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
declare
    chosen account;
    stored balance;
    others integer;
begin
    perform set_config('lock_timeout', '100ms', true);
    perform 1 from account
    where user_id = actor and state <> 'closed' order by id for no key update;
    select * into stored from balance where account_id = wanted for no key update;
    select * into chosen from account where id = wanted;
    if chosen.id is null or chosen.user_id is distinct from actor then return 'not-found'; end if;
    if chosen.state = 'closed' then return 'closed'; end if;
    select count(*) into others from account
    where user_id = actor and state <> 'closed' and id <> wanted;
    if others = 0 then return 'last-account'; end if;
    if chosen.kind <> 'wallet'
        and (coalesce(stored.amount, 0) <> 0 or coalesce(stored.held, 0) <> 0)
    then
        return 'account-not-empty';
    end if;
    update account set state = 'closed', closed_at = now(), version = version + 1
    where id = wanted;
    return 'closed';
end
$function$;

-- Forgets outcomes whose keys are no longer promised (a day), some at a time; how many it were.
create function forget_operations_v1() returns integer
language plpgsql volatile security definer
set search_path = ledger, pg_temp
set enable_seqscan = off
as $function$
declare
    forgotten integer;
begin
    delete from operation where ctid = any (array(
        select ctid from operation where created_at < now() - interval '2 days' limit 10000
    ));
    get diagnostics forgotten = row_count;
    return forgotten;
end
$function$;

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
    signature text;
begin
    -- An owner needs CREATE on the schema at the moment when it becomes one, and never again.
    execute format('grant create on schema ledger to %I', poster);
    foreach signature in array array[
        'ledger.post_batch_v1(jsonb, timestamptz, boolean, text)',
        'ledger.account_made()',
        'ledger.close_account_v1(uuid, uuid)',
        'ledger.forget_operations_v1()'
    ] loop
        execute format('revoke all on function %s from public', signature);
        execute format('alter function %s owner to %I', signature, poster);
    end loop;
    execute format('revoke create on schema ledger from %I', poster);
    execute format(
        'grant execute on function ledger.post_batch_v1(jsonb, timestamptz, boolean, text), '
        'ledger.close_account_v1(uuid, uuid), ledger.forget_operations_v1() to %I',
        service);
end
$$;
