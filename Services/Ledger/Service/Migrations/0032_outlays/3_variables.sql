
    -- The accounts that are counted, and where their months begin; null where none is. Their limits,
    -- and above which amounts a purchase is approved of first, each null where there is none.
    purses uuid[]; purse_starts smallint[]; purse_zones text[]; limits spending_limit[];
    ruled_accounts uuid[]; ruled_amounts bigint[];
    -- The rows of outlays that the call adds, and how many they were when the chain under way began;
    -- where that is. What counts of each limit in a month, loaded when it is asked for first and kept
    -- up as elements are decided: by its place, the month and whether it is of claims; and of an
    -- account what was bought within the hour. And how that was when the chain began.
    outlays outlay[] := '{}'; outlays_before integer := 0; outlays_from integer;
    spent jsonb := '{}'; spent_before jsonb := '{}'; spent_sums jsonb;
    -- Of the element: the rows, what its transaction is to count as, and what is bought by it.
    changes outlay[]; part_labels uuid[]; part_kinds text[]; part_amounts numeric[];
    leaving numeric; claimed numeric; purchase numeric; stood numeric; paid_in bigint; purse uuid;
    line uuid;
    limited record; month_key text; counted_before numeric; counted_now numeric;
