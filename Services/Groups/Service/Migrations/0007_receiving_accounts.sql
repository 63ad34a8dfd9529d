-- Where people want to be paid what others owe them, one account a currency: one of their own, which
-- the ledger keeps, or one at another bank, by its IBAN and whose it is.

create table groups.receiving_account (
    user_id uuid not null,
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    account_id uuid,
    iban text check (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'),
    name text check (char_length(name) between 1 and 70),
    named_at timestamptz not null default now(),
    primary key (user_id, currency),
    check (num_nonnulls(account_id, iban) = 1),
    check ((iban is null) = (name is null))
);

create trigger keep_erased_out before insert on groups.receiving_account
    for each row execute function groups.keep_erased_out('user_id', 'refuse');
