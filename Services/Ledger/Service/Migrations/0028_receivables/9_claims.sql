            if kind = 'opening' and accounts[at] = any (receivable_ids) then
                one := system_ids[array_position(system_names, 'outside ' || coins[a])];
                if amounts[at] > 0 then sources := array[one]; else targets := array[one]; end if;
            elsif kind = 'record' and claims[at] is not null then
                -- Behind the share, where there is one.
                if amounts[at] = 0 then
                    sources := '{}'; targets := '{}'; froms := '{}'; tos := '{}';
                    unit_coins := '{}';
                end if;
                sources := array_append(
                    sources, case when claims[at] > 0 then accounts[at] else counters[at] end);
                targets := array_append(
                    targets, case when claims[at] > 0 then counters[at] else accounts[at] end);
                froms := array_append(froms, case when claims[at] > 0 then a else b end);
                tos := array_append(tos, case when claims[at] > 0 then b else a end);
                units := array_append(units, abs(claims[at]));
                unit_coins := array_append(unit_coins, coins[a]);
            elsif kind = 'transfer' and receivables[at] is not null and claims[at] is not null then
                -- Before the rest: of what moves an account of the system the first does
                -- (JournalStatements.addSums).
                sources := array_prepend(receivables[at], sources);
                targets := array_prepend(
                    system_ids[array_position(system_names, 'outside ' || coins[b])], targets);
                froms := array_prepend(r, froms);
                tos := array_prepend(null, tos);
                units := array_prepend(claims[at], units);
                unit_coins := array_prepend(coins[b], unit_coins);
            end if;

