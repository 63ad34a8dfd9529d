
    -- 1. Busy by the payee's receivable; its chain with it.
    if receivables is not null and cardinality(ids) < cardinality(wanted) then
        for at in 1 .. n loop
            continue when receivables[at] is null or not receivables[at] = any (had);
            for i in 1 .. n loop
                if i = at or chains[i] = chains[at] then statuses[i] := 'busy'; end if;
            end loop;
        end loop;
    end if;
