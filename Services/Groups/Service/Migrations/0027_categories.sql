-- A group's categories as people's own are: one above another, in two levels; what each is offered
-- for; and a label that members put on what matters to them.
alter table groups.category add column parent_id uuid;
alter table groups.category add column type text not null default 'both'
    check (type in ('income', 'expense', 'both'));
alter table groups.category add column is_important boolean not null default false;
alter table groups.category add foreign key (group_id, parent_id)
    references groups.category (group_id, id);
alter table groups.category add check (parent_id <> id);
create index category_parent_idx on groups.category (group_id, parent_id)
    where parent_id is not null;
