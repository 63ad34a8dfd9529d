-- One row for each posting of a transaction, or for each part of one that is split over categories:
-- its version is posted once and may be taken back once. A transfer between somebody's own accounts
-- is neither income nor expense, and has none.
-- A reversal marks the row instead of deleting it, and makes the row where it comes first: so each
-- event may come twice and in any order, and what counts is the same.

create table analytics.fact (
    user_id uuid not null,
    transaction_id uuid not null,
    version bigint not null,
    -- Which part of it, from 0.
    part integer not null,
    is_reversed boolean not null,
    account_id uuid not null,
    account_kind text not null,
    day date not null,
    -- Signed minor units; minus is money out.
    amount bigint not null,
    currency text not null,
    category_id uuid not null,
    -- The division that the category had then; that of analytics.category goes before it.
    coicop text,
    primary key (user_id, transaction_id, version, part)
);
-- Reports: one user's days.
create index fact_user_day_idx on analytics.fact (user_id, day)
    where not is_reversed;
-- Insights: everybody's days.
create index fact_day_idx on analytics.fact (day, user_id)
    where not is_reversed;

-- Who has ever used a wallet that is another's, and whether they still see it: where not, what they
-- booked there is in no report of theirs, as it is in no list; of everybody's figures it stays part.
create table analytics.wallet_member (
    user_id uuid not null,
    account_id uuid not null,
    is_member boolean not null,
    -- The event's among those of the account: the latest stands, in whatever order they come.
    sequence bigint not null,
    primary key (user_id, account_id)
);

-- The division of a category as it is now, for all that was ever booked on it.
create table analytics.category (
    user_id uuid not null,
    category_id uuid not null,
    coicop text,
    primary key (user_id, category_id)
);
