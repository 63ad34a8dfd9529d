
    statuses := array_fill(null::text, array[n]);

    -- 1. Busy. A chain is busy as a whole, or its part that is not would be posted alone.
    if cardinality(ids) < cardinality(wanted) then
        had := array(
            select account_id from balance
            where account_id = any (wanted) and not account_id = any (ids));
        if cardinality(had) > 0 then
            select array_agg(case when is_busy then 'busy' end order by place) into statuses
            from (
                select place, bool_or(account = any (had) or counter = any (had)) over (
                    partition by coalesce(chain::text, 'alone ' || place)) as is_busy
                from unnest(accounts, counters, chains)
                    with ordinality as asked (account, counter, chain, place)
            ) as listed;
        end if;
    end if;

    -- What this call makes of a transaction only the next one can read: whoever would take back or
    -- change a version that an element before makes waits for it, with its chain. Of a transfer
    -- either side may be meant.
    if n > 1 and ('revision' = any (kinds) or wanted_versions is not null) then
        with asked as materialized (
            select place, kind, line, account, counter,
                coalesce(chain::text, 'alone ' || place) as part,
                min(place) over (partition by coalesce(chain::text, 'alone ' || place)) as first,
                kind = 'revision' or (kind = 'record' and version is not null) as makes_version
            from unnest(kinds, line_ids, accounts, counters, chains, wanted_versions)
                with ordinality
                as listed (kind, line, account, counter, chain, version, place)
        ), made as (
            select id, is_account, min(place) as first
            from asked
            cross join lateral (values (line, false), (account, true)) as named (id, is_account)
            where makes_version and id is not null
            group by id, is_account
        ), late as (
            select distinct asked.part
            from asked
            join made on made.first < asked.first and (
                (not made.is_account and made.id = asked.line)
                or (made.is_account and asked.counter is not null
                    and made.id in (asked.account, asked.counter)))
            where asked.kind in ('reversal', 'revision', 'record')
        )
        select array_agg(
            case when late.part is not null then 'busy' else statuses[asked.place] end
            order by asked.place) into statuses
        from asked left join late on late.part = asked.part;
    end if;

    if opens_any then
        -- What is to be opened is nobody's yet: there is nothing to lock. It is only written where
        -- it is posted.
        select array_agg(id order by id), array_agg(owner order by id),
            array_agg(what order by id), array_agg(coin order by id),
            array_agg(digits order by id), array_agg(stand order by id),
            array_agg(name order by id), array_agg(other order by id),
            array_agg(balance order by id), array_agg(held order by id),
            array_agg(sequence order by id)
        into ids, owners, account_kinds, coins, exponents, states, called, others, balances, helds,
            sequences
        from (
            select * from unnest(ids, owners, account_kinds, coins, exponents, states, called,
                others, balances, helds, sequences)
                as locked (id, owner, what, coin, digits, stand, name, other, balance, held,
                    sequence)
            union all
            select distinct on (counter) counter, actor, 'deposit', opens ->> 'currency',
                (opens ->> 'exponent')::smallint, 'open', opens ->> 'name',
                (select id from category where user_id = actor and is_default),
                0::bigint, 0::bigint, 0::bigint
            from unnest(kinds, counters, actors, openings) as asked (kind, counter, actor, opens)
            where kind = 'deposit' and counter is not null and not counter = any (ids)
                and opens ->> 'currency' ~ '^[A-Z]{3}$'
                and (opens ->> 'exponent')::integer between 0 and 4
        ) as all_of_them;
        ids := coalesce(ids, '{}');
    end if;
    first_balances := balances;
    first_helds := helds;
    first_sequences := sequences;

    if categories <> array_fill(null::uuid, array[n]) then
        -- Deleted ones are left out of what was found: as a condition it could make a walk over an
        -- index of those that are not.
        select array_agg(id order by id) filter (where deleted_at is null),
            array_agg(user_id order by id) filter (where deleted_at is null),
            array_agg(category.coicop order by id) filter (where deleted_at is null)
        into known_labels, label_users, label_coicops
        from category where id = any (categories);
    end if;
