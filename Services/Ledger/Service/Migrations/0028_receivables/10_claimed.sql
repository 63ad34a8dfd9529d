
    -- What a transaction has beside its lines. A receivable has none: whoever follows it is told by
    -- what is touched.
    if receivable_ids is not null then
        for at in 1 .. n loop
            continue when statuses[at] <> 'posted' or replays[at];
            if kinds[at] = 'reversal' and counters[at] = any (receivable_ids) then
                touched := array_append(touched, counters[at]);
            end if;
            continue when claims[at] is null;
            if kinds[at] = 'record' then
                line_amounts[at] := amounts[at] - claims[at];
                -- Its place is that of the account's own first movement.
                line_seqs[at] := case when claims[at] > 0 then debit_seqs[at]
                    else credit_seqs[at] end;
                splits[at] := coalesce(splits[at], '[]');
                touched := array_append(touched, counters[at]);
            elsif kinds[at] = 'transfer' then
                -- The transfer is the entry's second movement: its terms say what it moves.
                select moved.debit_seq, moved.credit_seq into from_seq, to_seq
                from unnest(further) as moved
                where moved.entry_id = entry_ids[at];
                line_seqs[at] := from_seq;
                counter_seqs[at] := to_seq;
                if not has_terms[at] then
                    has_terms[at] := true;
                    terms_debits[at] := -line_amounts[at];
                    terms_credits[at] := counter_line_amounts[at];
                end if;
                touched := array_append(touched, receivables[at]);
                insert into transaction_line (
                    transaction_id, version, place, user_id, day, category_id, coicop, amount)
                select counter_line_ids[at], 1, 1, counter_users[at], days[at], counter_labels[at],
                    null, counter_line_amounts[at] - claims[at]
                where counter_line_amounts[at] <> claims[at];
            end if;
        end loop;
    end if;
