-- Of a preview: how many rows of its file are faults or left out, of which no more than the first are
-- kept, and how many bytes the file has, for a person's previews are bounded.

alter table ledger.statement_import add column fault_count integer, add column file_bytes bigint;
create index statement_import_user_preview_idx on ledger.statement_import (user_id)
    where state = 'preview';
