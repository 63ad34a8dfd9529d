    -- A deposit's currency may be new; its system accounts are made before anything is locked, for
    -- whoever makes them holds up others that need them until the end.
    if opens_any then
        insert into account (id, kind, currency, exponent)
        select gen_random_uuid(), system.kind, coin, exponent
        from (
            select distinct opens ->> 'currency' as coin,
                (opens ->> 'exponent')::smallint as exponent
            from unnest(kinds, openings) as asked (kind, opens)
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

    -- Lock. No key update: inserts that refer to the account go on. All that is locked or referred
    -- to was made with the account (account_made): a row that this call made would hold up every
    -- other call that needs it, for as long as the transaction lasts.
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
    -- With all that is asked of an account: whoever closes one holds this lock, too.
    select array_agg(account_id), array_agg(user_id), array_agg(kind), array_agg(currency),
        array_agg(exponent), array_agg(state), array_agg(name), array_agg(others_id),
        array_agg(amount), array_agg(held), array_agg(sequence)
    into ids, owners, account_kinds, coins, exponents, states, called, others, balances, helds,
        sequences
    from (
        select * from balance
        where account_id = any (wanted) order by account_id for no key update skip locked
    ) as locked;
    ids := coalesce(ids, '{}');

    -- What records and exchanges move money from or to, and back.
    if 'record' = any (kinds) or 'opening' = any (kinds) or 'reversal' = any (kinds)
        or quotes is not null
    then
        select array_agg(kind || ' ' || currency), array_agg(id) into system_names, system_ids
        from account
        where user_id is null and kind in ('outside', 'equity', 'position')
            and currency = any (coins || array(
                select opens ->> 'currency' from unnest(openings) as opens));
    end if;
