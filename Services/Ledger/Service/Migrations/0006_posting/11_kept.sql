            case when has_terms then (
                select record_send(row(
                    t.from_account, t.to_account, t.from_transaction, t.to_transaction,
                    t.debit_amount, t.credit_amount, t.quote_id, t.rate_numerator,
                    t.rate_denominator, t.rate_day, t.rate_source, t.reference_hash,
                    t.expires_at))
                from transfer_terms as t where t.id = entry_id) end,
            case when kind in ('capture', 'void', 'expiry') then (
                select held.id from transfer_terms as held where held.ended_by = entry_id) end)))
    from made
    order by made.place
    on conflict (op) where op is not null do nothing;
    get diagnostics written = row_count;
    if written <> (
        select count(*) from unnest(statuses, replays) as element (status, is_replay)
        where status = 'posted' and not is_replay)
    then
        -- Posted meanwhile by a call that asked, under the same key, for other accounts.
        raise exception 'a key was used meanwhile' using errcode = '40001';
    end if;
    if rare is not null then
        insert into transaction_tag (user_id, tag, day, transaction_id)
        select line_user, tag, day, line_id
        from unnest(line_users, days, line_ids, rare, statuses, replays)
            as element (line_user, day, line_id, extra, status, is_replay)
        cross join lateral jsonb_array_elements_text(extra -> 'foldedTags') as tag
        where line_user is not null and status = 'posted' and not is_replay
        on conflict do nothing;
    end if;

    -- What was refused is kept under its key, but for what may be otherwise the next time.
    if is_refused then
        insert into operation (op, request_hash, status, refused_member, actor_id)
        select op, request_hash, outcome, member, actor
        from (
            select distinct on (op) op, request_hash, actor, kept_members[place] as member,
                coalesce(kept[place], status) as outcome
            from unnest(ops, hashes, actors, statuses, replays) with ordinality
                as element (op, request_hash, actor, status, is_replay, place)
            where op is not null and request_hash is not null and not is_replay
                and status not in ('posted', 'busy', 'key-reused')
            order by op, place
        ) as listed
        where outcome <> all (never_kept)
        order by op
        on conflict do nothing;
    end if;
end
$function$;
