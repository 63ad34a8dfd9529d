declare
    maximum constant bigint := 9223372036854775807;
    -- Outcomes that no key stands for: a right can be given, a fault mended, a name made anew.
    never_kept constant text[] := array[
        'forbidden', 'invalid-element', 'transaction-exists', 'folder-not-found',
        'proposed-name-taken'];
    began constant timestamptz := clock_timestamp();
    n constant integer := coalesce(cardinality(kinds), 0);

    -- What few elements have, by place; null where none has any.
    quotes uuid[]; wanted_versions integer[]; ended_transfers uuid[]; counter_amounts bigint[];
    reversed_entries uuid[]; splits jsonb[]; openings jsonb[]; expiries timestamptz[];
    folders uuid[]; latitudes integer[]; longitudes integer[];

    -- The accounts of the call, sorted by id, so that a binary search finds them; those that are
    -- locked, or are to be opened. What they hold is kept up as elements are decided.
    wanted uuid[]; ids uuid[]; owners uuid[]; account_kinds text[]; coins text[];
    exponents smallint[]; states text[]; called text[]; others uuid[];
    balances bigint[]; helds bigint[]; sequences bigint[];
    first_balances bigint[]; first_helds bigint[]; first_sequences bigint[];
    awaited uuid[]; had uuid[]; one uuid; opens_any boolean := false;
    -- The accounts of the system that records and exchanges move money from or to.
    system_names text[]; system_ids uuid[];
    -- The categories that are named, sorted.
    known_labels uuid[]; label_users uuid[]; label_coicops text[];

    -- What stands under the keys already, sorted; and whether a key is twice in the call.
    known_ops uuid[]; known_hashes uuid[]; known_statuses text[]; known_entries uuid[];
    known_transactions uuid[]; known_transfers uuid[]; known_members integer[];
    is_repeated boolean := false; first_place integer; known integer; members uuid[];

    -- The element that is decided.
    kind text; a integer; b integer; is_own boolean; booker uuid; verdict text;
    debit bigint; credit bigint; label uuid; coicop text; counter_label uuid;
    price quote; taken money_transaction; hold transfer; latest integer; current integer;
    split_sum numeric;
    -- What moves: from and to whom, and where they stand in `ids`, absent for system accounts.
    sources uuid[]; targets uuid[]; froms integer[]; tos integer[]; units bigint[];
    unit_coins text[]; unit bigint; released bigint; from_seq bigint; to_seq bigint;
    moved integer; i integer;
    -- The accounts that the first half of an edit took from.
    edited integer[] := '{}';
    sides money_transaction[]; side money_transaction;

    -- A chain under way, and all as it was before.
    chain_number integer; chain_start integer; chain_status text; chain_replay boolean;
    old_status text; old_member integer; before_balances bigint[]; before_helds bigint[];
    before_sequences bigint[]; before_counts integer[];
    -- The verdict that stands under a chain's key, by the place of its first, and which of its
    -- elements, from 1, it is of.
    kept text[]; kept_members integer[]; is_refused boolean := false;

    -- What is to be written, by place beside what was asked: the entry's first movement, and the
    -- transaction that it makes on each account.
    debits uuid[]; credits uuid[]; move_amounts bigint[]; move_coins text[]; debit_seqs bigint[];
    credit_seqs bigint[]; reverses uuid[]; versions integer[];
    line_accounts uuid[]; line_users uuid[]; line_amounts bigint[]; line_seqs bigint[];
    labels uuid[]; line_coicops text[]; money_entries uuid[]; line_transfers uuid[];
    own_lines boolean[]; line_imports uuid[]; line_recurrences uuid[];
    counter_users uuid[]; counter_line_amounts bigint[]; counter_seqs bigint[];
    counter_labels uuid[]; terms_debits bigint[]; terms_credits bigint[]; has_terms boolean[];
    further further_movement[] := '{}'; rates quote[];

    -- What elements before this one did to things other than balances.
    taken_back uuid[] := '{}'; ended_ids uuid[] := '{}'; ended ended_version[] := '{}';
    gone money_transaction[] := '{}';
    quotes_used uuid[] := '{}'; names_taken text[] := '{}';
    holds_ended uuid[] := '{}'; endings integer[] := '{}'; touched uuid[] := '{}'; written integer;
    missing integer;
