-- What an account was opened with follows from its oldest imported statement. An older one may come
-- when the account has rows: its opening entry then takes the place of the one that stood. So an
-- opening that names its import is posted on an account that is not empty.
--
-- The posting function is changed as it stands, by the one condition: whatever else has revised it
-- before stays.
set local search_path = ledger, pg_temp;

-- By their first days, and where one has made the opening entry that stands.
create index statement_import_period_idx on statement_import (account_id, from_day);
create index statement_import_opening_idx on statement_import (account_id)
    where opening_entry_id is not null;

-- By how much the account differs from its statements with this import: lines and reasons.
alter table statement_import add column differences jsonb not null default '[]';

do $$
declare
    posting text := pg_get_functiondef((
        select oid from pg_proc
        where proname = 'post_batch_v1' and pronamespace = 'ledger'::regnamespace));
    before constant text := 'if verdict is null and kind = ''opening'' then';
    behind constant text :=
        'if verdict is null and kind = ''opening'' and imports[at] is null then';
begin
    if cardinality(string_to_array(posting, before)) <> 2 then
        raise exception 'the posting function has not the condition that this migration changes';
    end if;
    execute replace(posting, before, behind);
end
$$;
