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
    -- The account's owner.
    user_id uuid not null,
    -- Signed, as the account sees it.
    amount bigint not null,
    day date not null,
    category_id uuid not null,
    coicop text,
    name text,
    description text,
    transfer_id uuid,
    own_transfer boolean not null default false,
    import_id uuid,
    recorded_at timestamptz not null,
    reversed_by uuid,
    primary key (id, version)
);
create index money_transaction_account_idx on ledger.money_transaction (account_id, day, id)
    where reversed_by is null;
create index money_transaction_user_idx on ledger.money_transaction (user_id, day, id)
    where reversed_by is null;
create index money_transaction_category_idx
    on ledger.money_transaction (user_id, category_id, day, id) where reversed_by is null;
create index money_transaction_amount_idx on ledger.money_transaction (user_id, amount, id)
    where reversed_by is null;
create index money_transaction_import_idx on ledger.money_transaction (import_id)
    where import_id is not null and reversed_by is null;

-- What was deleted, for as long as it can be had back.
create table ledger.deletion (
    id uuid primary key,
    user_id uuid not null,
    transaction_id uuid not null,
    version integer not null,
    undo_until timestamptz not null,
    undone_at timestamptz
);
create index deletion_undo_until_idx on ledger.deletion (undo_until);

-- A price that stands for a minute: the debit rounded up, the credit down. Without amounts it is
-- the rate alone that stands, and they come with the transfer.
create table ledger.quote (
    id uuid primary key,
    user_id uuid not null,
    from_account uuid not null references ledger.account (id),
    to_account uuid not null references ledger.account (id),
    debit_amount bigint check (debit_amount > 0),
    credit_amount bigint check (credit_amount > 0),
    -- Units of the target for one of the source, exactly; absent within one currency.
    rate_numerator bigint check (rate_numerator > 0),
    rate_denominator bigint check (rate_denominator > 0),
    rate_day date,
    expires_at timestamptz not null,
    constraint quote_amounts check ((debit_amount is null) = (credit_amount is null)),
    constraint quote_rate check (
        (rate_day is null) = (rate_numerator is null)
        and (rate_day is null) = (rate_denominator is null)
    )
);
create index quote_expires_at_idx on ledger.quote (expires_at);

create table ledger.transfer (
    id uuid primary key,
    entry_id uuid not null,
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
    recorded_at timestamptz not null
);
create unique index transfer_quote_key on ledger.transfer (quote_id) where quote_id is not null;

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format(
        'grant select on ledger.money_transaction, ledger.quote, ledger.transfer to %I', service);
    execute format('grant insert, delete on ledger.quote to %I', service);
    execute format('grant select, insert, update, delete on ledger.deletion to %I', service);
    execute format(
        'grant select, insert on ledger.money_transaction, ledger.transfer to %I', poster);
    execute format('grant update (reversed_by) on ledger.money_transaction to %I', poster);
    execute format('grant select on ledger.quote to %I', poster);
end
$$;
