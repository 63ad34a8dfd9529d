
    -- What goes to a receivable or, below zero, comes from it, by place, null where nothing does;
    -- of a transfer, what it clears of the payee's, which it names. Those that are locked.
    claims bigint[]; receivables uuid[]; receivable_ids uuid[]; r integer;
