-- The one way to move money. Every outcome is a status of its element, never an exception, so that
-- a bad element harms no neighbour; only what is wrong with the call itself raises. One function in
-- the files of this folder, in their order: what it is asked, the accounts' locks, then a call of
-- plain elements alone as a whole; of any other what is busy, the keys, the decision on each
-- element in the order of arrival, and at last all that it writes.
--
-- What is asked comes as arrays, a place in each for an element (amounts in minor units):
--   kinds           record, transfer, opening, reversal, revision (of the words alone), deposit (a
--                   transfer that opens the other account), hold (a transfer in two phases), and
--                   what ends one: capture, void, expiry
--   ops, hashes     the key that it is asked under and what is asked, hashed: on each element that
--                   stands alone, and on a chain's first
--   chains          elements in a row with one number: all of them or none, under the first's key
--   actors          who asks, checked against the account again; not where `by_service` is true:
--                   the service answers for the right, and there may be no actor
--   bookers         of record and revision: in whose categories and budgets it counts, where that
--                   is not the actor, and without one not the account's owner
--   accounts        the account; of a transfer, the one debited
--   counters        of a transfer, of what ends a hold, and of a transfer's reversal, the other
--                   account; of a deposit the one that it opens
--   counters_own    whether it must be the same owner's; then the accounts' names stand where
--                   names and counter_names have none
--   amounts, currencies   signed for record and opening, positive for transfer
--   entry_ids, line_ids, counter_line_ids   ids that the service made: of the entry, which is the
--                   transfer's too, and of the transaction on each account
--   days, categories   «Others» where there is no category, as in a transfer's other account
--   names, counter_names, descriptions, reference_texts
--   imports         what brings it; absent where nothing is brought
--   traceparents    of the request that asks, which what tells of it carries on: a call holds the
--                   elements of many
--   rare            what few elements have; absent where none has any. Of each an object or null:
--     transfer      what is ended
--     version       of what is taken back or revised; of a record that follows one, its own
--     quote         a transfer's quote, which holds both amounts or lets amount and counterAmount
--                   say them; across currencies there is no transfer without
--     opens         of a deposit: the new account's currency, exponent, name, folded, iban; and
--                   whether the name is only `proposed`: then no key keeps that it is taken
--     expires       of a hold: until when
--     reverses      an opening's entry, for a reversal without a transaction
--     lines         categories with amounts that sum to the amount, in place of a category
--     tags, foldedTags (as lists find them), latitude, longitude (millionths of a degree),
--     placeName, folder, recurrence
--                   a revision carries all of the words anew
--
-- The order of checks, the first that fails being the status:
-- No key keeps busy, forbidden, invalid-element, transaction-exists, folder-not-found or
-- proposed-name-taken.
--    1. busy                an account is locked by another, or an element before it in the call
--                           makes the next version of what it changes, too: nothing was done, the
--                           key is free
--    2. key-reused          the key stands for a different request (a replay gives its old status,
--                           of a chain that was refused each element its own)
--    3. chain-failed        another element of the chain was refused
--    4. invalid-element     what the kind needs is not there
--    5. account-not-found, counter-not-found, same-account, transaction-not-found,
--       transaction-exists, transfer-not-found, hold-ended
--    6. forbidden           the actor may not, or nobody is named; then category-not-found, so that
--                           nobody learns of an account by its owner's categories, and
--                           folder-not-found: what is recorded goes into a folder that the actor
--                           may write to
--    7. invalid-amount, currency-mismatch, quote-not-found, quote-mismatch, quote-used,
--       quote-expired, amount-too-small
--    8. account-closed, account-frozen, account-kind, account-name-taken or, of a name that was
--       only proposed, proposed-name-taken; then, by an element of the same call, quote-used and
--       the names again; account-not-empty
--    9. overflow            a balance, or what is left of it beside what is held, would leave 64
--                           bits
--   10. insufficient-funds  an account that may not would fall below what is held
set local search_path = ledger, pg_temp;

create type ended_version as (id uuid, version integer, entry_id uuid);

-- `waits` is the last lane: it waits up to 1 s for accounts that are locked by others. Meanwhile
-- it has none in hand that a neighbour could need, and it takes those that were free all along only
-- afterwards: what is locked by then is busy.
--
-- Answers a status for each element, and where any is the outcome of an earlier call which these
-- are (`replays`), with the entry, transaction and transfer that stand under the key.
create function post_batch_v1(
    kinds text[], ops uuid[], hashes uuid[], chains integer[], actors uuid[],
    by_service boolean[], bookers uuid[], accounts uuid[], counters uuid[],
    counters_own boolean[], amounts bigint[], currencies text[], entry_ids uuid[],
    line_ids uuid[], counter_line_ids uuid[], days date[], categories uuid[], names text[],
    counter_names text[], descriptions text[], reference_texts text[], imports uuid[],
    traceparents text[], rare jsonb[], moment timestamptz, waits boolean,
    out statuses text[], out replays boolean[], out old_entries uuid[],
    out old_transactions uuid[], out old_transfers uuid[]
)
language plpgsql volatile security definer
set search_path = ledger, pg_temp
-- Every statement is a look-up by an index, whatever the parameters: planning them again at each
-- call cost more than running them, and a plan made while the tables were empty may not scan them.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
#variable_conflict use_column
