
        -- 6. The right, under the lock. Taking back needs it on each account that gives or gets;
        -- the payee may give a hold up, too.
        if verdict is null and by_service[at] is not true then
            if actors[at] is null then
                verdict := 'forbidden';
            elsif kind = 'void' and owners[b] = actors[at] then
                null;
            elsif owners[a] <> actors[at] then
                if kind in ('opening', 'transfer', 'deposit', 'hold', 'capture', 'void') then
                    verdict := 'forbidden';
                elsif not exists (
                    select from account_member
                    where account_id = accounts[at] and user_id = actors[at]
                        and role = 'editor' and left_at is null)
                then
                    verdict := 'forbidden';
                end if;
            end if;
            if verdict is null and kind = 'reversal' and owners[b] <> actors[at] then
                if not exists (
                    select from account_member
                    where account_id = counters[at] and user_id = actors[at]
                        and role = 'editor' and left_at is null)
                then
                    verdict := 'forbidden';
                end if;
            end if;
        end if;
        -- The category: the one named must be of whom it is counted for; else «Others».
        if verdict is null and kind not in ('opening', 'reversal', 'hold', 'void', 'expiry') then
            booker := owners[a];
            if kind in ('record', 'revision') then
                booker := coalesce(bookers[at], actors[at], owners[a]);
            end if;
            coicop := null;
            if splits[at] is not null then
                -- Of one that is split it is the first line's.
                select (array_agg(category.id order by place))[1],
                    (array_agg(category.coicop order by place))[1]
                into label, coicop
                from jsonb_array_elements(splits[at]) with ordinality as line (value, place)
                left join category on category.id = (line.value ->> 'category')::uuid
                    and category.user_id = booker and category.deleted_at is null
                having count(category.id) = count(*);
            elsif categories[at] is not null then
                known := width_bucket(categories[at], known_labels);
                label := case when known_labels[known] = categories[at]
                    and label_users[known] = booker then categories[at] end;
                coicop := label_coicops[known];
            elsif booker = owners[a] then
                label := others[a];
            else
                label := (select id from category where user_id = booker and is_default);
            end if;
            if label is null
                or (kind in ('transfer', 'deposit', 'capture') and others[b] is null)
            then
                verdict := 'category-not-found';
            end if;
        end if;
        -- The folder: a first version alone, for what is in one stays there.
        if verdict is null and kind = 'record' and folders[at] is not null
            and wanted_versions[at] is null and actors[at] is not null
        then
            if not exists (
                select from folder_member
                where folder_id = folders[at] and user_id = actors[at]
                    and access in ('owner', 'write') and left_at is null)
            then
                verdict := 'folder-not-found';
            end if;
        end if;

        -- 7. Amount and currency.
        price := null;
        if verdict is null and kind in ('record', 'opening') then
            if amounts[at] < -maximum then
                verdict := 'invalid-amount';
            elsif currencies[at] <> coins[a] then
                verdict := 'currency-mismatch';
            end if;
        elsif verdict is null and kind in ('transfer', 'deposit', 'hold') then
            debit := amounts[at];
            credit := amounts[at];
            -- What is held has one amount.
            if kind = 'hold' and coins[a] <> coins[b] then
                verdict := 'currency-mismatch';
            elsif quotes[at] is null then
                if amounts[at] <= 0 then
                    verdict := 'invalid-amount';
                elsif currencies[at] <> coins[a] or currencies[at] <> coins[b] then
                    verdict := 'currency-mismatch';
                end if;
            else
                select * into price from quote where id = quotes[at];
                debit := coalesce(price.debit_amount, amounts[at]);
                credit := coalesce(price.credit_amount, counter_amounts[at]);
                verdict := case
                when price.id is null then 'quote-not-found'
                when price.from_account <> accounts[at]
                    or case when kind = 'deposit' then price.to_currency is distinct from coins[b]
                        else price.to_account is distinct from counters[at] end
                    or price.user_id is distinct from coalesce(actors[at], price.user_id)
                    or (coins[a] = coins[b] and debit <> credit)
                    or (coins[a] <> coins[b] and price.rate_day is null)
                then 'quote-mismatch'
                -- A quote is used under the lock of the account that it debits: no two at once.
                when exists (select from transfer_terms where quote_id = quotes[at])
                then 'quote-used'
                when price.expires_at <= moment then 'quote-expired'
                when debit is null or credit is null or debit <= 0 or credit < 0
                then 'invalid-amount'
                when credit = 0 then 'amount-too-small'
                -- Whoever worked it out: nobody gets more than the rate.
                when coins[a] <> coins[b]
                    and credit::numeric * price.rate_denominator * 10::numeric ^ exponents[a]
                        > debit::numeric * price.rate_numerator * 10::numeric ^ exponents[b]
                then 'quote-mismatch'
                end;
            end if;
        end if;

        -- 8. The state.
        if verdict is null and kind not in ('revision', 'void', 'expiry') then
            if states[a] = 'closed' or states[b] = 'closed' then
                verdict := 'account-closed';
            elsif states[a] = 'frozen' or states[b] = 'frozen' then
                verdict := 'account-frozen';
            elsif kind in ('transfer', 'hold') and not is_own and by_service[at] is not true
                and account_kinds[a] not in ('current', 'deposit')
            then
                verdict := 'account-kind';
            elsif kind = 'opening' and account_kinds[a] <> 'wallet' then
                verdict := 'account-kind';
            elsif kind = 'deposit' then
                if exists (
                    select from account
                    where user_id = owners[a] and name_folded = openings[at] ->> 'folded'
                        and state <> 'closed')
                then
                    verdict := case when openings[at] ->> 'proposed' is null
                        then 'account-name-taken' else 'proposed-name-taken' end;
                end if;
            end if;
        end if;
        -- Of what an element of the same call has used or taken.
        if verdict is null and quotes[at] = any (quotes_used) then
            verdict := 'quote-used';
        end if;
        if verdict is null and kind = 'deposit'
            and actors[at] || ' ' || (openings[at] ->> 'folded') = any (names_taken)
        then
            verdict := case when openings[at] ->> 'proposed' is null then 'account-name-taken'
                else 'proposed-name-taken' end;
        end if;
        if verdict is null and kind = 'opening' then
            if balances[a] <> 0 or exists (
                select from money_transaction
                where account_id = accounts[at] and reversed_by is null)
            then
                verdict := 'account-not-empty';
            end if;
        end if;
