        ) as line (id, version, account, owner, amount, seq, label, coicop, name, import, is_split,
            tags, latitude, longitude, spot, folder, recurrence, salt, words)
        where line.account is not null
    )
    insert into entry (
        id, op, request_hash, kind, actor_id, day, recorded_at, reverses, debit_account,
        credit_account, currency, amount, debit_seq, credit_seq, transactions, versions, members,
        traceparent, leaf)
    select entry_id, op, request_hash, kind, actor, entry_day, moment, reversed, debit, credit,
        coin, move_amount, debit_seq, credit_seq, lines, line_versions,
        case
        when chain is not null and op is not null then array(
            select case when kind in ('transfer', 'deposit', 'hold') then entry_id
                else line_id end
            from unnest(chains, kinds, entry_ids, line_ids) with ordinality
                as member (chain, kind, entry_id, line_id, place)
            where member.chain = made.chain and member.place >= made.place
            order by member.place)
        when kind = 'reversal' then array[line_id] end,
        traceparent,
        sha256(record_send(row(
            entry_id, kind, actor, entry_day, moment, reversed, debit, credit, coin, move_amount,
            debit_seq, credit_seq, lines, line_versions,
            case when cardinality(further) > 0 then (
                select string_agg(record_send(row(
                    m.number, m.debit_account, m.credit_account, m.currency, m.amount,
                    m.debit_seq, m.credit_seq)), '' order by m.number)
                from further_movement as m where m.entry_id = made.entry_id) end,
            case when line_account is not null then record_send(row(
                entry_id, money_entry, line_account, line_user, line_amount, line_seq, day, label,
                line_coicop, line_transfer, is_own, line_import, moment, split is not null,
                line_recurrence, words,
                case when split is not null then (
                    select string_agg(record_send(row(
                        l.place, l.user_id, l.day, l.category_id, l.coicop, l.amount)),
                        '' order by l.place)
                    from transaction_line as l
                    where l.transaction_id = line_id and l.version = made.version) end)) end
