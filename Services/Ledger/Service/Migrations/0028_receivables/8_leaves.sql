
        -- What leaves at once is the claim, too.
        if verdict is null and kind = 'record' and claims[at] > 0 then
            amounts[at] := amounts[at] - claims[at];
        end if;
