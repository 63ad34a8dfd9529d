-- A record may bring money back for several: the share comes from outside and the rest from the
-- receivable, which goes below zero where that much is not open. The amount is above zero then, and
-- the claim below it. A claim of the amount's own direction stays invalid.
--
-- The posting function is changed as it stands, by the one condition: whatever else has revised it
-- before stays.
set local search_path = ledger, pg_temp;

do $$
declare
    posting text := pg_get_functiondef((
        select oid from pg_proc
        where proname = 'post_batch_v1' and pronamespace = 'ledger'::regnamespace));
    before constant text :=
        'or claims[at] = 0 or amounts[at] > 0 or (claims[at] < 0 and amounts[at] <> 0)';
    behind constant text :=
        'or claims[at] = 0 or (claims[at] > 0 and amounts[at] > 0)
                or (claims[at] < 0 and amounts[at] < 0)';
begin
    if cardinality(string_to_array(posting, before)) <> 2 then
        raise exception 'the posting function has not the condition that this migration changes';
    end if;
    execute replace(posting, before, behind);
end
$$;
