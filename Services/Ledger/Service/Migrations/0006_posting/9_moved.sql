            -- 9. Overflow, on the way, of what is there and of what is left of it beside what is
            -- held. What is captured was held for this.
            released := case kind when 'capture' then hold.debit_amount else 0 end;
            for i in 1 .. cardinality(units) loop
                unit := units[i];
                from_seq := null;
                to_seq := null;
                if balances[froms[i]] < unit - maximum + (helds[froms[i]]
                        - case froms[i] when a then released else 0 end)
                    or balances[tos[i]] > maximum - unit
                then
                    verdict := 'overflow';
                    exit;
                end if;
                if froms[i] is not null then
                    balances[froms[i]] := balances[froms[i]] - unit;
                    from_seq := sequences[froms[i]] + 1;
                    sequences[froms[i]] := from_seq;
                end if;
                if tos[i] is not null then
                    balances[tos[i]] := balances[tos[i]] + unit;
                    to_seq := sequences[tos[i]] + 1;
                    sequences[tos[i]] := to_seq;
                end if;
                if i = 1 then
                    debits[at] := sources[1];
                    credits[at] := targets[1];
                    move_coins[at] := unit_coins[1];
                    move_amounts[at] := unit;
                    debit_seqs[at] := from_seq;
                    credit_seqs[at] := to_seq;
                    line_seqs[at] := coalesce(from_seq, to_seq);
                    counter_seqs[at] := to_seq;
                else
                    further := array_append(further, row(entry_ids[at], i, sources[i], targets[i],
                        unit_coins[i], unit, from_seq, to_seq)::further_movement);
                    counter_seqs[at] := to_seq;
                end if;
                moved := i;
            end loop;

            -- 10. Funds, once all of it has moved.
            if kind = 'reversal' and kinds[at + 1] = 'record' and chains[at + 1] = chains[at]
                and line_ids[at + 1] = line_ids[at]
            then
                -- An edit: what counts is what there is once it is recorded anew.
                edited := froms;
            elsif verdict is null then
                foreach i in array froms[1:moved] || edited loop
                    if balances[i] < helds[i] - released and account_kinds[i] <> 'wallet' then
                        verdict := 'insufficient-funds';
                    end if;
                end loop;
                edited := '{}';
            end if;
            if verdict is null and kind = 'hold' then
                if helds[a] > maximum - debit
                    or balances[a]::numeric - helds[a] - debit < -maximum
                then
                    verdict := 'overflow';
                elsif balances[a]::numeric - helds[a] < debit and account_kinds[a] <> 'wallet' then
                    verdict := 'insufficient-funds';
                else
                    helds[a] := helds[a] + debit;
                end if;
            elsif verdict is null and kind in ('capture', 'void', 'expiry') then
                helds[a] := helds[a] - hold.debit_amount;
            end if;
        end if;

        -- Refused: as if it and its chain had never been.
        if verdict is not null then
            is_refused := true;
            statuses[at] := verdict;
            edited := '{}';
            if chain_number is not null then
                balances := before_balances;
                helds := before_helds;
                sequences := before_sequences;
                further := further[1:before_counts[1]];
                taken_back := taken_back[1:before_counts[2]];
                ended := ended[1:before_counts[3]];
                ended_ids := ended_ids[1:before_counts[3]];
                gone := gone[1:before_counts[4]];
                quotes_used := quotes_used[1:before_counts[5]];
                names_taken := names_taken[1:before_counts[6]];
                holds_ended := holds_ended[1:before_counts[7]];
                endings := endings[1:before_counts[7]];
                touched := touched[1:before_counts[8]];
            else
                for i in 1 .. moved loop
                    if froms[i] is not null then
                        balances[froms[i]] := balances[froms[i]] + units[i];
                        sequences[froms[i]] := sequences[froms[i]] - 1;
                    end if;
                    if tos[i] is not null then
                        balances[tos[i]] := balances[tos[i]] - units[i];
                        sequences[tos[i]] := sequences[tos[i]] - 1;
                    end if;
                end loop;
                further := further[1:cardinality(further) - greatest(moved - 1, 0)];
            end if;
            if chain_number is not null and chain_status is null then
                chain_status := verdict;
                kept[chain_start] := verdict;
                kept_members[chain_start] := at - chain_start + 1;
                for i in chain_start .. at - 1 loop
                    statuses[i] := 'chain-failed';
                end loop;
            end if;
            continue;
        end if;
