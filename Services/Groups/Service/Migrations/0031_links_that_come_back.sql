-- What else becomes of a link to somebody's own ledger (0014_ledger_links):
--
--   ending    whose owner undoes the deletion before the ledger has heard of it is behind, too: once
--             it is taken back it is asked for anew, under another id. Taking it back first is the
--             one way: a request to do so may be under way. Of a settlement that stands: its creditor
--             takes it away, and it goes with the row; current again where the ledger will not.
--   ended     also where the owner has deleted the transaction in their ledger. It keeps its
--             transaction then, for they may have it back: it is current again, or posted anew as
--             its next version.
alter table groups.ledger_link
    drop constraint ledger_link_check4,
    add constraint ledger_link_behind check (not is_behind or state in ('pending', 'ending')),
    -- Which version is in the books; none where its owner has deleted that there. The last one that
    -- was asked for may have been refused. 0 where that is not known.
    add column posted_version integer,
    add constraint ledger_link_posted check (posted_version is null or transaction_id is not null);
-- Nobody has written down whether what was asked for after the first was refused, nor how often: a
-- link may be outdated for another reason, or current again with an older version. Of those it is
-- whatever version is told of.
update groups.ledger_link
set posted_version = case when version = 1 then 1 else 0 end
where transaction_id is not null;
