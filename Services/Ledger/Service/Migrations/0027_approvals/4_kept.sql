
        -- 9. Approval of what leaves a child's account at once.
        if verdict is null and accounts[at] = any (ruled_accounts) then
            purchase := case kind
                when 'record' then -amounts[at]
                when 'capture' then hold.debit_amount
                when 'transfer' then debit
                when 'deposit' then debit
                when 'hold' then debit end;
            if purchase > greatest(
                ruled_amounts[array_position(ruled_accounts, accounts[at])],
                (rare[at] ->> 'approved')::bigint)
            then
                stood := null;
                if kind = 'record' and wanted_versions[at] > 1 then
                    select -amount into stood
                    from money_transaction
                    where id = line_ids[at] and version = wanted_versions[at] - 1
                        and account_id = accounts[at];
                end if;
                if purchase > coalesce(stood, 0) then verdict := 'approval-required'; end if;
            end if;
        end if;
