
    -- What must never be, before anything is written: an account's balance moves by what its
    -- movements say, so that a currency's sum stays, and its history has no gap and no double.
    if exists (
        with posted as (
            select * from unnest(statuses, replays, debits, credits, move_amounts, debit_seqs,
                credit_seqs, line_accounts, line_seqs)
                as element (status, is_replay, debit, credit, amount, debit_seq, credit_seq,
                    line_account, line_seq)
            where status = 'posted' and not is_replay
        ), sides as (
            select debit as id, -amount as amount, debit_seq as seq from posted
            where amount is not null
            union all
            select credit, amount, credit_seq from posted where amount is not null
            union all
            select debit_account, -amount, debit_seq from unnest(further)
            union all
            select credit_account, amount, credit_seq from unnest(further)
            union all
            select line_account, 0, line_seq from posted where amount is null
        ), sums as (
            select id, sum(amount) as amount, count(seq) as drawn, min(seq) as first,
                max(seq) as last
            from sides where id is not null group by id
        )
        select from unnest(ids, balances, first_balances, sequences, first_sequences)
            as account (id, amount, first_amount, sequence, first_sequence)
        left join sums on sums.id = account.id
        where account.amount::numeric - first_amount <> coalesce(sums.amount, 0)
            or sequence - first_sequence <> coalesce(drawn, 0)
            or first <> first_sequence + 1 or last <> sequence
    ) then
        raise exception 'the balances would not be those of their movements'
            using errcode = 'EW002';
    end if;

    -- What is opened first: its balance and its events' sequence are made with it.
    if opens_any then
        insert into account (id, user_id, kind, currency, exponent, name, name_folded, iban)
        select counter, actor, 'deposit', opens ->> 'currency', (opens ->> 'exponent')::smallint,
            opens ->> 'name', opens ->> 'folded', opens ->> 'iban'
        from unnest(kinds, counters, actors, openings, statuses, replays)
            as asked (kind, counter, actor, opens, status, is_replay)
        where kind = 'deposit' and status = 'posted' and not is_replay;
        with opened as materialized (
            select counter, actor, opens ->> 'currency' as coin, traceparent
            from unnest(kinds, counters, actors, openings, traceparents, statuses, replays)
                as asked (kind, counter, actor, opens, traceparent, status, is_replay)
            where kind = 'deposit' and status = 'posted' and not is_replay
        ), drawn as (
            update aggregate_sequence as held set sequence = held.sequence + 1
            from opened
            where held.aggregate = 'account:' || opened.counter
                and held.aggregate = any (array(select 'account:' || counter from opened))
            returning opened.counter, opened.actor, opened.coin, opened.traceparent, held.sequence
        )
        -- `wallet.account.opened.v1`.
        insert into outbox (aggregate, sequence, type, event_id, payload, traceparent)
        select 'account:' || counter, sequence, 'wallet.account.opened.v1', gen_random_uuid(),
            ('{"accountId":"' || counter || '","userId":"' || actor
                || '","kind":"deposit","currency":"' || coin || '","openedAt":"'
                || to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
                || '"}')::json,
            traceparent
        from drawn;
    end if;
    update balance
    set amount = changed.amount, held = changed.held, sequence = changed.sequence
    from unnest(ids, balances, helds, sequences, first_helds, first_sequences)
        as changed (id, amount, held, sequence, first_held, first_sequence)
    where account_id = changed.id and account_id = any (ids)
        and (changed.sequence <> first_sequence or changed.held <> first_held);

    -- What is taken back ends first: a transaction has one current version.
    if cardinality(ended) > 0 then
        update money_transaction as kept
        set reversed_by = gone.entry_id
        from unnest(ended) as gone
        where kept.id = gone.id and kept.version = gone.version
            and kept.id = any (array(select id from unnest(ended)));
        update transaction_line as line set is_current = false
        from unnest(gone) as old
        where old.is_split and line.transaction_id = old.id and line.version = old.version
            and line.transaction_id = any (
                array(select id from unnest(gone) as old where old.is_split));
        delete from transaction_tag
        where transaction_id = any (
            array(select id from unnest(gone) as old where old.tags <> '{}'));
    end if;
    if cardinality(ended) > 0 or cardinality(touched) > 0 then
        insert into changed (account_id, id)
        select account_id, id from unnest(gone)
        union
        select account_id, account_id from unnest(touched) as account_id
        order by 1, 2
        on conflict do nothing;
    end if;
    if cardinality(further) > 0 then
        insert into further_movement select * from unnest(further);
    end if;
    if true = any (has_terms) then
        insert into transfer_terms (
            id, from_account, to_account, from_transaction, to_transaction, debit_amount,
            credit_amount, quote_id, reference, rate_numerator, rate_denominator, rate_day,
            rate_source, salt, reference_hash, state, expires_at)
        select entry_id, account, counter, line_id, counter_line_id, debit, credit,
            (rates[place]).id, reference, (rates[place]).rate_numerator,
            (rates[place]).rate_denominator, (rates[place]).rate_day, (rates[place]).rate_source,
            case when reference is not null then salt end,
            case when reference is not null
                then words_hash(salt, reference, null, '{}', null, null, null) end,
            case kind when 'hold' then 'pending' else 'posted' end, expiries[place]
        from (
            select *, gen_random_uuid() as salt
            from unnest(kinds, entry_ids, accounts, counters, line_ids, counter_line_ids,
                terms_debits, terms_credits, reference_texts, has_terms, statuses, replays)
                with ordinality
                as element (kind, entry_id, account, counter, line_id, counter_line_id, debit,
                    credit, reference, has_terms, status, is_replay, place)
            where has_terms and status = 'posted' and not is_replay
            offset 0
        ) as made;
    end if;
    if cardinality(holds_ended) > 0 then
        update transfer_terms as held
        set state = case kinds[ending]
                when 'capture' then 'posted' when 'void' then 'voided' else 'expired' end,
            ended_by = entry_ids[ending], xid = pg_current_xact_id()
        from unnest(holds_ended, endings) as ended (id, ending)
        where held.id = ended.id and held.id = any (holds_ended);
    end if;
    if splits is not null then
        insert into transaction_line (
            transaction_id, version, place, user_id, day, category_id, coicop, amount)
        select line_id, element.version, line.ordinality, line_user, day, category.id,
            category.coicop, (value ->> 'amount')::bigint
        from unnest(line_ids, versions, line_users, days, splits, statuses, replays)
            as element (line_id, version, line_user, day, split, status, is_replay)
        cross join lateral jsonb_array_elements(split) with ordinality as line (value, ordinality)
        join category on category.id = (value ->> 'category')::uuid
        where split is not null and status = 'posted' and not is_replay;
    end if;

    -- The entries and their transactions. `leaf` is what the chain covers of an entry: all of it
    -- but its place, its key and its words, of which it has the salted hash. Whoever verifies works
    -- it out anew from what stands (JournalStatements).
    with asked as materialized (
        select *,
            case when extra -> 'tags' is null then '{}' else array(
                select tag
                from jsonb_array_elements_text(extra -> 'tags')
                    with ordinality as listed (tag, place)
                order by place) end as tags,
            (extra ->> 'latitude')::integer as latitude,
            (extra ->> 'longitude')::integer as longitude, extra ->> 'placeName' as spot,
            (extra ->> 'folder')::uuid as folder,
            case when line_account is not null then gen_random_uuid() end as salt,
            case when counter_user is not null then gen_random_uuid() end as counter_salt
        from unnest(kinds, ops, hashes, actors, entry_ids, days, reverses, debits, credits,
            move_coins, move_amounts, debit_seqs, credit_seqs, line_ids, versions, line_accounts,
            line_users, line_amounts, line_seqs, labels, line_coicops, money_entries,
            line_transfers, own_lines, line_imports, line_recurrences, names, descriptions,
            counters, counter_line_ids, counter_users, counter_line_amounts, counter_seqs,
            counter_labels, counter_names, has_terms, chains, rare, splits, traceparents,
            statuses, replays)
            with ordinality
            as element (kind, op, request_hash, actor, entry_id, day, reversed, debit, credit,
                coin, move_amount, debit_seq, credit_seq, line_id, version, line_account,
                line_user, line_amount, line_seq, label, line_coicop, money_entry,
                line_transfer, is_own, line_import, line_recurrence, name, description,
                counter, counter_line_id, counter_user, counter_amount, counter_seq,
                counter_label, counter_name, has_terms, chain, extra, split, traceparent, status,
                is_replay, place)
        where status = 'posted' and not is_replay
    ), made as materialized (
        select *,
            case
            when line_account is null then '{}'
            when counter_user is null then array[line_id]
            else array[line_id, counter_line_id] end as lines,
            case
            when line_account is null then '{}'
            when counter_user is null then array[version]
            else array[1, 1] end as line_versions,
            case when line_account is not null then words_hash(
                salt, name, description, tags, latitude, longitude, spot) end as words,
            case when counter_user is not null then words_hash(
                counter_salt, counter_name, description, '{}', null, null, null)
            end as counter_words,
            coalesce(day, (moment at time zone 'UTC')::date) as entry_day
        from asked
    ), kept as (
        insert into money_transaction (
            id, version, entry_id, money_entry_id, account_id, user_id, amount, seq, day,
            category_id, coicop, name, description, transfer_id, own_transfer, import_id,
            recorded_at, is_split, tags, latitude, longitude, place, folder_id, recurrence_id,
            salt, words_hash)
        select line.id, line.version, entry_id, money_entry, line.account, line.owner, line.amount,
            line.seq, day, line.label, line.coicop, line.name, description, line_transfer, is_own,
            line.import, moment, line.is_split, line.tags, line.latitude, line.longitude,
            line.spot, line.folder, line.recurrence, line.salt, line.words
        from made
        cross join lateral (
            values (line_id, version, line_account, line_user, line_amount, line_seq, label,
                line_coicop, name, line_import, split is not null, tags, latitude, longitude, spot,
                folder, line_recurrence, salt, words),
