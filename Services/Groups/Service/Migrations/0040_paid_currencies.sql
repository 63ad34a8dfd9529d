-- What was paid where a debt is settled in another currency; `amount` is how much of the debt it
-- settles.
alter table groups.settlement_payment
    add column paid bigint check (paid > 0),
    add column paid_currency text check (paid_currency ~ '^[A-Z]{3}$'),
    add constraint settlement_payment_paid check (
        (paid is null) = (paid_currency is null) and paid_currency is distinct from currency);
