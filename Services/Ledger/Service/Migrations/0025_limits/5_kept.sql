
        -- 9. Limits. What it takes back and what it adds, by limit and month.
        if verdict is null and limits is not null then
            if spent_from is distinct from chain_start then
                -- What was refused since then is not spent.
                if statuses[spent_from] <> 'posted' then spent := spent_before; end if;
                spent_before := spent;
                spent_from := chain_start;
            end if;
            spendings := '{}';
            if kind in ('reversal', 'revision') and taken.id is not null then
                sides := array[taken];
                -- Of a transfer both sides end.
                if kind = 'reversal' and taken.transfer_id is not null then
                    sides := array(
                        select each_side from money_transaction as each_side
                        where each_side.id = any (array(
                            select taken.id
                            union
                            select unnest(array[from_transaction, to_transaction])
                            from transfer where id = taken.transfer_id
                        )));
                end if;
                spendings := array(
                    select row(ended.account_id, ended.day,
                        coalesce(line.category_id, ended.category_id),
                        coalesce(line.amount, ended.amount))::spending
                    from unnest(sides) as ended
                    left join transaction_line as line on ended.is_split
                        and line.transaction_id = ended.id and line.version = ended.version
                    where ended.reversed_by is null
                        and coalesce(line.amount, ended.amount) < 0);
            end if;
            outlay := case kind
                when 'record' then amounts[at]
                when 'revision' then taken.amount
                when 'capture' then -hold.debit_amount
                when 'transfer' then -debit
                when 'deposit' then -debit end;
            if outlay is not null then
                spendings := spendings || array(
                    select row(
                        case kind when 'revision' then taken.account_id else accounts[at] end,
                        case kind when 'revision' then taken.day else days[at] end,
                        part.category, -part.amount)::spending
                    from (
                        select label as category, outlay as amount where splits[at] is null
                        union all
                        select (line ->> 'category')::uuid, (line ->> 'amount')::numeric
                        from jsonb_array_elements(splits[at]) as line
                    ) as part
                    where part.amount < 0);
            end if;
            for limited in
                select listed.place, listed.account_id as account, listed.amount as most,
                    listed.month_start - 1 as shift,
                    date_trunc('month', (change.day - (listed.month_start - 1))::timestamp)::date
                        as month,
                    sum(change.amount) as raised
                from unnest(limits) with ordinality
                    as listed (account_id, category_id, amount, month_start, place)
                join unnest(spendings) as change (account_id, day, category_id, amount)
                    on change.account_id = listed.account_id and (
                        listed.category_id is null or listed.category_id = change.category_id)
                group by 1, 2, 3, 4, 5
                order by 1, 5
            loop
                month_key := limited.place || ' ' || limited.month;
                if not spent ? month_key then
                    with summed as materialized (
                        select * from spent_v1(
                            limited.account, limited.month + limited.shift,
                            (limited.month + interval '1 month')::date + limited.shift)
                    )
                    select jsonb_object_agg(listed.place || ' ' || limited.month, coalesce((
                        select sum(summed.amount) from summed
                        where listed.category_id is null
                            or summed.category_id = listed.category_id), 0))
                    into month_spent
                    from unnest(limits) with ordinality
                        as listed (account_id, category_id, amount, month_start, place)
                    where listed.account_id = limited.account;
                    spent := spent || month_spent;
                    spent_before := spent_before || month_spent;
                end if;
                outlay := (spent ->> month_key)::numeric + limited.raised;
                spent := spent || jsonb_build_object(month_key, outlay);
                if outlay > limited.most and outlay > (spent_before ->> month_key)::numeric
                    and (kind <> 'revision' or actors[at] is not null)
                then
                    verdict := 'limit-exceeded';
                end if;
            end loop;
        end if;
