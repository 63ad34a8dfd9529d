
    -- What children buy with a parent's approval: of the accounts that are locked, read in a
    -- statement of its own.
    if 'allowance' = any (account_kinds) then
        select array_agg(account_id order by account_id), array_agg(above order by account_id)
        into ruled_accounts, ruled_amounts
        from approval_rule as kept
        join account on account.id = kept.account_id
        where kept.account_id = any (ids) and account.kind = 'allowance';
        -- The statement for plain calls knows of no approval.
        if ruled_accounts is not null then
            rare := coalesce(rare, array_fill(null::jsonb, array[n]));
        end if;
    end if;
