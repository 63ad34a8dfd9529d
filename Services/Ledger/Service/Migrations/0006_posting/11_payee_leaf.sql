            || coalesce(case when counter_user is not null then record_send(row(
                entry_id, entry_id, counter, counter_user, counter_amount, counter_seq, day,
                counter_label, null::text, line_transfer, is_own, null::uuid, moment, false,
                null::uuid, counter_words, null::bytea)) end, ''),
