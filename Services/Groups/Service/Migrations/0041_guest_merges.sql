-- A guest who is a member already is merged into that member's place: what is kept here undoes it for
-- ten minutes. A settlement between the two ends as void, for nobody pays themselves.
alter table groups.settlement drop constraint settlement_state_check;
alter table groups.settlement add constraint settlement_state_check
    check (state in ('recorded', 'pending', 'paid', 'void'));

create table groups.guest_merge (
    group_id uuid not null references groups.expense_group (id) on delete cascade,
    guest_id uuid not null,
    member_id uuid not null,
    merged_at timestamptz not null default now(),
    -- Expenses, and the version of each that the merge made.
    expense_ids uuid[] not null default '{}',
    versions integer[] not null default '{}',
    -- Recurrences as they were, and the version of each that the merge made.
    recurrence_ids uuid[] not null default '{}',
    recurrence_versions integer[] not null default '{}',
    recurrences text[] not null default '{}',
    -- Settlements that named the guest, as they were; and those that ended as void.
    settlements json not null default '[]',
    void_ids uuid[] not null default '{}',
    -- The debts that it has added to what is open, beside those of expenses.
    currencies text[] not null default '{}',
    debtor_ids uuid[] not null default '{}',
    creditor_ids uuid[] not null default '{}',
    amounts bigint[] not null default '{}',
    primary key (group_id, guest_id),
    foreign key (group_id, guest_id) references groups.member (group_id, id) on delete cascade
);
