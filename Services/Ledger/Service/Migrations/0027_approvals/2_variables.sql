
    -- Above which amounts a purchase is approved of first, by account; null where none is. What
    -- leaves the account at once, and what the version before took of it.
    ruled_accounts uuid[]; ruled_amounts bigint[]; purchase bigint; stood bigint;
