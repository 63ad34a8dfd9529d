-- Which parents agree that a member of the family has the other role. The role changes once all
-- parents do, whoever it is of. A row ends as the parent or the member leaves.
create table groups.family_role_consent (
    family_id uuid not null,
    user_id uuid not null,
    parent_id uuid not null,
    primary key (family_id, user_id, parent_id),
    foreign key (family_id, user_id)
        references groups.family_member (family_id, user_id) on delete cascade,
    foreign key (family_id, parent_id)
        references groups.family_member (family_id, user_id) on delete cascade
);
create index family_role_consent_parent_idx on groups.family_role_consent (family_id, parent_id);
