-- An allowance that comes again is decided once: paid, or refused for good with the code of why. A
-- request that was cut off and comes late finds that and pays nothing. A refusal names nobody, and
-- stays.
alter table ledger.allowance_payment
    alter column account_id drop not null,
    alter column transaction_id drop not null,
    add column refusal text,
    add constraint allowance_payment_outcome check (
        num_nonnulls(account_id, transaction_id) = case when refusal is null then 2 else 0 end
        and (refusal is null or transfer_id is null));
