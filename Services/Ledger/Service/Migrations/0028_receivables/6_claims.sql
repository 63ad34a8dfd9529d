
        -- 8. Receivables.
        if kind = 'opening' and accounts[at] = any (receivable_ids) then
            -- A release takes no heed of what is closed, or not empty.
            if by_service[at] is not true or amounts[at] is null or amounts[at] = 0 then
                verdict := coalesce(verdict, 'account-kind');
            elsif verdict in ('account-closed', 'account-not-empty') then
                verdict := null;
            end if;
        elsif verdict is null and accounts[at] = any (receivable_ids) then
            verdict := 'account-kind';
        elsif verdict is null and kind = 'record' and (
            claims[at] is not null or counters[at] = any (receivable_ids)
        ) then
            if claims[at] is null or (counters[at] = any (receivable_ids)) is not true
                or (amounts[at] <> 0 and splits[at] is null)
                or claims[at] = 0 or amounts[at] > 0 or (claims[at] < 0 and amounts[at] <> 0)
            then
                verdict := 'invalid-element';
            elsif owners[a] <> owners[b] or coins[a] <> coins[b] then
                verdict := 'counter-not-found';
            elsif abs(amounts[at]::numeric - claims[at]) > maximum then
                verdict := 'invalid-amount';
            end if;
        elsif verdict is null and kind = 'reversal' then
            if counters[at] = any (receivable_ids) then
                -- What is overpaid has nothing open, of whatever claim: it may become more so.
                for i in 1 .. cardinality(units) loop
                    if sources[i] = counters[at] and balances[b] >= 0 and balances[b] < units[i]
                    then
                        verdict := 'already-settled';
                    end if;
                end loop;
            end if;
        elsif verdict is null and counters[at] = any (receivable_ids) then
            verdict := 'account-kind';
        elsif verdict is null and kind = 'transfer' and receivables[at] is not null then
            r := width_bucket(receivables[at], ids);
            if (receivables[at] = any (receivable_ids)) is not true or owners[r] <> owners[b]
                or coins[r] <> coins[b]
            then
                verdict := 'counter-not-found';
            else
                claims[at] := nullif(least(credit, greatest(balances[r], 0)), 0);
            end if;
        elsif verdict is null and kind = 'revision' and taken.is_split and splits[at] is null then
            -- One category in place of lines: not of what has a claim beside them, which stays.
            select sum(line.amount) into split_sum
            from transaction_line as line
            where line.transaction_id = taken.id and line.version = taken.version;
            if split_sum is null then
                splits := coalesce(splits, array_fill(null::jsonb, array[n]));
                splits[at] := '[]';
            elsif split_sum <> taken.amount then
                verdict := 'invalid-element';
            end if;
        end if;
