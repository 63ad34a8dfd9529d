        if coalesce(verdict, 'approval-required') = 'approval-required' and kind = 'record'
            and claims[at] > 0
        then
            amounts[at] := amounts[at] + claims[at];
        end if;
