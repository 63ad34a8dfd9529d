
        -- 9. What leaves a child's account, or comes back.
        if verdict is null and purses is not null then
            if outlays_from is distinct from chain_start then
                -- What was refused since then has not left.
                if statuses[outlays_from] <> 'posted' then
                    spent := spent_before;
                    outlays := outlays[1:outlays_before];
                end if;
                spent_before := spent;
                outlays_before := cardinality(outlays);
                outlays_from := chain_start;
            end if;
            changes := '{}';
            purchase := 0;
            paid_in := null;
            sides := '{}';
            if kind in ('reversal', 'revision') or wanted_versions[at] > 1 then
                sides := case when kind = 'record' then array(
                    select each_side from money_transaction as each_side
                    where each_side.id = line_ids[at] and each_side.version = 1
                ) else array[taken] end;
            end if;
            if kind = 'reversal' and taken.transfer_id is not null then
                -- Of a transfer both sides end.
                sides := array(
                    select each_side from money_transaction as each_side
                    where each_side.id = any (array(
                        select taken.id
                        union
                        select unnest(array[from_transaction, to_transaction])
                        from transfer where id = taken.transfer_id
                    )) and each_side.reversed_by is null);
            elsif kind = 'reversal' and kinds[at + 1] = 'record' and chains[at + 1] = chains[at]
                and line_ids[at + 1] = line_ids[at] and accounts[at + 1] = taken.account_id
            then
                -- The first half of an edit.
                sides := '{}';
            end if;
            foreach side in array sides loop
                purse := case when kind = 'record' then accounts[at] else side.account_id end;
                continue when side.id is null or (purse = any (purses)) is not true;
                -- Whatever of it a parent has paid in.
                paid_in := null;
                if exists (
                    select from allowance_payment
                    where account_id = purse and transaction_id = side.id)
                then
                    select first_version.amount into paid_in
                    from money_transaction as first_version
                    where first_version.id = side.id and version = 1;
                end if;
                leaving := case kind when 'reversal' then 0 when 'revision' then -side.amount
                    else coalesce(claims[at], 0) - amounts[at] end;
                claimed := case
                    when kind = 'record' then claims[at]
                    when kind = 'revision' and splits[at] is not null then leaving + coalesce((
                        select sum((value ->> 'amount')::numeric)
                        from jsonb_array_elements(splits[at]) as lines (value)), 0)
                    end;
                if claimed < 0 then
                    -- What has cleared a claim counts as it did, whatever it is called. An edit
                    -- gives back no more than before, and takes all of it where it clears less.
                    select coalesce(sum(kept.amount), 0) into stood
                    from (
                        select account_id, transaction_id, outlay.kind, amount from outlay
                        where account_id = purse and transaction_id = side.id
                        union all
                        select account_id, transaction_id, pending.kind, amount
                        from unnest(outlays) as pending
                        where account_id = purse and transaction_id = side.id
                    ) as kept
                    where kept.kind <> 'bought';
                    continue when kind = 'revision' or (stood <= 0 and claimed <= stood);
                    part_labels := '{}';
                    part_kinds := '{}';
                    part_amounts := '{}';
                    changes := changes || array(
                        select change from outlay_changes_v1(purse, side.id, outlays,
                            part_labels, part_kinds, part_amounts, moment) as change);
                    continue;
                end if;
                select array_agg(part.label), array_agg(part.kind), array_agg(part.amount)
                into part_labels, part_kinds, part_amounts
                from (
                    select label, 'own', leaving - coalesce(claimed, 0)
                    where splits[at] is null
                    union all
                    select (value ->> 'category')::uuid, 'own', -(value ->> 'amount')::numeric
                    from jsonb_array_elements(splits[at]) as lines (value)
                    union all
                    select label, 'claim', claimed
                    union all
                    select case kind when 'reversal' then side.category_id else label end, 'own',
                        paid_in + least(leaving, 0)
                ) as part (label, kind, amount)
                where part.amount > 0;
                changes := changes || array(
                    select change from outlay_changes_v1(purse, side.id, outlays,
                        part_labels, part_kinds, part_amounts, moment) as change);
            end loop;
            -- What is new.
            leaving := case kind
                when 'record' then coalesce(claims[at], 0) - amounts[at]
                when 'capture' then hold.debit_amount
                when 'transfer' then debit
                when 'deposit' then debit
                when 'hold' then debit else 0 end;
            purse := accounts[at];
            if purse = any (purses) then
                purchase := greatest(case when paid_in is null then leaving else (
                    select sum(change.amount) from unnest(changes) as change
                    where change.kind <> 'named') end, 0);
                line := case when kind = 'capture' then hold.from_transaction
                    else line_ids[at] end;
                if kind in ('transfer', 'deposit', 'capture') or kind = 'record'
                    and coalesce(wanted_versions[at], 1) = 1
                then
                    claimed := case when kind = 'record' then greatest(claims[at], 0) end;
                    changes := changes || array(
                        select row(purse, line, moment, part.label, category.parent_id,
                            part.kind, part.amount)::outlay
                        from (
                            select label, 'own', leaving - coalesce(claimed, 0)
                            where splits[at] is null
                            union all
                            select (value ->> 'category')::uuid, 'own',
                                -(value ->> 'amount')::numeric
                            from jsonb_array_elements(splits[at]) as lines (value)
                            union all
                            select label, 'claim', claimed
                        ) as part (label, kind, amount)
                        left join category on category.id = part.label
                        where part.amount > 0);
                end if;
            end if;
            -- What clears a claim, but for edits: of a record on its account, of a transfer on the
            -- payee's.
            if (kind = 'record' and claims[at] < 0 and accounts[at] = any (purses)
                    and (at > 1 and kinds[at - 1] = 'reversal' and chains[at - 1] = chains[at]
                        and line_ids[at - 1] = line_ids[at]) is not true)
                or (kind = 'transfer' and claims[at] > 0 and counters[at] = any (purses))
            then
                purse := case kind when 'record' then accounts[at] else counters[at] end;
                i := array_position(purses, purse);
                changes := changes || array(
                    select change
                    from limit_month_v1(moment, purse_starts[i], purse_zones[i]) as month
                    cross join outlay_cleared_v1(purse,
                        case kind when 'record' then line_ids[at] else counter_line_ids[at] end,
                        outlays, abs(claims[at]), month.first, month.behind, moment) as change);
            end if;
        end if;
