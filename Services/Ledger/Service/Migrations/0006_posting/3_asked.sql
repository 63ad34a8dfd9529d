begin
    if n = 0 then return; end if;
    if rare is not null then
        select array_agg((value ->> 'quote')::uuid order by place),
            array_agg((value ->> 'version')::integer order by place),
            array_agg((value ->> 'transfer')::uuid order by place),
            array_agg((value ->> 'counterAmount')::bigint order by place),
            array_agg((value ->> 'reverses')::uuid order by place),
            array_agg(value -> 'lines' order by place),
            array_agg(value -> 'opens' order by place),
            array_agg((value ->> 'expires')::timestamptz order by place),
            array_agg((value ->> 'folder')::uuid order by place),
            array_agg((value ->> 'latitude')::integer order by place),
            array_agg((value ->> 'longitude')::integer order by place),
            coalesce(bool_or(value -> 'opens' is not null), false)
        into quotes, wanted_versions, ended_transfers, counter_amounts, reversed_entries, splits,
            openings, expiries, folders, latitudes, longitudes, opens_any
        from unnest(rare) with ordinality as listed (value, place);
    end if;
    select array_agg(distinct id order by id) into wanted
    from unnest(accounts || counters) as id where id is not null;

