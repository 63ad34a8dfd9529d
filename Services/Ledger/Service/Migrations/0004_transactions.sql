-- What a person sees of the journal: transactions by version, transfers, and quotes.

-- A row per version. An edit takes back the current version and adds the next one.
create table ledger.money_transaction (
    id uuid not null,
    version integer not null check (version > 0),
    -- What made this version, and the entry whose movements carry its money: another one once
    -- only words or the category have changed.
    entry_id uuid not null,
    money_entry_id uuid not null,
    account_id uuid not null,
    -- In whose categories and budgets it counts: who recorded it, on whosever wallet.
    user_id uuid not null,
    -- Signed, as the account sees it.
    amount bigint not null,
    -- The place in the account's history: that of the movement where there is one.
    seq bigint not null,
    day date not null,
    -- Of one that is split it is the first line's.
    category_id uuid not null,
    coicop text,
    name text,
    description text,
    transfer_id uuid,
    own_transfer boolean not null default false,
    import_id uuid,
    recorded_at timestamptz not null,
    reversed_by uuid,
    -- Whether it has lines.
    is_split boolean not null default false,
    tags text[] not null default '{}',
    -- Where it was: millionths of a degree, and in words.
    latitude integer check (latitude between -90000000 and 90000000),
    longitude integer check (longitude between -180000000 and 180000000),
    place text,
    folder_id uuid,
    recurrence_id uuid,
    -- What the chain's hash covers of the words: they and the salt can go, and break no chain.
    salt uuid,
    words_hash bytea not null,
    -- What wrote it: whoever catches up on what has changed knows by it what they have seen. What
    -- befalls it later is in `changed`.
    xid xid8 not null default pg_current_xact_id(),
    primary key (id, version),
    constraint money_transaction_location check ((latitude is null) = (longitude is null))
);
create index money_transaction_account_idx on ledger.money_transaction (account_id, day, id)
    where reversed_by is null;
create index money_transaction_user_idx on ledger.money_transaction (user_id, day, id)
    where reversed_by is null;
create index money_transaction_category_idx
    on ledger.money_transaction (user_id, category_id, day, id) where reversed_by is null;
-- Of an account's lines those from the 2,001st on: of fewer a list by amount sorts them all.
create index money_transaction_amount_idx on ledger.money_transaction (account_id, amount, id)
    where reversed_by is null and seq > 2000;
-- An account's history, without a gap or a double. Its lines commit in this order, for the account is
-- locked until then: whoever catches up walks down from the newest to the first that was there.
create unique index money_transaction_seq_key on ledger.money_transaction (account_id, seq);
create index money_transaction_location_idx
    on ledger.money_transaction (user_id, latitude, longitude)
    where latitude is not null and reversed_by is null;
-- Those that have a location in the order of a list, over a person's books and over an account.
-- Whoever walks one asks for its condition as it is written here. PostgreSQL takes each for one
-- condition, and proves no other index's from it nor it from another's: no plan takes one in place
-- of the other, whatever it knew of the table when it was made.
create index money_transaction_located_idx
    on ledger.money_transaction (user_id, day, id)
    where (latitude is not null and reversed_by is null) is true;
create index money_transaction_located_account_idx
    on ledger.money_transaction (account_id, day, id)
    where (latitude is not null and reversed_by is null) is not false;
create index money_transaction_folder_idx
    on ledger.money_transaction (folder_id, user_id, day, id)
    where folder_id is not null and reversed_by is null;
create index money_transaction_recurrence_idx
    on ledger.money_transaction (recurrence_id, day, id)
    where recurrence_id is not null and reversed_by is null;
-- What an entry takes back, for whoever reads the journal: few entries do.
create index money_transaction_reversed_by_idx on ledger.money_transaction (reversed_by)
    where reversed_by is not null;
create index money_transaction_import_idx on ledger.money_transaction (import_id)
    where import_id is not null and reversed_by is null;

-- What befell a line that stood: taken back, its words erased. A row for each transaction that
-- changed it.
create table ledger.changed (
    account_id uuid not null,
    xid xid8 not null default pg_current_xact_id(),
    id uuid not null,
    primary key (account_id, xid, id)
);

-- One payment over several categories: its lines sum to its amount, a category has one at most.
create table ledger.transaction_line (
    transaction_id uuid not null,
    version integer not null,
    place smallint not null,
    user_id uuid not null,
    day date not null,
    category_id uuid not null,
    coicop text,
    amount bigint not null check (amount <> 0),
    -- Whether the version is the one that counts.
    is_current boolean not null default true,
    primary key (transaction_id, version, place),
    constraint transaction_line_category_key unique (transaction_id, version, category_id)
);
create index transaction_line_category_idx
    on ledger.transaction_line (user_id, category_id, day, transaction_id) where is_current;

-- The tags of versions that count, in lower case, as lists by a tag walk them.
create table ledger.transaction_tag (
    user_id uuid not null,
    tag text collate "C" not null,
    day date not null,
    transaction_id uuid not null,
    primary key (user_id, tag, day, transaction_id)
);
create index transaction_tag_transaction_id_idx on ledger.transaction_tag (transaction_id);

-- The hash of a transaction's words with its salt, as the chain covers them: each behind its length
-- in bytes, so that no two runs of words share their bytes (a tag is one line). One expression, and
-- no more volatile than what it is made of, so that it is worked out in place where it is called.
create function ledger.words_hash(
    salt uuid, name text, description text, tags text[], latitude integer, longitude integer,
    place text
) returns bytea
language sql stable parallel safe
return sha256(uuid_send(salt) || convert_to(
    coalesce(octet_length(name) || ':' || name, '-')
    || coalesce(octet_length(description) || ':' || description, '-')
    || coalesce(octet_length(place) || ':' || place, '-')
    || coalesce(latitude || ',' || longitude, '-')
    || cardinality(tags) || ':' || array_to_string(tags, E'\n'),
    'UTF8'
));

-- What was deleted, for as long as it can be had back.
create table ledger.deletion (
    id uuid primary key,
    user_id uuid not null,
    transactions uuid[] not null,
    -- Each one's, before it was deleted.
    versions integer[] not null,
    undo_until timestamptz not null,
    undone_at timestamptz,
    constraint deletion_versions check (cardinality(transactions) = cardinality(versions))
);
create index deletion_undo_until_idx on ledger.deletion (undo_until);

-- A price that stands for a minute: the debit rounded up, the credit down. Without amounts it is
-- the rate alone that stands, and they come with the transfer.
create table ledger.quote (
    id uuid primary key,
    user_id uuid not null,
    from_account uuid not null references ledger.account (id),
    -- The account that gets it, or the currency of a deposit that is to be opened.
    to_account uuid references ledger.account (id),
    to_currency text collate "C",
    debit_amount bigint check (debit_amount > 0),
    credit_amount bigint check (credit_amount > 0),
    -- Units of the target for one of the source, exactly; absent within one currency.
    rate_numerator bigint check (rate_numerator > 0),
    rate_denominator bigint check (rate_denominator > 0),
    rate_day date,
    -- Who published it.
    rate_source text collate "C",
    expires_at timestamptz not null,
    constraint quote_target check ((to_account is null) <> (to_currency is null)),
    constraint quote_amounts check ((debit_amount is null) = (credit_amount is null)),
    constraint quote_rate check (
        (rate_day is null) = (rate_numerator is null)
        and (rate_day is null) = (rate_denominator is null)
        and (rate_day is null) = (rate_source is null)
    )
);
create index quote_expires_at_idx on ledger.quote (expires_at);

-- What a transfer has beside its entry, whose id it has: a quote and its rate, a hold, a reference.
-- Most have none of these, and no row here.
create table ledger.transfer_terms (
    id uuid primary key,
    from_account uuid not null,
    to_account uuid not null,
    -- How each account shows it.
    from_transaction uuid not null,
    to_transaction uuid not null,
    debit_amount bigint not null check (debit_amount > 0),
    credit_amount bigint not null check (credit_amount > 0),
    -- A quote is used once. No reference: quotes are forgotten, their use is not.
    quote_id uuid,
    reference text check (length(reference) <= 140),
    rate_numerator bigint,
    rate_denominator bigint,
    rate_day date,
    rate_source text collate "C",
    -- What the chain's hash covers of the reference.
    salt uuid,
    reference_hash bytea,
    state text not null default 'posted'
        check (state in ('posted', 'pending', 'voided', 'expired')),
    -- Of one in two phases: until when it is held, and what ended the hold.
    expires_at timestamptz,
    ended_by uuid,
    -- The last change, for those who catch up on what has changed.
    xid xid8 not null default pg_current_xact_id(),
    constraint transfer_terms_rate check (
        (rate_day is null) = (rate_numerator is null)
        and (rate_day is null) = (rate_denominator is null)
        and (rate_day is null) = (rate_source is null)
    ),
    constraint transfer_terms_pending check (state <> 'pending' or expires_at is not null),
    constraint transfer_terms_ended check (
        (ended_by is not null) = (expires_at is not null and state <> 'pending')
    )
);
create index transfer_expires_at_idx on ledger.transfer_terms (expires_at)
    where state = 'pending';
create index transfer_pending_from_idx on ledger.transfer_terms (from_account)
    where state = 'pending';
-- Its condition says more than that of the one above, so that no plan that was made while there were
-- none takes it in that one's place.
create index transfer_pending_to_idx on ledger.transfer_terms (to_account)
    where state = 'pending' and expires_at is not null;
-- What changed what is held; the others have movements.
create index transfer_held_xid_idx on ledger.transfer_terms (from_account, xid)
    where expires_at is not null;
-- What ends a hold ends no other.
create unique index transfer_ended_by_key on ledger.transfer_terms (ended_by)
    where ended_by is not null;
create unique index transfer_quote_key on ledger.transfer_terms (quote_id)
    where quote_id is not null;

-- Transfers, whatever they have: an entry that moves once is one by itself.
create view ledger.transfer as
select made.id, coalesce(terms.from_account, made.debit_account) as from_account,
    coalesce(terms.to_account, made.credit_account) as to_account,
    coalesce(terms.from_transaction, made.transactions[1]) as from_transaction,
    coalesce(terms.to_transaction, made.transactions[2]) as to_transaction,
    coalesce(terms.debit_amount, made.amount) as debit_amount,
    coalesce(terms.credit_amount, made.amount) as credit_amount,
    terms.quote_id, terms.reference, terms.rate_numerator, terms.rate_denominator,
    terms.rate_day, terms.rate_source, made.recorded_at,
    coalesce(terms.state, 'posted') as state, terms.expires_at, terms.ended_by
from ledger.entry as made
left join ledger.transfer_terms as terms on terms.id = made.id
where made.kind in ('transfer', 'deposit', 'hold');

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format(
        'grant select on ledger.money_transaction, ledger.transaction_line, '
        'ledger.transaction_tag, ledger.quote, ledger.transfer_terms, ledger.transfer, '
        'ledger.changed to %I', service);
    execute format('grant insert, delete on ledger.quote to %I', service);
    execute format('grant select, insert, update, delete on ledger.deletion to %I', service);
    execute format(
        'grant select, insert on ledger.money_transaction, ledger.transaction_line, '
        'ledger.transaction_tag, ledger.transfer_terms, ledger.changed to %I', poster);
    execute format('grant select on ledger.transfer to %I', poster);
    execute format(
        'grant update (reversed_by) on ledger.money_transaction to %I', poster);
    execute format(
        'grant execute on function ledger.words_hash(uuid, text, text, text[], integer, integer, '
        'text) to %I, %I', service, poster);
    execute format('grant update (is_current) on ledger.transaction_line to %I', poster);
    execute format('grant delete on ledger.transaction_tag to %I', poster);
    execute format(
        'grant update (state, ended_by, xid) on ledger.transfer_terms to %I', poster);
    execute format('grant select on ledger.quote to %I', poster);
end
$$;
