            (counter_line_id, 1, case when counter_user is not null then counter end,
                counter_user, counter_amount, counter_seq, counter_label, null::text, counter_name,
                null::uuid, claims[made.place] is not null, '{}', null::integer, null::integer,
                null::text, null::uuid, null::uuid, counter_salt, counter_words)
