
    -- What children may spend: of the accounts that are locked, read in statements of their own.
    if 'allowance' = any (account_kinds) then
        select array_agg(kept.account_id order by kept.account_id),
            array_agg(coalesce(kept.month_start, 1) order by kept.account_id),
            array_agg(coalesce(kept.time_zone, 'UTC') order by kept.account_id)
        into purses, purse_starts, purse_zones
        from allowance as kept
        join account on account.id = kept.account_id
        where kept.account_id = any (ids) and kept.released_at is null
            and account.kind = 'allowance';
    end if;
    if purses is not null then
        select array_agg(
            row(account_id, category_id, amount, month_start)::spending_limit
            order by account_id, category_id)
        into limits
        from allowance_limit where account_id = any (purses);
        select array_agg(account_id order by account_id), array_agg(above order by account_id)
        into ruled_accounts, ruled_amounts
        from approval_rule where account_id = any (purses);
        -- The statement for plain calls counts nothing.
        rare := coalesce(rare, array_fill(null::jsonb, array[n]));
    end if;
