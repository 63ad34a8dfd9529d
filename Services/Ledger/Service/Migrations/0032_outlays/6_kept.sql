
        -- 9. Limits: of each whose month the element raises.
        if verdict is null and cardinality(changes) > 0 and limits is not null then
            for limited in
                select listed.place, listed.account_id as account, listed.category_id as label,
                    listed.amount as most, month.first, month.behind,
                    coalesce(sum(change.amount) filter (where change.kind <> 'claim'), 0) as own,
                    coalesce(sum(change.amount) filter (where change.kind = 'claim'), 0) as claim
                from unnest(limits) with ordinality
                    as listed (account_id, category_id, amount, month_start, place)
                join unnest(changes) as change on change.account_id = listed.account_id
                    and case when listed.category_id is null then change.kind <> 'named'
                        else listed.category_id in (change.category_id, change.parent_id) end
                cross join limit_month_v1(change.counted_at, listed.month_start,
                    purse_zones[array_position(purses, listed.account_id)]) as month
                group by listed.place, listed.account_id, listed.category_id, listed.amount,
                    month.first, month.behind
                order by listed.place, month.first
            loop
                month_key := limited.place || ' ' || limited.first;
                if not spent ? month_key then
                    select jsonb_build_object(
                        month_key, coalesce(sum(amount) filter (where counted.kind <> 'claim'), 0),
                        month_key || ' claim',
                        coalesce(sum(amount) filter (where counted.kind = 'claim'), 0))
                    into spent_sums
                    from counted_v1(limited.account, limited.first, limited.behind) as counted
                    where case when limited.label is null then counted.kind <> 'named'
                        else limited.label in (counted.category_id, counted.parent_id) end;
                    spent := spent || spent_sums;
                    spent_before := spent_before || spent_sums;
                end if;
                counted_before := (spent_before ->> month_key)::numeric
                    + greatest((spent_before ->> (month_key || ' claim'))::numeric, 0);
                spent := spent || jsonb_build_object(
                    month_key, (spent ->> month_key)::numeric + limited.own,
                    month_key || ' claim',
                    (spent ->> (month_key || ' claim'))::numeric + limited.claim);
                counted_now := (spent ->> month_key)::numeric
                    + greatest((spent ->> (month_key || ' claim'))::numeric, 0);
                -- The service's own moving of what stood in a category that is gone takes nothing.
                if counted_now > limited.most and counted_now > counted_before
                    and (kind <> 'revision' or actors[at] is not null)
                then
                    verdict := 'limit-exceeded';
                end if;
            end loop;
        end if;

        -- 9. Approval of what leaves, at once and within an hour. What a parent approved of is none
        -- of the hour's; of a transaction's next version, what the one before took is free. What is
        -- held is bought once it is captured.
        if verdict is null and purchase > 0 and accounts[at] = any (ruled_accounts)
            and purchase > coalesce((rare[at] ->> 'approved')::numeric, 0)
        then
            stood := null;
            if kind = 'record' and wanted_versions[at] > 1 and paid_in is null then
                select -amount into stood
                from money_transaction
                where id = line_ids[at] and version = wanted_versions[at] - 1
                    and account_id = accounts[at];
            end if;
            stood := greatest(coalesce(stood, 0), 0);
            month_key := 'hour ' || accounts[at];
            if purchase > stood and not spent ? month_key then
                select jsonb_build_object(month_key, coalesce(sum(amount), 0)) into spent_sums
                from outlay
                where account_id = accounts[at] and counted_at > moment - interval '1 hour'
                    and outlay.kind = 'bought';
                spent := spent || spent_sums;
                spent_before := spent_before || spent_sums;
            end if;
            if purchase > stood then
                if greatest(purchase, (spent ->> month_key)::numeric + purchase - stood)
                    > ruled_amounts[array_position(ruled_accounts, accounts[at])]
                then
                    verdict := 'approval-required';
                elsif kind <> 'hold' then
                    spent := spent || jsonb_build_object(
                        month_key, (spent ->> month_key)::numeric + purchase - stood);
                    changes := array_append(changes, row(accounts[at], line, moment, null,
                        null, 'bought', purchase - stood)::outlay);
                end if;
            end if;
        end if;
        if verdict is null and cardinality(changes) > 0 then outlays := outlays || changes; end if;
