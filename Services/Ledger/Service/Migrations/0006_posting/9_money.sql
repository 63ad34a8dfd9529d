
        moved := 0;
        -- Of what is taken back they are known by now.
        if kind <> 'reversal' then units := '{}'; end if;
        if verdict is null then
            -- What moves: from, to, how much. Words move nothing.
            if kind in ('transfer', 'deposit', 'capture') and coins[a] = coins[b] then
                sources := array[accounts[at]]; targets := array[counters[at]];
                froms := array[a]; tos := array[b];
                units := array[case kind when 'capture' then hold.debit_amount else debit end];
                unit_coins := array[coins[a]];
            elsif kind in ('transfer', 'deposit') then
                sources := array[accounts[at],
                    system_ids[array_position(system_names, 'position ' || coins[b])]];
                targets := array[
                    system_ids[array_position(system_names, 'position ' || coins[a])],
                    counters[at]];
                froms := array[a, null]; tos := array[null, b];
                units := array[debit, credit]; unit_coins := array[coins[a], coins[b]];
            elsif kind = 'reversal' then
                froms := '{}';
                tos := '{}';
                for i in 1 .. cardinality(units) loop
                    froms := array_append(froms, array_position(ids, sources[i]));
                    tos := array_append(tos, array_position(ids, targets[i]));
                end loop;
            elsif kind in ('record', 'opening') and amounts[at] <> 0 then
                one := system_ids[array_position(system_names,
                    case kind when 'record' then 'outside ' else 'equity ' end || coins[a])];
                if amounts[at] > 0 then
                    sources := array[one]; targets := array[accounts[at]];
                    froms := array[null::integer]; tos := array[a];
                else
                    sources := array[accounts[at]]; targets := array[one];
                    froms := array[a]; tos := array[null::integer];
                end if;
                units := array[abs(amounts[at])]; unit_coins := array[coins[a]];
            end if;

