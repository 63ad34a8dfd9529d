
    -- What children may spend: of the accounts that are locked, read in a statement of its own.
    if 'allowance' = any (account_kinds) then
        select array_agg(
            row(account_id, category_id, amount, month_start)::spending_limit
            order by account_id, category_id)
        into limits
        from allowance_limit as kept
        join account on account.id = kept.account_id
        where kept.account_id = any (ids) and account.kind = 'allowance';
        -- The statement for plain calls knows of no limits.
        if limits is not null then
            rare := coalesce(rare, array_fill(null::jsonb, array[n]));
        end if;
    end if;
