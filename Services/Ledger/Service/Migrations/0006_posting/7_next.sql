                end if;
            elsif kind = 'record' then
                select max(version), max(version) filter (where reversed_by is null)
                into latest, current
                from money_transaction where id = line_ids[at];
                -- The next version stands only where the one before was taken back, here or
                -- earlier. Without one the transaction is new: were it not, its primary key would
                -- say so.
                if coalesce(latest, 0) + 1 <> wanted_versions[at]
                    or (current is not null and not line_ids[at] = any (ended_ids))
                then
                    verdict := 'transaction-exists';
                end if;
            end if;
        end if;
        if verdict is null and kind in ('capture', 'void', 'expiry') then
            hold := null;
            select * into hold from transfer where id = ended_transfers[at];
            if hold.id is null or hold.from_account <> accounts[at]
                or hold.to_account <> counters[at] or hold.expires_at is null
            then
                verdict := 'transfer-not-found';
            elsif hold.state <> 'pending' or hold.id = any (holds_ended)
                or (kind = 'capture' and hold.expires_at <= moment)
                or (kind = 'expiry' and hold.expires_at > moment)
            then
                verdict := 'hold-ended';
            end if;
        end if;
