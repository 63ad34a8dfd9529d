
    -- What stands under the keys: what was posted in the journal, what was refused beside it. Read
    -- under the accounts' locks, in a statement of its own: whoever had them before has committed.
    select array_agg(op order by op), array_agg(request_hash order by op),
        array_agg(status order by op), array_agg(entry_id order by op),
        array_agg(transaction_id order by op), array_agg(transfer_id order by op),
        array_agg(refused_member order by op)
    into known_ops, known_hashes, known_statuses, known_entries, known_transactions,
        known_transfers, known_members
    from (
        select op, request_hash, 'posted' as status, id as entry_id,
            case kind
            when 'reversal' then members[1]
            when 'hold' then (
                select terms.from_transaction from transfer_terms as terms
                where terms.id = entry.id)
            when 'capture' then null
            else transactions[1] end as transaction_id,
            case
            when kind in ('transfer', 'deposit', 'hold') then id
            when kind in ('capture', 'void', 'expiry') then (
                select terms.id from transfer_terms as terms where terms.ended_by = entry.id)
            end as transfer_id, null::integer as refused_member
        from entry
        where op = any (ops)
        union all
        select op, request_hash, status, null, null, null, refused_member
        from operation
        where op = any (ops)
    ) as kept_under_keys;
    if n > 1 then
        select count(*) > count(distinct op) into is_repeated
        from unnest(ops) as op where op is not null;
    end if;
