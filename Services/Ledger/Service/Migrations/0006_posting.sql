-- The one way to move money. Every outcome is a status of its element, never an exception, so that
-- a bad element harms no neighbour; only what is wrong with the call itself raises.
--
-- An element (JSON object; amounts in minor units, hashes in hexadecimal):
--   kind            record, transfer, opening, reversal, revision (of the words alone), deposit (a
--                   transfer that opens the other account), hold (a transfer in two phases), and
--                   what ends one: capture, void, expiry
--   scope, key, hash   the operation: on each element that stands alone, and on a chain's first
--   chain           elements in a row with one number: all of them or none, under the first's key
--   actor           who asks, checked against the account again; not where asService is true: the
--                   service answers for the right, and there may be no actor
--   books           of record and revision: in whose categories and budgets it counts, where that
--                   is not the actor, and without one not the account's owner
--   account         the account; of a transfer, the one debited
--   counter         of a transfer, of what ends a hold, and of a transfer's reversal, the other
--                   account; of a deposit the one that it opens
--   opens           of a deposit: the new account's currency, exponent, name, folded, iban; and
--                   whether the name is only `proposed`: then no key keeps that it is taken
--   expires         of a hold: until when
--   counterIsOwn    whether it must be the same owner's; then the accounts' names stand where
--                   name and counterName are left out
--   amount, currency   signed for record and opening, positive for transfer
--   quote           a transfer's quote, which holds both amounts or lets amount and counterAmount
--                   say them; across currencies there is no transfer without
--   entry, transaction, version, transfer, counterTransaction   ids that the service made
--   import          the import that brings it
--   reverses        an opening's entry, for a reversal without a transaction
--   day, name, counterName, description, reference, tags, foldedTags (as lists find them),
--   latitude, longitude (millionths of a degree), placeName, folder, recurrence
--                   a revision carries all of the words anew
--   traceparent     of the request that asks, which the events that tell of it carry on: a call
--                   holds the elements of many
--   category        «Others» where there is none, as in a transfer's other account
--   lines           categories with amounts that sum to the amount, in place of a category
--
-- The order of checks, the first that fails being the status:
-- No key keeps busy, forbidden, invalid-element, transaction-exists, folder-not-found or
-- proposed-name-taken.
--    1. busy                an account is locked by another, or an element before it in the call
--                           makes the next version of what it changes, too: nothing was done, the
--                           key is free
--    2. key-reused          the key stands for a different request (a replay gives its old status,
--                           of a chain that was refused each element its own)
--    3. chain-failed        another element of the chain was refused
--    4. invalid-element     what the kind needs is not there
--    5. account-not-found, counter-not-found, same-account, transaction-not-found,
--       transaction-exists, transfer-not-found, hold-ended
--    6. forbidden           the actor may not, or nobody is named; then category-not-found, so that
--                           nobody learns of an account by its owner's categories, and
--                           folder-not-found: what is recorded goes into a folder that the actor
--                           may write to
--    7. invalid-amount, currency-mismatch, quote-not-found, quote-mismatch, quote-used,
--       quote-expired, amount-too-small
--    8. account-closed, account-frozen, account-kind, account-name-taken or, of a name that was
--       only proposed, proposed-name-taken; then, by an element of the same call, quote-used and
--       the names again; account-not-empty
--    9. overflow            a balance, or what is left of it beside what is held, would leave 64
--                           bits
--   10. insufficient-funds  an account that may not would fall below what is held
set local search_path = ledger, pg_temp;

-- An element as it is asked; each name is the JSON's.
create type posting_element as (
    kind text, scope text, key text, hash text, chain integer, actor uuid, "asService" boolean,
    account uuid, counter uuid, "counterIsOwn" boolean, amount bigint, currency text, quote uuid,
    entry uuid, transaction uuid, version integer, transfer uuid, "counterTransaction" uuid,
    "counterAmount" bigint, day date, category uuid, import uuid, reverses uuid, name text,
    "counterName" text, description text, reference text, lines jsonb, tags text[],
    "foldedTags" text[], latitude integer, longitude integer, "placeName" text, folder uuid,
    recurrence uuid, expires timestamptz, opens jsonb, books uuid, traceparent text
);

-- What can be said of an element whatever the others do: where its accounts stand in the call's
-- arrays, and the first check that fails before (`early`) and after (`late`) what hangs on others.
create type posting_judgement as (
    place integer, counter_place integer, own boolean, early text, late text,
    debit bigint, credit bigint, label uuid, coicop text, counter_label uuid, counter_coicop text,
    -- The account of ours on the other side; across currencies the one in the counter's currency.
    system uuid, counter_system uuid,
    rate_numerator bigint, rate_denominator bigint, rate_day date, rate_source text
);

create type ended_version as (id uuid, version integer, entry_id uuid);

-- `waits` is the last lane: it waits up to 1 s for accounts that are locked by others. Meanwhile
-- it has none in hand that a neighbour could need, and it takes those that were free all along only
-- afterwards: what is locked by then is busy.
create function post_batch_v1(
    elements jsonb, moment timestamptz, waits boolean default false
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
    -- Outcomes that no key stands for: a right can be given, a fault mended, a name made anew.
    never_kept constant text[] := array[
        'forbidden', 'invalid-element', 'transaction-exists', 'folder-not-found',
        'proposed-name-taken'];
    call constant uuid := gen_random_uuid();
    asked posting_element[]; judged posting_judgement[];
    -- Accounts of the call, sorted by id, so that a binary search finds them; parallel arrays.
    ids uuid[]; users uuid[]; kinds text[]; currencies text[]; exponents smallint[];
    states text[]; names text[]; amounts bigint[]; helds bigint[]; sequences bigint[];
    wanted uuid[]; had uuid[]; awaited uuid[]; one uuid;
    began constant timestamptz := clock_timestamp();
    -- What is to be written beside what `asked` and `judged` say.
    movements movement[] := '{}'; details money_transaction[] := '{}';
    -- What is told: `details` as posted, `gone` as reversed, in which order.
    gone money_transaction[] := '{}'; posted_turns integer[] := '{}'; gone_turns integer[] := '{}';
    -- Outcomes by place; `old_…` those of replays.
    statuses text[]; replays boolean[]; old_entries uuid[]; old_transactions uuid[];
    old_transfers uuid[]; claimed boolean[]; refused boolean := false;
    -- What elements before this one did to things other than balances: openings taken back, and
    -- transactions whose version ended.
    taken_back uuid[] := '{}'; ended_ids uuid[] := '{}'; ended ended_version[] := '{}';
    quotes_used uuid[] := '{}';
    names_taken text[] := '{}';
    -- Holds that end, with the places of what ends them.
    holds_ended uuid[] := '{}'; endings integer[] := '{}'; hold transfer;
    -- Whether the call has any of what is rare.
    has_lines boolean; has_deposits boolean; has_tags boolean; has_versions boolean;
    -- What each element takes back, and its day.
    taken_entries uuid[]; taken_days date[];
    -- The version that each makes.
    versions integer[];
    versioned_ids uuid[]; versioned_firsts bigint[];
    version_accounts uuid[]; account_firsts bigint[];
    -- Categories that are named, and everybody's «Others»; each sorted for a binary search.
    label_ids uuid[]; label_users uuid[]; label_coicops text[];
    other_users uuid[]; other_ids uuid[]; other_coicops text[];
    -- Who records on a wallet that may be another's.
    bookers uuid[];
    -- Whether all keys are new, and if not, each element's.
    fresh boolean; keys text[]; first_place integer; claim operation;
    -- As all was before the element's chain.
    old_amounts bigint[]; old_helds bigint[]; old_sequences bigint[]; old_counts integer[];
    chain_number integer; chain_start integer; chain_status text; chain_replay boolean;
    -- Of a chain that was done before: what became of it, and which of its elements was refused.
    old_status text; old_member integer;
    e posting_element; j posting_judgement; busy record; taken money_transaction;
    verdict text; at integer := 0; a integer; b integer; i integer; n integer;
    current integer; latest integer; turn integer;
    -- What moves: from and to whom, and where they stand in `ids`, absent for system accounts.
    sources uuid[]; targets uuid[]; froms integer[]; tos integer[]; units bigint[]; coins text[];
    unit bigint; released bigint; from_seq bigint; to_seq bigint; moved integer;
    -- The accounts that the first half of an edit took from.
    edited integer[] := '{}';
    detail money_transaction;
    -- The verdict that stands under a chain's key, by the place of its first, and which of its
    -- elements, from 1, it is of.
    kept text[]; kept_member integer[];
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
    versions := array_fill(1, array[n]);
    select coalesce(bool_or(lines is not null), false), coalesce(bool_or(opens is not null), false),
        coalesce(bool_or(tags <> '{}'), false),
        coalesce(bool_or(kind = 'revision' or (kind = 'record' and version is not null)), false),
        array_agg(distinct coalesce(books, actor)) filter (where kind in ('record', 'revision'))
    into has_lines, has_deposits, has_tags, has_versions, bookers from unnest(asked) as e;

    select array_agg(distinct id order by id) into wanted
    from unnest(asked) as e cross join lateral (values (e.account), (e.counter)) as named (id)
    where id is not null;

    -- A deposit's currency may be new; its system accounts are made before anything is locked, for
    -- whoever makes them holds up others that need them until the end.
    if has_deposits then
        insert into account (id, kind, currency, exponent)
        select gen_random_uuid(), system.kind, coin, exponent
        from (
            select distinct opens ->> 'currency' as coin,
                (opens ->> 'exponent')::smallint as exponent
            from unnest(asked) as e
            where kind = 'deposit' and opens ->> 'currency' ~ '^[A-Z]{3}$'
                and (opens ->> 'exponent')::integer between 0 and 4
        ) as opened
        cross join unnest(array['equity', 'outside', 'position']) as system (kind)
        where not exists (
            select from account
            where user_id is null and kind = system.kind and currency = coin
        )
        order by coin, system.kind
        on conflict do nothing;
    end if;

    -- 1. Lock. No key update: inserts that refer to the account go on. All that is locked or
    -- referred to was made with the account (account_made): a row that this call made would hold up
    -- every other call that needs it, for as long as the transaction lasts.
    if waits then
        perform set_config('lock_timeout', '1s', true);
        awaited := wanted;
        if cardinality(wanted) > 1 then
            -- Which are to be waited for; the locks go with the block, unless all could be had.
            begin
                had := array(
                    select account_id from balance
                    where account_id = any (wanted)
                    order by account_id for no key update skip locked);
                awaited := array(
                    select account_id from balance
                    where account_id = any (wanted) and not account_id = any (had)
                    order by account_id);
                if cardinality(awaited) > 0 then raise exception using errcode = 'EW001'; end if;
            exception when sqlstate 'EW001' then null;
            end;
        end if;
        -- Each is seen free by itself, and let go again, before they are taken together: those that
        -- are held for long are waited for with nothing in hand. What is left is short, and in one
        -- order for everybody who waits.
        if cardinality(awaited) > 1 then
            foreach one in array awaited loop
                perform set_config('lock_timeout', greatest(1, 1000 - (extract(
                    epoch from clock_timestamp() - began) * 1000)::integer) || 'ms', true);
                begin
                    perform 1 from balance where account_id = one for no key update;
                    raise exception using errcode = 'EW001';
                exception when sqlstate 'EW001' then null;
                end;
            end loop;
            perform set_config('lock_timeout', '250ms', true);
        end if;
        perform 1 from balance
        where account_id = any (awaited) order by account_id for no key update;
        perform set_config('lock_timeout', '1s', true);
    end if;
    select array_agg(account_id), array_agg(amount), array_agg(held), array_agg(sequence)
    into had, amounts, helds, sequences from (
        select account_id, amount, held, sequence from balance
        where account_id = any (wanted) order by account_id for no key update skip locked
    ) as held;
    had := coalesce(had, '{}');
    -- Under the lock: whoever closes an account holds it too.
    select array_agg(id), array_agg(user_id), array_agg(kind), array_agg(currency),
        array_agg(exponent), array_agg(state), array_agg(name)
    into ids, users, kinds, currencies, exponents, states, names
    from (
        select * from account where id = any (wanted) and user_id is not null order by id
    ) as known;
    ids := coalesce(ids, '{}');
    if has_deposits then
        -- What is to be opened is nobody's yet: there is nothing to lock. It is only written where
        -- it is posted.
        select array_agg(id order by id), array_agg(owner order by id),
            array_agg(what order by id), array_agg(coin order by id),
            array_agg(digits order by id), array_agg(stand order by id),
            array_agg(called order by id), array_agg(amount order by id),
            array_agg(held order by id), array_agg(sequence order by id)
        into ids, users, kinds, currencies, exponents, states, names, amounts, helds, sequences
        from (
            select known.id, known.owner, known.what, known.coin, known.digits, known.stand,
                known.called, locked.amount, locked.held, locked.sequence
            from unnest(ids, users, kinds, currencies, exponents, states, names)
                as known (id, owner, what, coin, digits, stand, called)
            left join unnest(had, amounts, helds, sequences)
                as locked (id, amount, held, sequence) on locked.id = known.id
            union all
            select distinct on (counter) counter, actor, 'deposit', opens ->> 'currency',
                (opens ->> 'exponent')::smallint, 'open', opens ->> 'name',
                0::bigint, 0::bigint, 0::bigint
            from unnest(asked) as e
            where kind = 'deposit' and counter is not null and not counter = any (ids)
                and opens ->> 'currency' ~ '^[A-Z]{3}$'
                and (opens ->> 'exponent')::integer between 0 and 4
        ) as all_of_them;
        select array_agg(id), array_agg(amount), array_agg(held), array_agg(sequence)
        into had, amounts, helds, sequences
        from unnest(ids, amounts, helds, sequences) as locked (id, amount, held, sequence)
        where amount is not null;
        had := coalesce(had, '{}');
    end if;
    -- Deleted ones are left out of what was found: as a condition it could make a walk over an
    -- index of those that are not.
    select array_agg(id order by id) filter (where deleted_at is null),
        array_agg(user_id order by id) filter (where deleted_at is null),
        array_agg(coicop order by id) filter (where deleted_at is null)
    into label_ids, label_users, label_coicops
    from category where id = any (array(
        select category from unnest(asked) as e
        union all
        select (line ->> 'category')::uuid
        from unnest(asked) as e cross join lateral jsonb_array_elements(e.lines) as line
        where has_lines));
    select array_agg(user_id order by user_id), array_agg(id order by user_id),
        array_agg(coicop order by user_id)
    into other_users, other_ids, other_coicops
    from category where user_id = any (users || bookers) and is_default;
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

    -- What this call makes of a transaction only the next one can read: whoever would take back or
    -- change a version that an element before makes waits for it, with its chain. Of a transfer
    -- either side may be meant.
    if has_versions then
        -- The first that makes a version, by its transaction and by its account; each sorted.
        select array_agg(id order by id) filter (where not is_account),
            array_agg(first order by id) filter (where not is_account),
            array_agg(id order by id) filter (where is_account),
            array_agg(first order by id) filter (where is_account)
        into versioned_ids, versioned_firsts, version_accounts, account_firsts
        from (
            select id, is_account, min(ordinality) as first
            from unnest(asked) with ordinality as e
            cross join lateral (values (transaction, false), (account, true))
                as named (id, is_account)
            where id is not null
                and (kind = 'revision' or (kind = 'record' and version is not null))
            group by id, is_account
        ) as versioned;
        for busy in
            select at,
                bool_or(kind in ('reversal', 'revision', 'record') and (
                    (versioned_ids[of_it] = transaction and versioned_firsts[of_it] < first)
                    or (counter is not null and (
                        (version_accounts[of_account] = account
                            and account_firsts[of_account] < first)
                        or (version_accounts[of_counter] = counter
                            and account_firsts[of_counter] < first)))
                )) over (partition by part) as busy
            from (
                select at, part, kind, transaction, account, counter,
                    min(at) over (partition by part) as first,
                    width_bucket(transaction, versioned_ids) as of_it,
                    width_bucket(account, version_accounts) as of_account,
                    width_bucket(counter, version_accounts) as of_counter
                from (
                    select ordinality as at, coalesce(chain::text, 'alone ' || ordinality) as part,
                        kind, transaction, account, counter
                    from unnest(asked) with ordinality as e
                ) as listed
            ) as later
        loop
            if busy.busy then statuses[busy.at] := 'busy'; end if;
        end loop;
    end if;

    -- 2. Claim the keys, sorted: in any other order two calls wait for each other.
    with keyed as (
        select scope, key, decode(hash, 'hex') as hash, entry, transaction, transfer,
            case when chain is not null then array(
                select coalesce(member.transfer, member.transaction)
                from unnest(asked) with ordinality as member
                where member.chain = e.chain order by member.ordinality
            ) end as members,
            ordinality as at
        from unnest(asked) with ordinality as e
        where scope is not null and key is not null and hash <> '' and statuses[ordinality] is null
    ), claims as (
        insert into operation
            (scope, key, request_hash, call_id, status, entry_id, transaction_id, transfer_id,
                members)
        select distinct on (scope, key)
            scope, key, hash, call, 'posted', entry, transaction, transfer, members
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
                or e.kind not in ('record', 'transfer', 'opening', 'reversal', 'revision',
                    'deposit', 'hold', 'capture', 'void', 'expiry')
                or e.entry is null or e.account is null
                or (e.kind not in ('opening', 'capture', 'void', 'expiry')
                    and (e.transaction is null)
                    <> (e.kind = 'reversal' and e.reverses is not null))
                or (e.kind in ('record', 'opening', 'transfer', 'deposit', 'hold', 'capture')
                    and e.day is null)
                or (e.kind in ('record', 'opening') and (e.amount is null or e.currency is null))
                or (e.kind in ('transfer', 'deposit', 'hold') and (
                    e.counter is null or e.transfer is null or e."counterTransaction" is null
                    or e."counterTransaction" = e.transaction
                    or (e.quote is null and (e.amount is null or e.currency is null))
                    or length(e.reference) > 140))
                or (e.kind in ('capture', 'void', 'expiry')
                    and (e.counter is null or e.transfer is null))
                or (e.kind = 'expiry' and e."asService" is not true)
                or (e.kind = 'hold') <> (e.expires is not null)
                or (e.kind = 'deposit') <> (e.opens is not null)
                or (e.kind = 'deposit' and (e.actor is null
                    or e.opens ->> 'name' is null or e.opens ->> 'folded' is null))
                or coalesce(e.version, 1) < 1
                or (e.reverses is not null and e.kind <> 'reversal')
                or (e.lines is not null and e.kind not in ('record', 'revision'))
                or (e.latitude is null) <> (e.longitude is null)
            then 'invalid-element'
            when e.lines is not null and (
                e.category is not null or jsonb_typeof(e.lines) <> 'array'
                or jsonb_array_length(e.lines) not between 1 and 100
                or (e.kind = 'record' and e.amount is distinct from (
                    select sum((line ->> 'amount')::numeric)
                    from jsonb_array_elements(e.lines) as line))
                or exists (
                    select from jsonb_array_elements(e.lines) as line
                    where coalesce((line ->> 'amount')::bigint, 0) = 0
                        or line ->> 'category' is null)
                or (select count(distinct line ->> 'category') <> count(*)
                    from jsonb_array_elements(e.lines) as line)
            ) then 'invalid-element'
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
                -- The payee may give a hold up, too.
                when e.kind = 'void' and e.actor in (owner, users[counter_place]) then null
                when owner <> e.actor and (e.kind in (
                    'opening', 'transfer', 'deposit', 'hold', 'capture', 'void'
                ) or not exists (
                    select from account_member
                    where account_id = e.account and user_id = e.actor and role = 'editor'
                        and left_at is null
                    offset 0))
                then 'forbidden'
                when e.kind = 'reversal' and users[counter_place] <> e.actor and not exists (
                    select from account_member
                    where account_id = e.counter and user_id = e.actor and role = 'editor'
                        and left_at is null
                    offset 0)
                then 'forbidden'
                end,
                -- The categories: the one named must be of whom it is counted for; else «Others».
                case
                when e.kind in ('opening', 'reversal', 'hold', 'void', 'expiry') then null
                when label is null then 'category-not-found'
                when e.lines is not null and exists (
                    select from jsonb_array_elements(e.lines) as line
                    cross join lateral (
                        select width_bucket((line ->> 'category')::uuid, label_ids) as place
                        offset 0
                    ) as found_line
                    where label_ids[place] is distinct from (line ->> 'category')::uuid
                        or label_users[place] <> booker)
                then 'category-not-found'
                when e.kind in ('transfer', 'deposit', 'capture')
                    and other_ids[counter_other] is null
                then 'category-not-found'
                end,
                -- The folder: a first version alone, for what is in one stays there.
                case
                when e.kind = 'record' and e.folder is not null and e.version is null
                    and e.actor is not null and not exists (
                    select from folder_member
                    where folder_id = e.folder and user_id = e.actor
                        and access in ('owner', 'write') and left_at is null
                    offset 0)
                then 'folder-not-found'
                end,
                -- Amount and currency.
                case
                when e.kind in ('record', 'opening') then case
                    when e.amount < -maximum then 'invalid-amount'
                    when e.currency <> coin then 'currency-mismatch'
                    end
                when e.kind not in ('transfer', 'deposit', 'hold') then null
                -- What is held has one amount.
                when e.kind = 'hold' and coin <> counter_coin then 'currency-mismatch'
                when e.quote is null then case
                    when e.amount <= 0 then 'invalid-amount'
                    when e.currency <> coin or e.currency <> counter_coin then 'currency-mismatch'
                    end
                when quoted.id is null then 'quote-not-found'
                when quoted.from_account <> e.account
                    or case when e.kind = 'deposit' then quoted.to_currency is distinct from
                        counter_coin else quoted.to_account is distinct from e.counter end
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
                when e.kind in ('revision', 'void', 'expiry') then null
                when 'closed' in (states[place], states[counter_place]) then 'account-closed'
                when 'frozen' in (states[place], states[counter_place]) then 'account-frozen'
                when e.kind in ('transfer', 'hold') and not own and e."asService" is not true
                    and kinds[place] not in ('current', 'deposit')
                then 'account-kind'
                when e.kind = 'opening' and kinds[place] <> 'wallet' then 'account-kind'
                when e.kind = 'deposit' and exists (
                    select from account
                    where user_id = owner and name_folded = e.opens ->> 'folded'
                        and state <> 'closed'
                    offset 0)
                then case when e.opens ->> 'proposed' is null then 'account-name-taken'
                    else 'proposed-name-taken' end
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
            case when e.kind in ('transfer', 'deposit') and coin <> counter_coin then (
                select id from account
                where user_id is null and kind = 'position' and currency = counter_coin)
            end,
            quoted.rate_numerator, quoted.rate_denominator, quoted.rate_day, quoted.rate_source
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
                width_bucket(e.category, label_ids) as category_place,
                width_bucket((e.lines -> 0 ->> 'category')::uuid, label_ids) as line_place
            offset 0
        ) as found
        cross join lateral (
            select users[place] as owner, booker, users[place] = users[counter_place] as own,
                currencies[place] as coin, currencies[counter_place] as counter_coin,
                case when other_users[width_bucket(booker, other_users)] = booker
                    then width_bucket(booker, other_users) end as other,
                case when other_users[width_bucket(users[counter_place], other_users)]
                        = users[counter_place]
                    then width_bucket(users[counter_place], other_users) end as counter_other,
                case when e.quote is null then e.amount
                    else coalesce(quoted.debit_amount, e.amount) end as debit,
                case when e.quote is null then e.amount
                    else coalesce(quoted.credit_amount, e."counterAmount") end as credit
            from (
                select case when e.kind in ('record', 'revision')
                    then coalesce(e.books, e.actor, users[place]) else users[place] end as booker
                offset 0
            ) as counted
            offset 0
        ) as known
        cross join lateral (
            select case
                    when e.lines is not null then label_ids[line_place]
                    when e.category is null then other_ids[other]
                    when label_ids[category_place] = e.category
                        and label_users[category_place] = booker
                    then e.category end as label,
                case
                    when e.lines is not null then label_coicops[line_place]
                    when e.category is null then other_coicops[other]
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
                old_helds := helds;
                old_sequences := sequences;
                old_counts := array[
                    cardinality(movements), cardinality(details), cardinality(gone),
                    cardinality(taken_back), cardinality(quotes_used), cardinality(ended),
                    cardinality(names_taken), cardinality(holds_ended)
                ];
            end if;
            -- The key.
            if e.scope is null or e.key is null or coalesce(e.hash, '') = '' then
                verdict := 'invalid-element';
            elsif not fresh then
                if claim.request_hash <> decode(e.hash, 'hex') then
                    verdict := 'key-reused';
                elsif claim.call_id <> call then
                    old_status := claim.status;
                    old_member := claim.refused_member;
                    old_entries[at] := claim.entry_id;
                    old_transactions[at] := claim.transaction_id;
                    old_transfers[at] := claim.transfer_id;
                    chain_replay := true;
                elsif first_place <> at then
                    old_status := coalesce(kept[first_place], statuses[first_place]);
                    old_member := kept_member[first_place];
                    old_entries[at] := (asked[first_place]).entry;
                    old_transactions[at] := (asked[first_place]).transaction;
                    old_transfers[at] := (asked[first_place]).transfer;
                    chain_replay := true;
                end if;
            end if;
        elsif chain_replay then
            if e.transfer is null then
                old_transactions[at] := claim.members[at - chain_start + 1];
            else
                old_transfers[at] := claim.members[at - chain_start + 1];
            end if;
        elsif chain_status is not null then
            verdict := 'chain-failed';
        -- Who has no key is in a chain that a key leads, and nobody else.
        elsif e.scope is not null or e.key is not null then
            verdict := 'invalid-element';
        end if;
        if chain_replay then
            replays[at] := true;
            statuses[at] := case when old_member <> at - chain_start + 1 then 'chain-failed'
                else old_status end;
            continue;
        end if;
        verdict := coalesce(verdict, j.early);

        -- What it takes back or follows.
        if verdict is null and (
            e.kind in ('reversal', 'revision') or e.version is not null
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
            elsif e.kind in ('reversal', 'revision') then
                select * into taken from money_transaction
                where id = e.transaction and version = current;
                -- The accounts named are exactly those that the entry moved: only they are locked.
                if taken.id is null or taken.version <> coalesce(e.version, taken.version)
                    or taken.id = any (ended_ids)
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
                elsif e.lines is not null and taken.amount is distinct from (
                    select sum((line ->> 'amount')::numeric)
                    from jsonb_array_elements(e.lines) as line)
                then
                    verdict := 'invalid-element';
                end if;
            elsif e.kind = 'record' then
                -- The next version stands only where the one before was taken back, here or
                -- earlier. Without one the transaction is new: were it not, its primary key would
                -- say so.
                if coalesce(latest, 0) + 1 <> e.version
                    or (current is not null and not e.transaction = any (ended_ids))
                then
                    verdict := 'transaction-exists';
                end if;
            end if;
        end if;
        if verdict is null and e.kind in ('capture', 'void', 'expiry') then
            select * into hold from transfer where id = e.transfer;
            if hold.id is null or hold.from_account <> e.account or hold.to_account <> e.counter
                or hold.expires_at is null
            then
                verdict := 'transfer-not-found';
            elsif hold.state <> 'pending' or hold.id = any (holds_ended)
                or (e.kind = 'capture' and hold.expires_at <= moment)
                or (e.kind = 'expiry' and hold.expires_at > moment)
            then
                verdict := 'hold-ended';
            end if;
        end if;
        verdict := coalesce(verdict, j.late);
        if verdict is null and e.quote = any (quotes_used) then
            verdict := 'quote-used';
        end if;
        if verdict is null and e.kind = 'deposit'
            and e.actor || ' ' || (e.opens ->> 'folded') = any (names_taken)
        then
            verdict := case when e.opens ->> 'proposed' is null then 'account-name-taken'
                else 'proposed-name-taken' end;
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
            if e.kind in ('transfer', 'deposit', 'capture')
                and currencies[j.place] = currencies[j.counter_place]
            then
                sources := array[e.account]; targets := array[e.counter];
                froms := array[j.place]; tos := array[j.counter_place];
                units := array[case e.kind when 'capture' then hold.debit_amount else j.debit end];
                coins := array[currencies[j.place]];
            elsif e.kind in ('transfer', 'deposit') then
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
            elsif e.kind in ('record', 'opening') and e.amount > 0 then
                sources := array[j.system]; targets := array[e.account];
                froms := array[null::integer]; tos := array[j.place];
                units := array[e.amount]; coins := array[e.currency];
            elsif e.kind in ('record', 'opening') and e.amount < 0 then
                sources := array[e.account]; targets := array[j.system];
                froms := array[j.place]; tos := array[null::integer];
                units := array[-e.amount]; coins := array[e.currency];
            end if;

            -- What is captured was held for this.
            released := case e.kind when 'capture' then hold.debit_amount else 0 end;
            -- Overflow, on the way, of what is there and of what is left of it beside what is held;
            -- then funds, once all of it has moved.
            for i in 1 .. cardinality(units) loop
                a := froms[i]; b := tos[i]; unit := units[i];
                if amounts[a] < unit - maximum + (helds[a] - case a when j.place then released
                        else 0 end)
                    or amounts[b] > maximum - unit
                then
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
            if e.kind = 'reversal' and (asked[at + 1]).kind = 'record'
                and (asked[at + 1]).chain = e.chain
                and (asked[at + 1]).transaction = e.transaction
            then
                -- An edit: what counts is what there is once it is recorded anew.
                edited := froms;
            else
                foreach a in array froms[1:moved] || edited loop
                    if amounts[a] < helds[a] - released and kinds[a] <> 'wallet' and verdict is null
                    then
                        verdict := 'insufficient-funds';
                    end if;
                end loop;
                edited := '{}';
            end if;
            if e.kind = 'hold' then
                if helds[j.place] > maximum - j.debit
                    or amounts[j.place]::numeric - helds[j.place] - j.debit < -maximum
                then
                    verdict := 'overflow';
                elsif amounts[j.place]::numeric - helds[j.place] < j.debit
                    and kinds[j.place] <> 'wallet'
                then
                    verdict := 'insufficient-funds';
                else
                    helds[j.place] := helds[j.place] + j.debit;
                end if;
            elsif e.kind in ('capture', 'void', 'expiry') and verdict is null then
                helds[j.place] := helds[j.place] - hold.debit_amount;
            end if;
        end if;

        -- Refused: as if it and its chain had never been.
        if verdict is not null then
            refused := true;
            statuses[at] := verdict;
            edited := '{}';
            if e.chain is not null then
                amounts := old_amounts;
                helds := old_helds;
                sequences := old_sequences;
                movements := movements[1:old_counts[1]];
                details := details[1:old_counts[2]];
                posted_turns := posted_turns[1:old_counts[2]];
                gone := gone[1:old_counts[3]];
                gone_turns := gone_turns[1:old_counts[3]];
                taken_back := taken_back[1:old_counts[4]];
                quotes_used := quotes_used[1:old_counts[5]];
                ended := ended[1:old_counts[6]];
                ended_ids := ended_ids[1:old_counts[6]];
                names_taken := names_taken[1:old_counts[7]];
                holds_ended := holds_ended[1:old_counts[8]];
                endings := endings[1:old_counts[8]];
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
                kept_member[chain_start] := at - chain_start + 1;
                for i in chain_start .. at - 1 loop
                    statuses[i] := 'chain-failed';
                end loop;
            end if;
            continue;
        end if;

        -- Posted.
        statuses[at] := 'posted';
        if e.quote is not null then quotes_used := array_append(quotes_used, e.quote); end if;
        if e.kind = 'record' then
            versions[at] := coalesce(e.version, 1);
        elsif e.kind = 'deposit' then
            names_taken := array_append(names_taken, e.actor || ' ' || (e.opens ->> 'folded'));
        elsif e.kind in ('capture', 'void', 'expiry') then
            holds_ended := array_append(holds_ended, hold.id);
            endings := array_append(endings, at);
        elsif e.kind = 'reversal' then
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
                ended_ids := array_append(ended_ids, detail.id);
                ended := array_append(
                    ended, row(detail.id, detail.version, e.entry)::ended_version);
                gone := array_append(gone, detail);
                gone_turns := array_append(gone_turns, turn);
                turn := turn + 1;
            end loop;
        elsif e.kind = 'revision' then
            taken_days[at] := taken.day;
            ended_ids := array_append(ended_ids, taken.id);
            ended := array_append(ended, row(taken.id, taken.version, e.entry)::ended_version);
            gone := array_append(gone, taken);
            gone_turns := array_append(gone_turns, at * 2);
            taken.version := taken.version + 1;
            taken.user_id := coalesce(e.books, e.actor, taken.user_id);
            versions[at] := taken.version;
            taken.entry_id := e.entry;
            taken.category_id := j.label;
            taken.coicop := j.coicop;
            taken.name := e.name;
            taken.description := e.description;
            taken.is_split := e.lines is not null;
            taken.tags := coalesce(e.tags, '{}');
            taken.latitude := e.latitude;
            taken.longitude := e.longitude;
            taken.place := e."placeName";
            taken.folder_id := e.folder;
            taken.recorded_at := moment;
            details := array_append(details, taken);
            posted_turns := array_append(posted_turns, at * 2 + 1);
        end if;
    end loop;

    -- 5. Write. What is opened first: its balance and its events' sequence are made with it.
    if has_deposits then
        insert into account (id, user_id, kind, currency, exponent, name, name_folded, iban)
        select counter, actor, 'deposit', opens ->> 'currency', (opens ->> 'exponent')::smallint,
            opens ->> 'name', opens ->> 'folded', opens ->> 'iban'
        from unnest(asked) with ordinality as e
        where kind = 'deposit' and statuses[ordinality] = 'posted' and not replays[ordinality];
        with opened as materialized (
            select counter, actor, opens ->> 'currency' as coin, traceparent
            from unnest(asked) with ordinality as e
            where kind = 'deposit' and statuses[ordinality] = 'posted' and not replays[ordinality]
        ), drawn as (
            update aggregate_sequence as held set sequence = held.sequence + 1
            from opened
            where held.aggregate = 'account:' || opened.counter
                and held.aggregate = any (array(select 'account:' || counter from opened))
            returning opened.counter, opened.actor, opened.coin, opened.traceparent, held.sequence
        )
        -- `wallet.account.opened.v1`.
        insert into outbox (aggregate, sequence, type, event_id, payload, traceparent)
        select 'account:' || counter, sequence, 'wallet.account.opened.v1', gen_random_uuid(),
            ('{"accountId":"' || counter || '","userId":"' || actor
                || '","kind":"deposit","currency":"' || coin || '","openedAt":"' || recorded
                || '"}')::json,
            traceparent
        from drawn;
    end if;
    update balance
    set amount = amounts[width_bucket(account_id, ids)],
        held = helds[width_bucket(account_id, ids)],
        sequence = sequences[width_bucket(account_id, ids)]
    where account_id = any (had)
        and (sequence <> sequences[width_bucket(account_id, ids)]
            or held <> helds[width_bucket(account_id, ids)]);
    -- What is taken back ends first: a transaction has one current version.
    if cardinality(ended) > 0 then
        update money_transaction as kept
        set reversed_by = gone.entry_id, xid = pg_current_xact_id()
        from unnest(ended) as gone
        where kept.id = gone.id and kept.version = gone.version
            and kept.id = any (array(select id from unnest(ended)));
        update transaction_line as line set is_current = false
        from unnest(gone) as old
        where old.is_split and line.transaction_id = old.id and line.version = old.version
            and line.transaction_id = any (
                array(select id from unnest(gone) as old where old.is_split));
        delete from transaction_tag
        where transaction_id = any (
            array(select id from unnest(gone) as old where old.tags <> '{}'));
    end if;
    insert into entry (id, kind, actor_id, day, recorded_at, reverses, transactions, versions)
    select entry, kind, actor,
        coalesce(day, taken_days[ordinality], (moment at time zone 'UTC')::date), moment,
        taken_entries[ordinality],
        case
        when kind in ('record', 'revision') then array[transaction]
        when kind in ('transfer', 'deposit') then array[transaction, "counterTransaction"]
        when kind = 'capture' then (
            select array[from_transaction, to_transaction] from transfer where id = e.transfer)
        else '{}' end,
        case
        when kind in ('record', 'revision') then array[versions[ordinality]]
        when kind in ('transfer', 'deposit', 'capture') then array[1, 1]
        else '{}' end
    from unnest(asked) with ordinality as e
    where statuses[ordinality] = 'posted' and not replays[ordinality];
    insert into movement
        (entry_id, debit_account, credit_account, currency, amount, debit_seq, credit_seq)
    select entry_id, debit_account, credit_account, currency, amount, debit_seq, credit_seq
    from unnest(movements);
    insert into transfer (
        id, entry_id, from_account, to_account, from_transaction, to_transaction, debit_amount,
        credit_amount, quote_id, reference, rate_numerator, rate_denominator, rate_day,
        rate_source, recorded_at, salt, reference_hash, state, expires_at)
    select transfer, entry, account, counter, transaction, "counterTransaction", debit, credit,
        quote, reference, rate_numerator, rate_denominator, rate_day, rate_source, moment,
        case when reference is not null then salt end,
        case when reference is not null
            then words_hash(salt, reference, null, '{}', null, null, null) end,
        case kind when 'hold' then 'pending' else 'posted' end, expires
    from (
        select e.*, gen_random_uuid() as salt
        from rows from (unnest(asked), unnest(judged)) with ordinality as e
        where kind in ('transfer', 'deposit', 'hold') and statuses[ordinality] = 'posted'
            and not replays[ordinality]
        offset 0
    ) as made;
    if cardinality(holds_ended) > 0 then
        update transfer as held
        set state = case (asked[ending]).kind
                when 'capture' then 'posted' when 'void' then 'voided' else 'expired' end,
            ended_by = (asked[ending]).entry, xid = pg_current_xact_id()
        from unnest(holds_ended, endings) as ended (id, ending)
        where held.id = ended.id and held.id = any (holds_ended);
    end if;
    if has_lines then
        insert into transaction_line (
            transaction_id, version, place, user_id, day, category_id, coicop, amount)
        select transaction, versions[e.ordinality], line.ordinality,
            coalesce(e.books, e.actor, users[j.place]),
            coalesce(day, taken_days[e.ordinality]), (value ->> 'category')::uuid,
            label_coicops[width_bucket((value ->> 'category')::uuid, label_ids)],
            (value ->> 'amount')::bigint
        from rows from (unnest(asked)) with ordinality as e
        cross join lateral (select (judged[e.ordinality]).place as place offset 0) as j
        cross join lateral jsonb_array_elements(e.lines) with ordinality as line (value, ordinality)
        where e.lines is not null and statuses[e.ordinality] = 'posted'
            and not replays[e.ordinality];
    end if;
    if has_tags then
        insert into transaction_tag (user_id, tag, day, transaction_id)
        select coalesce(e.books, e.actor, users[(judged[e.ordinality]).place]), tag,
            coalesce(day, taken_days[e.ordinality]), transaction
        from unnest(asked) with ordinality as e cross join lateral unnest(e."foldedTags") as tag
        where kind in ('record', 'revision') and statuses[e.ordinality] = 'posted'
            and not replays[e.ordinality]
        on conflict do nothing;
    end if;

    -- The transactions, and what is told of them: each account's next sequences, drawn under its
    -- lock, for the account is the events' aggregate.
    with change as materialized (
        select *, count(*) over accounts as total, dense_rank() over (order by account_id) as nth,
            case when change = 'posted' then gen_random_uuid() end as salt
        from (
            select ordinality * 2 as turn, 'posted' as change,
                coalesce(held.from_transaction, transaction) as id,
                coalesce(version, 1) as version, entry as entry_id, entry as money_entry_id,
                account as account_id, place as spot,
                case when kind = 'record' then coalesce(books, actor, users[place])
                    else users[place] end as user_id,
                case kind when 'record' then amount else -coalesce(held.debit_amount, debit) end
                    as amount,
                day, label as category_id, coicop,
                case when "counterIsOwn" then coalesce(name, names[counter_place]) else name end
                    as name,
                description, transfer as transfer_id,
                kind <> 'record' and own as own_transfer, import as import_id,
                moment as recorded_at, lines is not null as is_split,
                coalesce(tags, '{}') as tags, latitude, longitude, "placeName" as place,
                folder as folder_id, recurrence as recurrence_id, traceparent
            from rows from (unnest(asked), unnest(judged)) with ordinality as e
            left join lateral (
                select from_transaction, debit_amount from transfer
                where e.kind = 'capture' and id = e.transfer limit 1
            ) as held on true
            where kind in ('record', 'transfer', 'deposit', 'capture')
                and statuses[ordinality] = 'posted' and not replays[ordinality]
            union all
            select ordinality * 2 + 1, 'posted',
                coalesce(held.to_transaction, "counterTransaction"), 1, entry, entry, counter,
                counter_place, users[counter_place], coalesce(held.credit_amount, credit), day,
                counter_label, counter_coicop,
                case when "counterIsOwn" then coalesce("counterName", names[place])
                    else "counterName" end,
                description, transfer, own, null, moment, false, '{}', null, null, null, null, null,
                traceparent
            from rows from (unnest(asked), unnest(judged)) with ordinality as e
            left join lateral (
                select to_transaction, credit_amount from transfer
                where e.kind = 'capture' and id = e.transfer limit 1
            ) as held on true
            where kind in ('transfer', 'deposit', 'capture')
                and statuses[ordinality] = 'posted' and not replays[ordinality]
            union all
            select turn, 'posted', id, version, entry_id, money_entry_id, account_id,
                width_bucket(account_id, ids), user_id, amount, day, category_id, coicop, name,
                description, transfer_id, own_transfer, import_id, recorded_at, is_split, tags,
                latitude, longitude, place, folder_id, recurrence_id,
                (asked[turn / 2]).traceparent
            from rows from (unnest(details), unnest(posted_turns)) as revised (
                id, version, entry_id, money_entry_id, account_id, user_id, amount, day,
                category_id, coicop, name, description, transfer_id, own_transfer, import_id,
                recorded_at, reversed_by, is_split, tags, latitude, longitude, place, folder_id,
                recurrence_id, salt, words_hash, xid, turn)
            union all
            select turn, 'reversed', id, version, entry_id, money_entry_id, account_id,
                width_bucket(account_id, ids), user_id, amount, day, category_id, coicop, name,
                description, transfer_id, own_transfer, import_id, recorded_at, is_split, tags,
                latitude, longitude, place, folder_id, recurrence_id,
                (asked[turn / 2]).traceparent
            from rows from (unnest(gone), unnest(gone_turns)) as reversed (
                id, version, entry_id, money_entry_id, account_id, user_id, amount, day,
                category_id, coicop, name, description, transfer_id, own_transfer, import_id,
                recorded_at, reversed_by, is_split, tags, latitude, longitude, place, folder_id,
                recurrence_id, salt, words_hash, xid, turn)
        ) as changes
        window accounts as (partition by account_id)
    ), kept as (
        insert into money_transaction (
            id, version, entry_id, money_entry_id, account_id, user_id, amount, day, category_id,
            coicop, name, description, transfer_id, own_transfer, import_id, recorded_at, is_split,
            tags, latitude, longitude, place, folder_id, recurrence_id, salt, words_hash)
        select id, version, entry_id, money_entry_id, account_id, user_id, amount, day,
            category_id, coicop, name, description, transfer_id, own_transfer, import_id,
            recorded_at, is_split, tags, latitude, longitude, place, folder_id, recurrence_id,
            salt, words_hash(salt, name, description, tags, latitude, longitude, place)
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
            || '","accountKind":"' || kinds[spot] || '","amount":{"amount":"'
            -- By multiplication: a division rounds.
            || amount * scales[exponents[spot] + 1] || '","currency":"' || currencies[spot]
            || '"},"day":"' || to_char(day, 'YYYY-MM-DD') || '","categoryId":"' || category_id
            || coalesce('","coicop":"' || coicop, '')
            || coalesce('","transferId":"' || transfer_id, '')
            || '","ownTransfer":' || case when own_transfer then 'true' else 'false' end
            || case when not is_split then '' else ',"lines":[' || (
                select string_agg(
                    '{"categoryId":"' || line.category_id
                        || coalesce('","coicop":"' || line.coicop, '')
                        || '","amount":{"amount":"' || line.amount * scales[exponents[spot] + 1]
                        || '","currency":"' || currencies[spot] || '"}}',
                    ',' order by line.place)
                from transaction_line as line
                where line.transaction_id = change.id and line.version = change.version
            ) || ']' end
            || ',"recordedAt":"' || recorded || '"}')::json,
        traceparent
    from change order by turn;

    -- Keys were claimed as posted. The few that were refused are kept as such, but for what may
    -- be otherwise the next time. Who was busy has claimed none, though another element may have
    -- claimed the same.
    if refused then
        for at in 1 .. n loop
            e := asked[at];
            continue when statuses[at] in ('posted', 'busy') or not (fresh or claimed[at]);
            verdict := coalesce(kept[at], statuses[at]);
            if verdict = any (never_kept) then
                delete from operation
                where scope = e.scope and key = e.key and call_id = call;
                continue;
            end if;
            update operation
            set status = verdict, entry_id = null, transaction_id = null, transfer_id = null,
                members = null, refused_member = kept_member[at]
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

-- Closes an account, or says why not; of a version, where one is expected. Under the locks of all
-- its owner's open accounts, so that two calls at once cannot close the last two; the balance's own
-- lock keeps postings away meanwhile.
-- Whoever meets an account that is held tries again, and keeps no connection until then.
create function close_account_v1(
    wanted uuid, actor uuid, expected integer default null
) returns text
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
    if chosen.version <> expected then return 'changed'; end if;
    if chosen.state = 'closed' then return 'closed'; end if;
    if chosen.kind = 'allowance' then return 'allowance-account'; end if;
    select count(*) into others from account
    where user_id = actor and state <> 'closed' and id <> wanted;
    if others = 0 then return 'last-account'; end if;
    -- What is held for it may arrive at any time.
    if coalesce(stored.held, 0) <> 0
        or (chosen.kind <> 'wallet' and coalesce(stored.amount, 0) <> 0)
        or exists (
            select from transfer
            where to_account = wanted and state = 'pending' and expires_at is not null limit 1)
    then
        return 'account-not-empty';
    end if;
    update account
    set state = 'closed', closed_at = now(), version = version + 1, xid = pg_current_xact_id()
    where id = wanted;
    return 'closed';
end
$function$;

-- Those of some accounts that are locked just now, for whoever would rather not wait behind them.
create function locked_accounts_v1(wanted uuid[]) returns setof uuid
language sql volatile security definer
set search_path = ledger, pg_temp
set enable_seqscan = off
as $function$
    select account_id from balance where account_id = any (wanted)
    except
    select account_id from (
        select account_id from balance
        where account_id = any (wanted) order by account_id for no key update skip locked
    ) as free
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
        'ledger.post_batch_v1(jsonb, timestamptz, boolean)',
        'ledger.account_made()',
        'ledger.close_account_v1(uuid, uuid, integer)',
        'ledger.locked_accounts_v1(uuid[])',
        'ledger.forget_operations_v1()'
    ] loop
        execute format('revoke all on function %s from public', signature);
        execute format('alter function %s owner to %I', signature, poster);
    end loop;
    execute format('revoke create on schema ledger from %I', poster);
    execute format(
        'grant execute on function ledger.post_batch_v1(jsonb, timestamptz, boolean), '
        'ledger.close_account_v1(uuid, uuid, integer), ledger.locked_accounts_v1(uuid[]), '
        'ledger.forget_operations_v1() to %I',
        service);
end
$$;
