
    -- Most calls hold transfers within a currency and records alone, under new keys, with nothing
    -- rare. One statement judges all whose accounts are free, and writes them where each can be
    -- posted; else it writes nothing, and what follows decides on each. It refuses nothing by
    -- itself, and what it posts is what the rest of the function would (PlainPostingTests). A
    -- balance and its history are what they were and the sides that are written, in one expression:
    -- there is nothing beside it that an assertion could hold them against.
    if rare is null then
        with asked as materialized (
            select place, op, request_hash, kind, chain, actor, account, counter as counter_asked,
                ids[b] as counter, entry_id,
                line_id, counter_line_id, day, currency, description, reference, import,
                traceparent, owners[a] as owner, owners[b] as counter_user,
                coalesce(owners[a] = owners[b], false) as is_own,
                case when kind = 'transfer' and amount > 0 then -amount else amount end as amount,
                account_kinds[a] = 'wallet' as is_wallet,
                balances[a] as balance, balances[b] as counter_balance,
                helds[a] as held, helds[b] as counter_held,
                sequences[a] as sequence, sequences[b] as counter_sequence,
                case when names_own then coalesce(name, called[b]) else name end as name,
                case when names_own then coalesce(counter_name, called[a])
                    else counter_name end as counter_name,
                case when category is null then others[a] else labelled.id end as label,
                labelled.coicop, others[b] as counter_label,
                case when kind = 'record' then
                    system_ids[array_position(system_names, 'outside ' || coins[a])] end as outside,
                gen_random_uuid() as salt,
                case when counter is not null then gen_random_uuid() end as counter_salt,
                case when reference is not null then gen_random_uuid() end as terms_salt,
                (ids[a] = account and (counter is null or ids[b] = counter)) is true as is_free,
                (case when chain is null or chain is distinct from chain_before
                    then op is not null and request_hash is not null else op is null end
                and entry_id is not null and line_id is not null and day is not null
                and ids[a] = account and currency = coins[a] and states[a] = 'open'
                and others[a] is not null and (by_service is true or owners[a] = actor)
                and (category is null or labelled.id is not null)
                and case kind
                when 'transfer' then
                    ids[b] = counter and currency = coins[b] and states[b] = 'open'
                    and others[b] is not null and a <> b and counter_line_id <> line_id
                    and amount > 0 and (reference is null or length(reference) <= 140)
                    and (owners[a] = owners[b] or (names_own is not true
                        and (by_service is true or account_kinds[a] in ('current', 'deposit'))))
                when 'record' then
                    counter is null and amount <> 0 and amount >= -maximum
                    and coalesce(booker, actor, owners[a]) = owners[a]
                end) is true as is_fine
            from (
                select *, width_bucket(account, ids) as a, width_bucket(counter, ids) as b
                from unnest(kinds, ops, hashes, chains, null::integer || chains, actors, by_service,
                    bookers, accounts, counters, counters_own, amounts, currencies, entry_ids,
                    line_ids, counter_line_ids, days, categories, names, counter_names,
                    descriptions, reference_texts, imports, traceparents) with ordinality
                    as listed (kind, op, request_hash, chain, chain_before, actor, by_service,
                        booker, account, counter, names_own, amount, currency, entry_id, line_id,
                        counter_line_id, day, category, name, counter_name, description, reference,
                        import, traceparent, place)
                where place <= n
                offset 0
            ) as element
            left join lateral (
                select id, coicop from category
                where id = element.category and user_id = owners[element.a] and deleted_at is null
                offset 0
            ) as labelled on element.category is not null
        ), side as materialized (
            select place, is_counter, account, amount, is_fine, held, is_bound,
                before + sum(amount) over history as after,
                sequence + row_number() over history as seq
            from (
                select place, false as is_counter, account, amount, is_fine, balance as before,
                    held, sequence, amount < 0 and not is_wallet as is_bound
                from asked where is_free
                union all
                select place, true, counter, case when is_fine then -amount end, is_fine,
                    counter_balance, counter_held, counter_sequence, false
                from asked where is_free and counter is not null
            ) as listed
            window history as (partition by account order by place)
        ), verdict as materialized (
            select bool_and(
                    is_fine and after <= maximum and after - held >= -maximum
                    and not (is_bound and after < held))
                -- What is not free is busy, unless it is a chain's or not there at all.
                and not exists (
                    select from asked where not is_free and (chain is not null or not exists (
                        select from balance where account_id = asked.account)
                        or (counter_asked is not null and not exists (
                            select from balance where account_id = counter_asked))))
                and not exists (select from entry where op = any (ops))
                and not exists (select from operation where op = any (ops))
                and (n = 1 or not exists (
                    select from unnest(ops) as op where op is not null
                    group by op having count(*) > 1)) as is_fine
            from side
        ), made as materialized (
            select asked.*, this.seq, that.seq as counter_seq,
                words_hash(salt, name, description, '{}', null, null, null) as words,
                case when counter is not null then words_hash(
                    counter_salt, counter_name, description, '{}', null, null, null)
                end as counter_words,
                case when reference is not null then words_hash(
                    terms_salt, reference, null, '{}', null, null, null) end as terms_words
            from asked
            join side as this on this.place = asked.place and not this.is_counter
            left join side as that on that.place = asked.place and that.is_counter
            where (select is_fine from verdict)
        ), moved as (
            update balance
            set amount = balance.amount + change.amount, sequence = balance.sequence + change.drawn
            from (
                select account, sum(amount) as amount, count(*) as drawn from side
                where (select is_fine from verdict)
                group by account
            ) as change
            where account_id = change.account and account_id = any (ids)
        ), termed as (
            insert into transfer_terms (
                id, from_account, to_account, from_transaction, to_transaction, debit_amount,
                credit_amount, reference, salt, reference_hash)
            select entry_id, account, counter, line_id, counter_line_id, -amount, -amount,
                reference, terms_salt, terms_words
            from made where reference is not null
        ), kept as (
            insert into money_transaction (
                id, version, entry_id, money_entry_id, account_id, user_id, amount, seq, day,
                category_id, coicop, name, description, transfer_id, own_transfer, import_id,
                recorded_at, salt, words_hash)
            select line.id, 1, entry_id, entry_id, line.account, line.owner, line.amount,
                line.seq, day, line.label, line.coicop, line.name, description,
                case when counter is not null then entry_id end, is_own, line.import, moment,
                line.salt, line.words
            from made
            cross join lateral (
                values (line_id, account, owner, amount, seq, label, coicop, name, import, salt,
                    words),
                (counter_line_id, counter, counter_user, -amount, counter_seq, counter_label, null,
                    counter_name, null, counter_salt, counter_words)
            ) as line (id, account, owner, amount, seq, label, coicop, name, import, salt, words)
            where line.account is not null
        ), posted as (
            insert into entry (
                id, op, request_hash, kind, actor_id, day, recorded_at, debit_account,
                credit_account, currency, amount, debit_seq, credit_seq, transactions, versions,
                members, traceparent, leaf)
            select entry_id, op, request_hash, kind, actor, day, moment, debit, credit, currency,
                abs(amount), debit_seq, credit_seq, lines, versions,
                case when chain is not null and op is not null then array(
                    select case when kind = 'transfer' then entry_id else line_id end
                    from asked as member
                    where member.chain = placed.chain and member.place >= placed.place
                    order by place) end,
                traceparent,
                sha256(record_send(row(
                    entry_id, kind, actor, day, moment, null::uuid, debit, credit, currency,
                    abs(amount), debit_seq, credit_seq, lines, versions, null::bytea,
                    record_send(row(
                        entry_id, entry_id, account, owner, amount, seq, day, label, coicop,
                        case when counter is not null then entry_id end, is_own, import, moment,
                        false, null::uuid, words, null::bytea))
                    || case when counter is not null then record_send(row(
                        entry_id, entry_id, counter, counter_user, -amount, counter_seq, day,
                        counter_label, null::text, entry_id, is_own, null::uuid, moment, false,
                        null::uuid, counter_words, null::bytea)) else '' end,
                    case when reference is not null then record_send(row(
                        account, counter, line_id, counter_line_id, -amount, -amount, null::uuid,
                        null::bigint, null::bigint, null::date, null::text, terms_words,
                        null::timestamptz)) end,
                    null::uuid)))
            from (
                select *,
                    case when amount < 0 then account else outside end as debit,
                    case when amount < 0 then coalesce(counter, outside) else account end as credit,
                    case when amount < 0 then seq end as debit_seq,
                    case when amount < 0 then counter_seq else seq end as credit_seq,
                    case when counter is null then array[line_id]
                        else array[line_id, counter_line_id] end as lines,
                    case when counter is null then array[1] else array[1, 1] end as versions
                from made
            ) as placed
            order by place
            on conflict (op) where op is not null do nothing
            returning 1
        )
        select array_agg(case when is_free then 'posted' else 'busy' end order by place),
            count(*) filter (where is_free) - (select count(*) from posted)
        into statuses, missing
        from asked
        where (select is_fine from verdict);
        if statuses is not null then
            if missing > 0 then
                -- Posted meanwhile by a call that asked, under the same key, for other accounts.
                raise exception 'a key was used meanwhile' using errcode = '40001';
            end if;
            return;
        end if;
    end if;
