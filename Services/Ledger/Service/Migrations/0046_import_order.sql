-- Which end of an import's file is the newest. Rows of one day are listed in the order of their
-- transactions' ids, which are drawn in the order in which the bank booked them. Previews of before
-- are read as oldest first, as they were then.
set local search_path = ledger, pg_temp;

alter table statement_import add column is_newest_first boolean not null default false;
