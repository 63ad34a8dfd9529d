
        -- Posted: what it makes of it, to be written.
        statuses[at] := 'posted';
        if quotes[at] is not null then quotes_used := array_append(quotes_used, quotes[at]); end if;
        case kind
        when 'record' then
            line_accounts[at] := accounts[at];
            line_users[at] := booker;
            line_amounts[at] := amounts[at];
            labels[at] := label;
            line_coicops[at] := coicop;
            money_entries[at] := entry_ids[at];
            versions[at] := coalesce(wanted_versions[at], 1);
            line_imports[at] := imports[at];
            if rare[at] is not null then
                line_recurrences[at] := (rare[at] ->> 'recurrence')::uuid;
            end if;
            if moved = 0 then
                -- Nothing moves, and the line has a place of its own.
                sequences[a] := sequences[a] + 1;
                line_seqs[at] := sequences[a];
            end if;
        when 'transfer', 'deposit', 'capture' then
            if kind = 'capture' then
                debit := hold.debit_amount;
                credit := hold.credit_amount;
                line_ids[at] := hold.from_transaction;
                counter_line_ids[at] := hold.to_transaction;
                line_transfers[at] := hold.id;
                holds_ended := array_append(holds_ended, hold.id);
                endings := array_append(endings, at);
            else
                line_transfers[at] := entry_ids[at];
                line_imports[at] := imports[at];
                if rare[at] is not null then
                    line_recurrences[at] := (rare[at] ->> 'recurrence')::uuid;
                end if;
            end if;
            line_accounts[at] := accounts[at];
            line_users[at] := owners[a];
            line_amounts[at] := -debit;
            labels[at] := label;
            line_coicops[at] := coicop;
            money_entries[at] := entry_ids[at];
            counter_users[at] := owners[b];
            counter_line_amounts[at] := credit;
            counter_labels[at] := others[b];
            own_lines[at] := is_own;
            if counters_own[at] then
                if names[at] is null then names[at] := called[b]; end if;
                if counter_names[at] is null then counter_names[at] := called[a]; end if;
            end if;
            if kind = 'deposit' then
                names_taken := array_append(
                    names_taken, actors[at] || ' ' || (openings[at] ->> 'folded'));
            end if;
            if kind <> 'capture' and (price.id is not null or reference_texts[at] is not null) then
                has_terms[at] := true;
                terms_debits[at] := debit;
                terms_credits[at] := credit;
                rates[at] := price;
            end if;
        when 'hold' then
            has_terms[at] := true;
            terms_debits[at] := debit;
            terms_credits[at] := credit;
            rates[at] := price;
        when 'void', 'expiry' then
            holds_ended := array_append(holds_ended, hold.id);
            endings := array_append(endings, at);
        when 'opening' then
            -- Money without a line: whoever follows the account is told by this.
            touched := array_append(touched, accounts[at]);
        when 'reversal' then
            reverses[at] := taken.money_entry_id;
            if days[at] is null then days[at] := taken.day; end if;
            if reversed_entries[at] is not null then
                taken_back := array_append(taken_back, reversed_entries[at]);
                touched := array_append(touched, accounts[at]);
            end if;
            -- Of a transfer both sides end.
            sides := array[taken];
            if taken.transfer_id is not null then
                sides := array(
                    select each_side from money_transaction as each_side
                    where each_side.id = any (array(
                        select taken.id
                        union
                        select unnest(array[from_transaction, to_transaction])
                        from transfer where id = taken.transfer_id
                    ))
                    order by each_side.id);
            end if;
            foreach side in array sides loop
                continue when side.id is null or side.reversed_by is not null;
                ended_ids := array_append(ended_ids, side.id);
                ended := array_append(
                    ended, row(side.id, side.version, entry_ids[at])::ended_version);
                gone := array_append(gone, side);
            end loop;
        when 'revision' then
            days[at] := taken.day;
            ended_ids := array_append(ended_ids, taken.id);
            ended := array_append(
                ended, row(taken.id, taken.version, entry_ids[at])::ended_version);
            gone := array_append(gone, taken);
            versions[at] := taken.version + 1;
            line_accounts[at] := taken.account_id;
            line_users[at] := coalesce(bookers[at], actors[at], taken.user_id);
            line_amounts[at] := taken.amount;
            labels[at] := label;
            line_coicops[at] := coicop;
            money_entries[at] := taken.money_entry_id;
            line_transfers[at] := taken.transfer_id;
            own_lines[at] := taken.own_transfer;
            line_imports[at] := taken.import_id;
            line_recurrences[at] := taken.recurrence_id;
            i := width_bucket(taken.account_id, ids);
            sequences[i] := sequences[i] + 1;
            line_seqs[at] := sequences[i];
        else null;
        end case;
    end loop;
