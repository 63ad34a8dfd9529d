            || coalesce(case when counter_user is not null then record_send(row(
                entry_id, entry_id, counter, counter_user, counter_amount, counter_seq, day,
                counter_label, null::text, line_transfer, is_own, null::uuid, moment,
                claims[made.place] is not null, null::uuid, counter_words,
                case when claims[made.place] is not null then (
                    select string_agg(record_send(row(
                        l.place, l.user_id, l.day, l.category_id, l.coicop, l.amount)),
                        '' order by l.place)
                    from transaction_line as l
                    where l.transaction_id = counter_line_id and l.version = 1) end)) end, ''),
