
    replays := array_fill(false, array[n]);
    old_entries := array_fill(null::uuid, array[n]);
    old_transactions := old_entries;
    old_transfers := old_entries;
    debits := old_entries; credits := old_entries; reverses := old_entries;
    line_accounts := old_entries; line_users := old_entries; labels := old_entries;
    money_entries := old_entries; line_transfers := old_entries; line_imports := old_entries;
    line_recurrences := old_entries; counter_users := old_entries;
    counter_labels := old_entries;
    move_amounts := array_fill(null::bigint, array[n]);
    debit_seqs := move_amounts; credit_seqs := move_amounts; line_amounts := move_amounts;
    line_seqs := move_amounts; counter_line_amounts := move_amounts;
    counter_seqs := move_amounts; terms_debits := move_amounts; terms_credits := move_amounts;
    move_coins := array_fill(null::text, array[n]);
    line_coicops := move_coins;
    versions := array_fill(1, array[n]);
    own_lines := replays;
    has_terms := replays;

    -- Decide in the order of arrival.
    for at in 1 .. n loop
        continue when statuses[at] = 'busy';
        kind := kinds[at];
        verdict := null;
        a := null;
        b := null;

        -- 2. The key; 3. the chain.
        if chains[at] is null or chain_number is distinct from chains[at] then
            chain_number := chains[at];
            chain_start := at;
            chain_status := null;
            chain_replay := false;
            if chain_number is not null then
                before_balances := balances;
                before_helds := helds;
                before_sequences := sequences;
                before_counts := array[
                    cardinality(further), cardinality(taken_back), cardinality(ended),
                    cardinality(gone), cardinality(quotes_used), cardinality(names_taken),
                    cardinality(holds_ended), cardinality(touched)
                ];
            end if;
            if ops[at] is null or hashes[at] is null then
                verdict := 'invalid-element';
            else
                known := width_bucket(ops[at], known_ops);
                if known_ops[known] = ops[at] then
                    if known_hashes[known] <> hashes[at] then
                        verdict := 'key-reused';
                    else
                        old_status := known_statuses[known];
                        old_member := known_members[known];
                        old_entries[at] := known_entries[known];
                        old_transactions[at] := known_transactions[known];
                        old_transfers[at] := known_transfers[known];
                        chain_replay := true;
                        if chain_number is not null then
                            select entry.members into members from entry
                            where id = known_entries[known];
                        end if;
                    end if;
                elsif is_repeated then
                    first_place := array_position(ops, ops[at]);
                    while statuses[first_place] = 'busy' loop
                        first_place := array_position(ops, ops[at], first_place + 1);
                    end loop;
                    if first_place < at and hashes[first_place] <> hashes[at] then
                        verdict := 'key-reused';
                    elsif first_place < at then
                        old_status := coalesce(kept[first_place], statuses[first_place]);
                        old_member := kept_members[first_place];
                        old_entries[at] := entry_ids[first_place];
                        old_transactions[at] := line_ids[first_place];
                        old_transfers[at] := case
                            when kinds[first_place] in ('transfer', 'deposit', 'hold')
                                then entry_ids[first_place]
                            else ended_transfers[first_place] end;
                        chain_replay := true;
                        if chain_number is not null then
                            members := array(
                                select case when kind in ('transfer', 'deposit', 'hold')
                                    then entry_id else line_id end
                                from unnest(kinds, entry_ids, line_ids, chains)
                                    with ordinality
                                    as asked (kind, entry_id, line_id, chain, place)
                                where chain = chains[first_place] and place >= first_place
                                order by place);
                        end if;
                    end if;
                end if;
            end if;
        elsif chain_replay then
            if kind in ('transfer', 'deposit', 'hold') then
                old_transfers[at] := members[at - chain_start + 1];
            else
                old_transactions[at] := members[at - chain_start + 1];
            end if;
        elsif chain_status is not null then
            verdict := 'chain-failed';
        -- Who has no key is in a chain that a key leads, and nobody else.
        elsif ops[at] is not null then
            verdict := 'invalid-element';
        end if;
        if chain_replay then
            replays[at] := true;
            statuses[at] := case when old_member <> at - chain_start + 1 then 'chain-failed'
                else old_status end;
            continue;
        end if;

        -- 4. What the kind needs.
        if verdict is null and (
            kind is null or entry_ids[at] is null or accounts[at] is null
            or (kind = 'expiry' and by_service[at] is not true)
            or case kind
            when 'record' then line_ids[at] is null or days[at] is null or amounts[at] is null
                or currencies[at] is null
            when 'transfer' then line_ids[at] is null or days[at] is null
            when 'opening' then days[at] is null or amounts[at] is null or currencies[at] is null
            when 'reversal' then (line_ids[at] is null) <> (reversed_entries[at] is not null)
            when 'revision' then line_ids[at] is null
            when 'deposit' then line_ids[at] is null or days[at] is null or actors[at] is null
                or openings[at] is null or openings[at] ->> 'name' is null
                or openings[at] ->> 'folded' is null
            when 'hold' then line_ids[at] is null or days[at] is null or expiries[at] is null
            when 'capture' then counters[at] is null or ended_transfers[at] is null
                or days[at] is null
            when 'void' then counters[at] is null or ended_transfers[at] is null
            when 'expiry' then counters[at] is null or ended_transfers[at] is null
            else true end
            or kind in ('transfer', 'deposit', 'hold') and (
                counters[at] is null or counter_line_ids[at] is null
                or counter_line_ids[at] = line_ids[at]
                or (quotes[at] is null and (amounts[at] is null or currencies[at] is null))
                or length(reference_texts[at]) > 140)
        ) then
            verdict := 'invalid-element';
        end if;
        if verdict is null and rare[at] is not null then
            if (kind <> 'hold' and expiries[at] is not null)
                or (kind <> 'deposit' and openings[at] is not null)
                or (kind <> 'reversal' and reversed_entries[at] is not null)
                or coalesce(wanted_versions[at], 1) < 1
                or (latitudes[at] is null) <> (longitudes[at] is null)
                or (kind not in ('record', 'revision') and splits[at] is not null)
            then
                verdict := 'invalid-element';
            elsif splits[at] is not null then
                if categories[at] is not null or jsonb_typeof(splits[at]) <> 'array'
                    or jsonb_array_length(splits[at]) not between 1 and 100
                then
                    verdict := 'invalid-element';
                else
                    select sum((line ->> 'amount')::numeric),
                        case when bool_or(coalesce((line ->> 'amount')::bigint, 0) = 0
                            or line ->> 'category' is null)
                            or count(distinct line ->> 'category') <> count(*)
                        then 'invalid-element' end
                    into split_sum, verdict
                    from jsonb_array_elements(splits[at]) as line;
                    if kind = 'record' and amounts[at] is distinct from split_sum then
                        verdict := 'invalid-element';
                    end if;
                end if;
            end if;
        end if;

        -- 5. The accounts, and what is taken back, followed or ended.
        if verdict is null then
            a := width_bucket(accounts[at], ids);
            if ids[a] is distinct from accounts[at] then
                verdict := 'account-not-found';
            elsif counters[at] is not null then
                b := width_bucket(counters[at], ids);
                is_own := owners[a] = owners[b];
                if ids[b] is distinct from counters[at] then
                    verdict := 'counter-not-found';
                elsif a = b then
                    verdict := 'same-account';
                elsif counters_own[at] and not is_own then
                    verdict := 'counter-not-found';
                end if;
            end if;
        end if;
        if verdict is null and (
            kind in ('reversal', 'revision') or wanted_versions[at] is not null
        ) then
            taken := null;
            sources := '{}';
            targets := '{}';
            if kind in ('reversal', 'revision') and reversed_entries[at] is null then
                -- The last version is the current one, or none is. Not asked for in the condition:
                -- a plan that was made while the table was empty could walk another index for it.
                select * into taken from money_transaction
                where id = line_ids[at] order by version desc limit 1;
            end if;
            if kind = 'reversal' then
                select coalesce(array_agg(credit_account order by number), '{}'),
                    coalesce(array_agg(debit_account order by number), '{}'),
                    coalesce(array_agg(amount order by number), '{}'),
                    coalesce(array_agg(currency order by number), '{}')
                into sources, targets, units, unit_coins
                from movement where entry_id = coalesce(reversed_entries[at], taken.money_entry_id);
            end if;
            if reversed_entries[at] is not null then
                -- An opening balance has no transaction: its entry is named.
                select day into taken.day
                from entry where id = reversed_entries[at] and entry.kind = 'opening';
                taken.money_entry_id := reversed_entries[at];
                taken.account_id := accounts[at];
                if not found or reversed_entries[at] = any (taken_back)
                    or exists (
                        select from entry where entry.reverses = reversed_entries[at])
                    or not accounts[at] = any (sources || targets)
                then
                    verdict := 'transaction-not-found';
                end if;
            elsif kind in ('reversal', 'revision') then
                -- The accounts named are exactly those that the entry moved: only they are locked.
                if taken.id is null or taken.reversed_by is not null
                    or taken.version <> coalesce(wanted_versions[at], taken.version)
                    or taken.id = any (ended_ids)
                    or not (sources || targets) <@ (system_ids || accounts[at] || counters[at])
                    or taken.account_id not in (
                        accounts[at], coalesce(counters[at], accounts[at]))
                then
                    verdict := 'transaction-not-found';
