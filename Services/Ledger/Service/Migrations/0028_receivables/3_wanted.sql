    if rare is not null then
        select array_agg((value ->> 'claim')::bigint order by place),
            array_agg((value ->> 'receivable')::uuid order by place)
        into claims, receivables
        from unnest(rare) with ordinality as listed (value, place);
        if receivables = array_fill(null::uuid, array[n]) then
            receivables := null;
        else
            wanted := array(
                select distinct id from unnest(wanted || receivables) as id
                where id is not null order by id);
        end if;
    end if;

