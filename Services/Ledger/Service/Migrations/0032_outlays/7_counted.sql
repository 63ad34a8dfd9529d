
    -- What was counted. Parents are to hear of what may be spent again by the child's own word, as
    -- it was deleted, lowered, moved to another account or written down as paid back, and of what
    -- was paid in and is deleted.
    if purses is not null then
        if statuses[outlays_from] <> 'posted' then outlays := outlays[1:outlays_before]; end if;
        insert into outlay select * from unnest(outlays);
        insert into allowance_notice as noticed (account_id, kind, count, amount)
        select returned.account_id, 'deleted', count(*), sum(returned.amount)
        from (
            select counted.account_id, -sum(counted.amount) as amount
            from unnest(outlays) as counted
            where counted.kind in ('own', 'claim')
                and coalesce(counted.transaction_id = any (counter_line_ids), false) is false
            group by counted.account_id, counted.transaction_id
            having sum(counted.amount) < 0
            union all
            select old.account_id, old.amount
            from unnest(gone) as old
            where old.account_id = any (purses) and old.amount > 0 and not exists (
                select from unnest(kinds, line_ids, accounts, statuses)
                    as made (kind, id, account, status)
                where made.id = old.id and made.account = old.account_id
                    and made.status = 'posted' and made.kind in ('record', 'revision'))
        ) as returned
        group by returned.account_id
        on conflict (account_id, kind) do update
        set count = least(noticed.count::bigint + excluded.count, 2147483647),
            amount = noticed.amount + excluded.amount;
    end if;
