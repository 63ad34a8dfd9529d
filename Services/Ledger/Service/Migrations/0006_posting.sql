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
--       quote-expired, amount-too-small; last, quote-used by an element of the same call
--    8. account-closed, account-frozen, account-kind, account-not-empty
--    9. overflow            a balance would leave 64 bits
--   10. insufficient-funds  an account that may not would fall below what is held
set local search_path = ledger, pg_temp;

-- An element as it is asked; each name is the JSON's.
create type posting_element as (
    kind text, scope text, key text, hash text, chain integer, actor uuid, "asService" boolean,
    account uuid, counter uuid, "counterIsOwn" boolean, amount bigint, currency text, quote uuid,
    entry uuid, transaction uuid, version integer, transfer uuid, "counterTransaction" uuid,
    "counterAmount" bigint, day date, category uuid, import uuid, reverses uuid, name text,
    "counterName" text, description text, reference text
);

-- What can be said of an element whatever the others do: where its accounts stand in the call's
-- arrays, and the first check that fails before (`early`) and after (`late`) what hangs on others.
create type posting_judgement as (
    place integer, counter_place integer, own boolean, early text, late text,
    debit bigint, credit bigint, label uuid, coicop text, counter_label uuid, counter_coicop text,
    -- The account of ours on the other side; across currencies the one in the counter's currency.
    system uuid, counter_system uuid,
    rate_numerator bigint, rate_denominator bigint, rate_day date
);

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
    asked posting_element[]; judged posting_judgement[];
    -- Accounts of the call, sorted by id, so that a binary search finds them; parallel arrays.
    ids uuid[]; users uuid[]; kinds text[]; currencies text[]; exponents smallint[];
    states text[]; names text[]; amounts bigint[]; helds bigint[]; sequences bigint[];
    wanted uuid[]; had uuid[];
    -- What is to be written beside what `asked` and `judged` say.
    movements movement[] := '{}'; details money_transaction[] := '{}';
    -- What is told: `details` as posted, `gone` as reversed, in which order.
    gone money_transaction[] := '{}'; posted_turns integer[] := '{}'; gone_turns integer[] := '{}';
    -- Outcomes by place; `old_…` those of replays.
    statuses text[]; replays boolean[]; old_entries uuid[]; old_transactions uuid[];
    old_transfers uuid[]; claimed boolean[]; refused boolean := false;
    -- What elements before this one did to things other than balances.
    taken_back uuid[] := '{}'; ended ended_version[] := '{}'; quotes_used uuid[] := '{}';
    -- What each element takes back, and its day.
    taken_entries uuid[]; taken_days date[];
    -- Categories that are named, and everybody's «Others»; each sorted for a binary search.
    label_ids uuid[]; label_users uuid[]; label_coicops text[];
    other_users uuid[]; other_ids uuid[]; other_coicops text[];
    -- Whether all keys are new, and if not, each element's.
    fresh boolean; keys text[]; first_place integer; claim operation;
    -- As all was before the element's chain.
    old_amounts bigint[]; old_sequences bigint[]; old_counts integer[];
    chain_number integer; chain_start integer; chain_status text; chain_replay boolean;
    e posting_element; j posting_judgement; busy record; taken money_transaction;
    verdict text; at integer := 0; a integer; b integer; i integer; n integer;
    current integer; latest integer; turn integer;
    -- What moves: from and to whom, and where they stand in `ids`, absent for system accounts.
    sources uuid[]; targets uuid[]; froms integer[]; tos integer[]; units bigint[]; coins text[];
    unit bigint; from_seq bigint; to_seq bigint; moved integer;
    detail money_transaction;
    -- The verdict that stands under a chain's key, by the place of its first.
    kept text[];
    scales constant numeric[] := array[1, 0.1, 0.01, 0.001, 0.0001];
    recorded constant text :=
        to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
begin
    n := jsonb_array_length(elements);
    if n = 0 then return; end if;
    select array_agg(element) into asked
    from (
        select element
        from jsonb_array_elements(elements) with ordinality as list (value, at)
        cross join lateral jsonb_populate_record(null::posting_element, list.value) as element
        order by list.at
    ) as listed;
    statuses := array_fill(null::text, array[n]);
    replays := array_fill(false, array[n]);

    select array_agg(distinct id order by id) into wanted
    from unnest(asked) as e cross join lateral (values (e.account), (e.counter)) as named (id)
    where id is not null;

    -- 1. Lock. No key update: inserts that refer to the account go on. All that is locked or
    -- referred to was made with the account (account_made): a row that this call made would hold up
    -- every other call that needs it, for as long as the transaction lasts.
    if waits then
        perform set_config('lock_timeout', '1s', true);
        select array_agg(account_id), array_agg(amount), array_agg(held), array_agg(sequence)
        into had, amounts, helds, sequences from (
            select account_id, amount, held, sequence from balance
            where account_id = any (wanted) order by account_id for no key update
        ) as held;
    else
        select array_agg(account_id), array_agg(amount), array_agg(held), array_agg(sequence)
        into had, amounts, helds, sequences from (
            select account_id, amount, held, sequence from balance
            where account_id = any (wanted) order by account_id for no key update skip locked
        ) as held;
    end if;
    had := coalesce(had, '{}');
    -- Under the lock: whoever closes an account holds it too.
    select array_agg(id), array_agg(user_id), array_agg(kind), array_agg(currency),
        array_agg(exponent), array_agg(state), array_agg(name)
    into ids, users, kinds, currencies, exponents, states, names
    from (
        select * from account where id = any (wanted) and user_id is not null order by id
    ) as known;
    ids := coalesce(ids, '{}');
    -- Deleted ones are left out of what was found: as a condition it could make a walk over an
    -- index of those that are not.
    select array_agg(id order by id) filter (where deleted_at is null),
        array_agg(user_id order by id) filter (where deleted_at is null),
        array_agg(coicop order by id) filter (where deleted_at is null)
    into label_ids, label_users, label_coicops
    from category where id = any (array(select category from unnest(asked) as e));
    select array_agg(user_id order by user_id), array_agg(id order by user_id),
        array_agg(coicop order by user_id)
    into other_users, other_ids, other_coicops
    from category where user_id = any (users) and is_default;
    label_ids := coalesce(label_ids, '{}');
    other_users := coalesce(other_users, '{}');

    -- A chain is busy as a whole, or its part that is not would be posted alone.
    if cardinality(had) < cardinality(ids) then
        select array_agg(held.amount order by id), array_agg(held.held order by id),
            array_agg(held.sequence order by id)
        into amounts, helds, sequences
        from unnest(ids) as known (id)
        left join unnest(had, amounts, helds, sequences)
            as held (account_id, amount, held, sequence) on held.account_id = known.id;
        for busy in
            select e.ordinality as at,
                bool_or(
                    (e.account = any (ids) and not e.account = any (had))
                    or (e.counter = any (ids) and not e.counter = any (had))
                ) over (partition by coalesce(e.chain::text, 'alone ' || e.ordinality)) as busy
            from unnest(asked) with ordinality as e
        loop
            if busy.busy then statuses[busy.at] := 'busy'; end if;
        end loop;
    end if;

    -- 2. Claim the keys, sorted: in any other order two calls wait for each other.
    with keyed as (
        select scope, key, decode(hash, 'hex') as hash, entry, transaction, transfer,
            ordinality as at
        from unnest(asked) with ordinality as e
        where scope is not null and key is not null and hash <> '' and statuses[ordinality] is null
    ), claims as (
        insert into operation
            (scope, key, request_hash, call_id, status, entry_id, transaction_id, transfer_id)
        select distinct on (scope, key)
            scope, key, hash, call, 'posted', entry, transaction, transfer
        from keyed
        order by scope, key, at
        on conflict do nothing
        returning 1
    )
    select (select count(*) from claims) = (select count(*) from keyed) into fresh;
    if not fresh then
        select array_agg(
            case when statuses[at] is null then scope || chr(10) || key end order by at)
        into keys
        from (select scope, key, ordinality as at from unnest(asked) with ordinality as e) as keyed;
    end if;

    -- 3. Judge what depends on no other element, for all of them at once.
    select array_agg(judgement) into judged
    from (
        select row(
            place, counter_place, own,
            case
            when e.kind is null
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
                or (e.reverses is not null and e.kind <> 'reversal')
            then 'invalid-element'
            when place is null then 'account-not-found'
            when e.counter is null then null
            when counter_place is null then 'counter-not-found'
            when place = counter_place then 'same-account'
            when e."counterIsOwn" and not own then 'counter-not-found'
            end,
            coalesce(
                -- The right, under the lock. Taking back needs it on each account that gives or
                -- gets.
                case
                when e."asService" then null
                when e.actor is null then 'forbidden'
                when owner <> e.actor and (e.kind in ('opening', 'transfer') or not exists (
                    select from account_member
                    where account_id = e.account and user_id = e.actor and role = 'editor'
                    offset 0))
                then 'forbidden'
                when e.kind = 'reversal' and users[counter_place] <> e.actor and not exists (
                    select from account_member
                    where account_id = e.counter and user_id = e.actor and role = 'editor'
                    offset 0)
                then 'forbidden'
                end,
                -- The categories: the one named must be the owner's; else «Others».
                case
                when e.kind in ('opening', 'reversal') then null
                when label is null then 'category-not-found'
                when e.kind = 'transfer' and other_ids[counter_other] is null
                then 'category-not-found'
                end,
                -- Amount and currency.
                case
                when e.kind in ('record', 'opening') then case
                    when e.amount < -maximum then 'invalid-amount'
                    when e.currency <> coin then 'currency-mismatch'
                    end
                when e.kind <> 'transfer' then null
                when e.quote is null then case
                    when e.amount <= 0 then 'invalid-amount'
                    when e.currency <> coin or e.currency <> counter_coin then 'currency-mismatch'
                    end
                when quoted.id is null then 'quote-not-found'
                when quoted.from_account <> e.account or quoted.to_account <> e.counter
                    or quoted.user_id is distinct from coalesce(e.actor, quoted.user_id)
                    or (coin = counter_coin and debit <> credit)
                    or (coin <> counter_coin and quoted.rate_day is null)
                then 'quote-mismatch'
                -- A quote is used under the lock of the account that it debits: no two at once.
                when exists (select from transfer where quote_id = e.quote offset 0)
                then 'quote-used'
                when quoted.expires_at <= moment then 'quote-expired'
                when debit is null or credit is null or debit <= 0 or credit < 0
                then 'invalid-amount'
                when credit = 0 then 'amount-too-small'
                -- Whoever worked it out: nobody gets more than the rate.
                when coin <> counter_coin
                    and credit::numeric * quoted.rate_denominator * 10::numeric ^ exponents[place]
                        > debit::numeric * quoted.rate_numerator
                            * 10::numeric ^ exponents[counter_place]
                then 'quote-mismatch'
                end,
                -- State.
                case
                when e.kind = 'reclassification' then null
                when 'closed' in (states[place], states[counter_place]) then 'account-closed'
                when 'frozen' in (states[place], states[counter_place]) then 'account-frozen'
                when e.kind = 'transfer' and not own and e."asService" is not true
                    and kinds[place] not in ('current', 'deposit')
                then 'account-kind'
                when e.kind = 'opening' and kinds[place] <> 'wallet' then 'account-kind'
                end
            ),
            debit, credit, label, label_coicop, other_ids[counter_other],
            other_coicops[counter_other],
            case
            when e.kind in ('record', 'opening') then (
                select id from account
                where user_id is null and currency = coin
                    and kind = case e.kind when 'record' then 'outside' else 'equity' end)
            when coin <> counter_coin then (
                select id from account
                where user_id is null and kind = 'position' and currency = coin)
            end,
            case when e.kind = 'transfer' and coin <> counter_coin then (
                select id from account
                where user_id is null and kind = 'position' and currency = counter_coin)
            end,
            quoted.rate_numerator, quoted.rate_denominator, quoted.rate_day
        )::posting_judgement as judgement
        from unnest(asked) with ordinality as e
        left join lateral (select * from quote where id = e.quote limit 1) as quoted on true
        -- `offset 0` keeps each of these from being worked out again wherever it is read, and the
        -- look-ups above from becoming one walk over the whole table.
        cross join lateral (
            select case when ids[width_bucket(e.account, ids)] = e.account
                    then width_bucket(e.account, ids) end as place,
                case when ids[width_bucket(e.counter, ids)] = e.counter
                    then width_bucket(e.counter, ids) end as counter_place,
                width_bucket(e.category, label_ids) as category_place
            offset 0
        ) as found
        cross join lateral (
            select users[place] as owner, users[place] = users[counter_place] as own,
                currencies[place] as coin, currencies[counter_place] as counter_coin,
                case when other_users[width_bucket(users[place], other_users)] = users[place]
                    then width_bucket(users[place], other_users) end as other,
                case when other_users[width_bucket(users[counter_place], other_users)]
                        = users[counter_place]
                    then width_bucket(users[counter_place], other_users) end as counter_other,
                case when e.quote is null then e.amount
                    else coalesce(quoted.debit_amount, e.amount) end as debit,
                case when e.quote is null then e.amount
                    else coalesce(quoted.credit_amount, e."counterAmount") end as credit
            offset 0
        ) as known
        cross join lateral (
            select case when e.category is null then other_ids[other]
                    when label_ids[category_place] = e.category
                        and label_users[category_place] = owner
                    then e.category end as label,
                case when e.category is null then other_coicops[other]
                    else label_coicops[category_place] end as label_coicop
            offset 0
        ) as labelled
        order by e.ordinality
    ) as each_element;

    -- 4. Decide in the order of arrival.
    foreach e in array asked loop
        at := at + 1;
        continue when statuses[at] = 'busy';
        j := judged[at];
        verdict := null;
        if not fresh and keys[at] is not null then
            -- Read anew, so that a neighbour's that was waited for is seen.
            select * into claim from operation where scope = e.scope and key = e.key;
            first_place := array_position(keys, keys[at]);
            claimed[at] := claim.call_id = call and first_place = at;
        end if;
        if e.chain is null or chain_number is distinct from e.chain then
            chain_number := e.chain;
            chain_start := at;
            chain_status := null;
            chain_replay := false;
            if e.chain is not null then
                old_amounts := amounts;
                old_sequences := sequences;
                old_counts := array[
                    cardinality(movements), cardinality(details), cardinality(gone),
                    cardinality(taken_back), cardinality(quotes_used), cardinality(ended)
                ];
            end if;
            -- The key.
            if e.scope is null or e.key is null or coalesce(e.hash, '') = '' then
                verdict := 'invalid-element';
            elsif not fresh then
                if claim.request_hash <> decode(e.hash, 'hex') then
                    verdict := 'key-reused';
                elsif claim.call_id <> call then
                    statuses[at] := claim.status;
                    old_entries[at] := claim.entry_id;
                    old_transactions[at] := claim.transaction_id;
                    old_transfers[at] := claim.transfer_id;
                    chain_replay := true;
                elsif first_place <> at then
                    statuses[at] := coalesce(kept[first_place], statuses[first_place]);
                    old_entries[at] := (asked[first_place]).entry;
                    old_transactions[at] := (asked[first_place]).transaction;
                    old_transfers[at] := (asked[first_place]).transfer;
                    chain_replay := true;
                end if;
            end if;
        elsif chain_replay then
            statuses[at] := statuses[chain_start];
        elsif chain_status is not null then
            verdict := 'chain-failed';
        -- Who has no key is in a chain that a key leads, and nobody else.
        elsif e.scope is not null or e.key is not null then
            verdict := 'invalid-element';
        end if;
        if chain_replay then
            replays[at] := true;
            continue;
        end if;
        verdict := coalesce(verdict, j.early);

        -- What it takes back or follows.
        if verdict is null and (
            e.kind in ('reversal', 'reclassification') or e.version is not null
        ) then
            taken := null;
            select max(version), max(version) filter (where reversed_by is null)
            into latest, current
            from money_transaction where id = e.transaction;
            if e.reverses is not null then
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
            elsif e.kind in ('reversal', 'reclassification') then
                select * into taken from money_transaction
                where id = e.transaction and version = current;
                -- The accounts named are exactly those that the entry moved: only they are locked.
                if taken.id is null or taken.version <> coalesce(e.version, taken.version)
                    or taken.entry_id = any (taken_back)
                    or e.kind = 'reversal' and exists (
                        select from movement join account
                            on account.id in (movement.debit_account, movement.credit_account)
                        where movement.entry_id = taken.money_entry_id
                            and account.user_id is not null
                            and account.id <> e.account and account.id is distinct from e.counter
                    )
                    or taken.account_id not in (e.account, coalesce(e.counter, e.account))
                then
                    verdict := 'transaction-not-found';
                end if;
            elsif e.kind = 'record' then
                -- The next version stands only where the one before was taken back, here or
                -- earlier. Without one the transaction is new: were it not, its primary key would
                -- say so.
                if coalesce(latest, 0) + 1 <> e.version
                    or (current is not null and not exists (
                        select from money_transaction
                        where id = e.transaction and version = current
                            and entry_id = any (taken_back)))
                then
                    verdict := 'transaction-exists';
                end if;
            end if;
        end if;
        verdict := coalesce(verdict, j.late);
        if verdict is null and e.kind = 'transfer' and e.quote = any (quotes_used) then
            verdict := 'quote-used';
        end if;
        if verdict is null and e.kind = 'opening' then
            if amounts[j.place] <> 0 or exists (
                select from money_transaction
                where account_id = e.account and reversed_by is null
            ) then
                verdict := 'account-not-empty';
            end if;
        end if;

        moved := 0;
        if verdict is null then
            -- What moves: from, to, how much. Words move nothing.
            units := '{}';
            if e.kind = 'transfer' and currencies[j.place] = currencies[j.counter_place] then
                sources := array[e.account]; targets := array[e.counter];
                froms := array[j.place]; tos := array[j.counter_place];
                units := array[j.debit]; coins := array[currencies[j.place]];
            elsif e.kind = 'transfer' then
                sources := array[e.account, j.counter_system];
                targets := array[j.system, e.counter];
                froms := array[j.place, null]; tos := array[null, j.counter_place];
                units := array[j.debit, j.credit];
                coins := array[currencies[j.place], currencies[j.counter_place]];
            elsif e.kind = 'reversal' then
                select coalesce(array_agg(credit_account order by id), '{}'),
                    coalesce(array_agg(debit_account order by id), '{}'),
                    coalesce(array_agg(amount order by id), '{}'),
                    coalesce(array_agg(currency order by id), '{}')
                into sources, targets, units, coins
                from movement where entry_id = taken.money_entry_id;
                froms := array(select array_position(ids, id) from unnest(sources) as id);
                tos := array(select array_position(ids, id) from unnest(targets) as id);
            elsif e.kind <> 'reclassification' and e.amount > 0 then
                sources := array[j.system]; targets := array[e.account];
                froms := array[null::integer]; tos := array[j.place];
                units := array[e.amount]; coins := array[e.currency];
            elsif e.kind <> 'reclassification' and e.amount < 0 then
                sources := array[e.account]; targets := array[j.system];
                froms := array[j.place]; tos := array[null::integer];
                units := array[-e.amount]; coins := array[e.currency];
            end if;

            -- Overflow, on the way; then funds, once all of it has moved.
            for i in 1 .. cardinality(units) loop
                a := froms[i]; b := tos[i]; unit := units[i];
                if amounts[a] < unit - maximum or amounts[b] > maximum - unit then
                    verdict := 'overflow';
                    exit;
                end if;
                from_seq := null; to_seq := null;
                if a is not null then
                    amounts[a] := amounts[a] - unit;
                    from_seq := sequences[a] + 1;
                    sequences[a] := from_seq;
                end if;
                if b is not null then
                    amounts[b] := amounts[b] + unit;
                    to_seq := sequences[b] + 1;
                    sequences[b] := to_seq;
                end if;
                movements := array_append(movements, row(
                    null, e.entry, sources[i], targets[i], coins[i], unit, from_seq, to_seq
                )::movement);
                moved := i;
            end loop;
            for i in 1 .. moved loop
                a := froms[i];
                if amounts[a] < helds[a] and kinds[a] <> 'wallet' and verdict is null then
                    verdict := 'insufficient-funds';
                end if;
            end loop;
        end if;

        -- Refused: as if it and its chain had never been.
        if verdict is not null then
            refused := true;
            statuses[at] := verdict;
            if e.chain is not null then
                amounts := old_amounts;
                sequences := old_sequences;
                movements := movements[1:old_counts[1]];
                details := details[1:old_counts[2]];
                posted_turns := posted_turns[1:old_counts[2]];
                gone := gone[1:old_counts[3]];
                gone_turns := gone_turns[1:old_counts[3]];
                taken_back := taken_back[1:old_counts[4]];
                quotes_used := quotes_used[1:old_counts[5]];
                ended := ended[1:old_counts[6]];
            elsif moved > 0 then
                for i in 1 .. moved loop
                    a := froms[i]; b := tos[i];
                    if a is not null then
                        amounts[a] := amounts[a] + units[i];
                        sequences[a] := sequences[a] - 1;
                    end if;
                    if b is not null then
                        amounts[b] := amounts[b] - units[i];
                        sequences[b] := sequences[b] - 1;
                    end if;
                end loop;
                movements := movements[1:cardinality(movements) - moved];
            end if;
            if e.chain is not null and chain_status is null then
                chain_status := verdict;
                kept[chain_start] := verdict;
                for i in chain_start .. at - 1 loop
                    statuses[i] := 'chain-failed';
                end loop;
            end if;
            continue;
        end if;

        -- Posted.
        statuses[at] := 'posted';
        if e.kind = 'transfer' then quotes_used := array_append(quotes_used, e.quote); end if;
        if e.kind = 'reversal' then
            taken_entries[at] := taken.money_entry_id;
            taken_days[at] := taken.day;
            if e.reverses is not null then
                taken_back := array_append(taken_back, e.reverses);
            end if;
            -- Of a transfer both sides end.
            turn := at * 2;
            for detail in
                select side.* from money_transaction as side
                where side.id = any (array(
                    select taken.id
                    union
                    select unnest(array[from_transaction, to_transaction])
                    from transfer where id = taken.transfer_id
                ))
                order by side.id
            loop
                continue when detail.reversed_by is not null;
                taken_back := array_append(taken_back, detail.entry_id);
                ended := array_append(
                    ended, row(detail.id, detail.version, e.entry)::ended_version);
                gone := array_append(gone, detail);
                gone_turns := array_append(gone_turns, turn);
                turn := turn + 1;
            end loop;
        elsif e.kind = 'reclassification' then
            taken_days[at] := taken.day;
            taken_back := array_append(taken_back, taken.entry_id);
            ended := array_append(ended, row(taken.id, taken.version, e.entry)::ended_version);
            gone := array_append(gone, taken);
            gone_turns := array_append(gone_turns, at * 2);
            taken.version := taken.version + 1;
            taken.entry_id := e.entry;
            taken.category_id := j.label;
            taken.coicop := j.coicop;
            taken.recorded_at := moment;
            details := array_append(details, taken);
            posted_turns := array_append(posted_turns, at * 2 + 1);
        end if;
    end loop;

    -- 5. Write.
    update balance
    set amount = amounts[width_bucket(account_id, ids)],
        sequence = sequences[width_bucket(account_id, ids)]
    where account_id = any (had) and sequence <> sequences[width_bucket(account_id, ids)];
    -- What is taken back ends first: a transaction has one current version.
    if cardinality(ended) > 0 then
        update money_transaction as kept set reversed_by = gone.entry_id
        from unnest(ended) as gone
        where kept.id = gone.id and kept.version = gone.version
            and kept.id = any (array(select id from unnest(ended)));
    end if;
    insert into entry (id, kind, actor_id, day, recorded_at, reverses, xid)
    select entry, kind, actor, coalesce(day, taken_days[ordinality]), moment,
        taken_entries[ordinality], pg_current_xact_id()
    from unnest(asked) with ordinality as e
    where statuses[ordinality] = 'posted' and not replays[ordinality];
    insert into movement
        (entry_id, debit_account, credit_account, currency, amount, debit_seq, credit_seq)
    select entry_id, debit_account, credit_account, currency, amount, debit_seq, credit_seq
    from unnest(movements);
    insert into transfer
    select transfer, entry, account, counter, transaction, "counterTransaction", debit, credit,
        quote, reference, rate_numerator, rate_denominator, rate_day, moment
    from rows from (unnest(asked), unnest(judged)) with ordinality as e
    where kind = 'transfer' and statuses[ordinality] = 'posted' and not replays[ordinality];

    -- The transactions, and what is told of them: each account's next sequences, drawn under its
    -- lock, for the account is the events' aggregate.
    with change as materialized (
        select *, count(*) over accounts as total, dense_rank() over (order by account_id) as nth
        from (
            select ordinality * 2 as turn, 'posted' as change, transaction as id,
                coalesce(version, 1) as version, entry as entry_id, entry as money_entry_id,
                account as account_id, place, users[place] as user_id,
                case kind when 'record' then amount else -debit end as amount, day,
                label as category_id, coicop,
                case when "counterIsOwn" then coalesce(name, names[counter_place]) else name end
                    as name,
                description, transfer as transfer_id,
                kind = 'transfer' and own as own_transfer, import as import_id,
                moment as recorded_at
            from rows from (unnest(asked), unnest(judged)) with ordinality as e
            where kind in ('record', 'transfer') and statuses[ordinality] = 'posted'
                and not replays[ordinality]
            union all
            select ordinality * 2 + 1, 'posted', "counterTransaction", 1, entry, entry, counter,
                counter_place, users[counter_place], credit, day, counter_label, counter_coicop,
                case when "counterIsOwn" then coalesce("counterName", names[place])
                    else "counterName" end,
                description, transfer, own, null, moment
            from rows from (unnest(asked), unnest(judged)) with ordinality as e
            where kind = 'transfer' and statuses[ordinality] = 'posted'
                and not replays[ordinality]
            union all
            select turn, 'posted', id, version, entry_id, money_entry_id, account_id,
                width_bucket(account_id, ids), user_id, amount, day, category_id, coicop, name,
                description, transfer_id, own_transfer, import_id, recorded_at
            from rows from (unnest(details), unnest(posted_turns)) as reclassified (
                id, version, entry_id, money_entry_id, account_id, user_id, amount, day,
                category_id, coicop, name, description, transfer_id, own_transfer, import_id,
                recorded_at, reversed_by, turn)
            union all
            select turn, 'reversed', id, version, entry_id, money_entry_id, account_id,
                width_bucket(account_id, ids), user_id, amount, day, category_id, coicop, name,
                description, transfer_id, own_transfer, import_id, recorded_at
            from rows from (unnest(gone), unnest(gone_turns)) as reversed (
                id, version, entry_id, money_entry_id, account_id, user_id, amount, day,
                category_id, coicop, name, description, transfer_id, own_transfer, import_id,
                recorded_at, reversed_by, turn)
        ) as changes
        window accounts as (partition by account_id)
    ), kept as (
        insert into money_transaction
        select id, version, entry_id, money_entry_id, account_id, user_id, amount, day,
            category_id, coicop, name, description, transfer_id, own_transfer, import_id,
            recorded_at
        from change where change = 'posted'
    ), drawn as (
        update aggregate_sequence as held set sequence = held.sequence + told.events
        from (
            select 'account:' || account_id as aggregate, count(*) as events
            from change group by account_id
        ) as told
        where held.aggregate = told.aggregate
            and held.aggregate = any (array(select 'account:' || account_id from change))
        returning held.aggregate, held.sequence
    )
    -- `wallet.transaction.posted.v1`, joined as text: none of it needs an escape.
    insert into outbox (aggregate, sequence, type, event_id, payload, traceparent)
    select 'account:' || account_id,
        -- The nth account's last, less those that follow.
        (array(select sequence from drawn order by aggregate collate "C"))[nth] - total
            + row_number() over (partition by account_id order by turn),
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
    from change order by turn;

    -- Keys were claimed as posted. The few that were refused are kept as such. Who was busy has
    -- claimed none, though another element may have claimed the same.
    if refused then
        for at in 1 .. n loop
            e := asked[at];
            continue when statuses[at] in ('posted', 'busy') or not (fresh or claimed[at]);
            update operation
            set status = coalesce(kept[at], statuses[at]), entry_id = null, transaction_id = null,
                transfer_id = null
            where scope = e.scope and key = e.key and call_id = call;
        end loop;
    end if;
    return query
        select ordinality::integer, statuses[ordinality], replays[ordinality],
            case when statuses[ordinality] <> 'posted' then null
                when replays[ordinality] then old_entries[ordinality] else entry end,
            case when statuses[ordinality] <> 'posted' then null
                when replays[ordinality] then old_transactions[ordinality] else transaction end,
            case when statuses[ordinality] <> 'posted' then null
                when replays[ordinality] then old_transfers[ordinality] else transfer end
        from unnest(asked) with ordinality as e;
end
$function$;

-- What every posting needs of an account is made with it: its balance, its events' sequence, and
-- its currency's system accounts. A lock on an absent row would lock nothing.
create function account_made() returns trigger
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
begin
    insert into balance (account_id) values (new.id);
    insert into aggregate_sequence (aggregate, sequence) values ('account:' || new.id, 0)
    on conflict do nothing;
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
