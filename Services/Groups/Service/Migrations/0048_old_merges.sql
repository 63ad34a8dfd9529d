-- What undoes a merge of a guest is deleted once it cannot be undone any more: by this index it is
-- found.
create index guest_merge_merged_at_idx on groups.guest_merge (merged_at);
