
    -- What is limited; null where nothing is. What is spent of each limit in a month, by its place
    -- and the month ('1 2024-05-01'): loaded when an element asks for it first, and kept up as
    -- elements are decided; and how it was when the chain under way began, and where that is.
    limits spending_limit[]; limited record;
    spent jsonb := '{}'; spent_before jsonb := '{}'; spent_from integer;
    spendings spending[]; month_spent jsonb; outlay numeric; month_key text;
