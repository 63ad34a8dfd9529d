-- What of a group is in somebody's own ledger: of an expense, what they paid of it; of a settlement,
-- whose id is the row's then, what they got back by it. One database cannot commit with the other, so
-- each row says what the ledger is asked for, from before it is asked until it has answered:
--
--   making    an expense or settlement that is to be written down once the ledger has posted it:
--             nobody sees the row. It becomes current with the commit that writes it down; where that
--             never comes, ending.
--   pending   the expense stands, and the ledger is asked for the next version of the posting.
--   current   what is posted is what the expense is.
--   outdated  it is not: somebody else has changed or deleted it, or the ledger has refused.
--   ending    the ledger is asked to take it back; then the row goes, or is
--   ended     where the owner has deleted the expense, and may undo that.
--
-- The ledger posts and takes back once for the row's id, whoever asks how often, and never posts what
-- was taken back: what is posted anew after that has another id.
create table groups.ledger_link (
    id uuid primary key,
    -- No reference: what the ledger is asked for outlives the group.
    group_id uuid not null,
    expense_id uuid,
    member_id uuid not null,
    user_id uuid not null,
    state text not null
        check (state in ('making', 'pending', 'current', 'outdated', 'ending', 'ended')),
    -- What is posted, or is to be as the first.
    account_id uuid not null,
    category_id uuid,
    paid bigint not null check (paid > 0),
    share bigint not null check (share between 0 and paid),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    day date not null,
    version integer not null default 1,
    transaction_id uuid,
    -- The code of why the ledger would not follow: it is asked again when the owner says so.
    reason text,
    -- Whether the row stays as ended, for an undo.
    is_kept boolean not null default false,
    -- What the ledger is asked for, word for word; and whether its owner has edited the expense since,
    -- so that it is asked again as soon as it has answered: what is posted is known at any time.
    posting json,
    is_behind boolean not null default false,
    -- Whoever repeats a call that was cut off means the same row. A digest of scope and key, and of
    -- what was asked.
    key_id uuid,
    request_hash bytea,
    -- When somebody asks the ledger, for nobody may wait for it any more; later again where it does
    -- not answer.
    look_at timestamptz,
    created_at timestamptz not null default now(),
    constraint ledger_link_key_id_key unique (key_id),
    check ((posting is not null) = (state in ('making', 'pending'))),
    check ((look_at is not null) = (state in ('making', 'pending', 'ending'))),
    check (key_id is null or state = 'making'),
    check (not is_behind or state = 'pending')
);
-- One each of an expense; and all of a group, which go with it.
create unique index ledger_link_expense_idx on groups.ledger_link (group_id, expense_id, user_id);
create index ledger_link_user_idx on groups.ledger_link (user_id, id);
create index ledger_link_look_at_idx on groups.ledger_link (look_at) where look_at is not null;

create trigger keep_erased_out before insert on groups.ledger_link
    for each row execute function groups.keep_erased_out('user_id', 'refuse');
