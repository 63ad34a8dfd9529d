create or replace function post_batch_v1(
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
