-- A CSV whose columns have no known names gets a mapping that its cells suggest. It is shown with
-- the preview and reads nothing until the person confirms it.

alter table ledger.statement_import add column proposed_mapping jsonb;
