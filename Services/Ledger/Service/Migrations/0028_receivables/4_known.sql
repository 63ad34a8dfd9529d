
    -- Receivables among what is locked. They may fall below zero as wallets do: what asks for that
    -- alone takes them for such.
    if 'receivable' = any (account_kinds) then
        select array_agg(id) into receivable_ids
        from unnest(ids, account_kinds) as locked (id, kind) where kind = 'receivable';
        account_kinds := array_replace(account_kinds, 'receivable', 'wallet');
        -- The statement for plain calls knows of no receivable.
        rare := coalesce(rare, array_fill(null::jsonb, array[n]));
        if system_ids is null then
            select array_agg(kind || ' ' || currency), array_agg(id)
            into system_names, system_ids
            from account
            where user_id is null and kind in ('outside', 'equity', 'position')
                and currency = any (coins);
        end if;
    end if;

