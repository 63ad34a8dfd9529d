-- A family's budget: envelopes that its parents share, filled by what any of them books. Groups
-- knows who is a parent, and is asked live; which of a parent's categories counts where, and from
-- when on, is the parent's own to say. What was spent is summed as for a person's own envelopes, from
-- the sums of months that are over, which are kept a second time: in the family's currency, by months
-- that begin on the first.

-- Made by the first envelope; when the family ends it stays without anything in it, so that whoever
-- was asked just before makes nothing more.
create table ledger.household (
    family_id uuid primary key,
    currency text collate "C",
    ended_at timestamptz,
    check (currency is not null or ended_at is not null)
);

-- A parent's membership of which the ledger has heard, by when it began: of one that has ended
-- nothing counts, however late it is asked for.
create table ledger.household_parent (
    user_id uuid not null,
    family_id uuid not null,
    joined_at timestamptz not null,
    left_at timestamptz,
    -- What they spent before this day is the family's own sum, from an earlier membership: whoever
    -- comes back counts from here on, or it would count twice.
    kept_until date,
    primary key (user_id, family_id)
);
create index household_parent_family_idx on ledger.household_parent (family_id);

create table ledger.household_envelope (
    id uuid primary key,
    family_id uuid not null references ledger.household (family_id),
    name text not null,
    name_folded text not null,
    color integer not null,
    symbol text,
    coicop text,
    version integer not null default 1,
    constraint household_envelope_name_key unique (family_id, name_folded),
    unique (family_id, id)
);

-- Where what a parent books in a category counts from a month on, until the next row of the
-- category: in an envelope, or in none. So no two can overlap, and a month stays counted where it was
-- when a later one is not.
create table ledger.household_category (
    user_id uuid not null,
    category_id uuid not null,
    -- By its first day.
    month date not null check (extract(day from month) = 1),
    family_id uuid not null,
    envelope_id uuid,
    primary key (user_id, category_id, month),
    foreign key (user_id, family_id) references ledger.household_parent (user_id, family_id),
    foreign key (family_id, envelope_id) references ledger.household_envelope (family_id, id)
        on delete set null (envelope_id)
);
create index household_category_family_idx
    on ledger.household_category (family_id, envelope_id, user_id);

-- What was put into an envelope on a day; minus is taken out. The family's currency stays.
create table ledger.household_allocation (
    envelope_id uuid not null references ledger.household_envelope (id) on delete cascade,
    month date not null check (extract(day from month) = 1),
    -- A sum of what was sent, as long as there is no end to it: 38 digits fit 128 bits.
    amount numeric(38) not null,
    primary key (envelope_id, month)
);

-- What parents had spent who have left or are erased: as it counted then, of no one by name. Each
-- figure is one that was converted by itself, so that leaving moves no sum by a cent.
create table ledger.household_former_spending (
    id uuid primary key default gen_random_uuid(),
    envelope_id uuid not null references ledger.household_envelope (id) on delete cascade,
    month date not null,
    day date not null,
    currency text collate "C" not null,
    amount numeric(38) not null
);
create index household_former_spending_envelope_idx
    on ledger.household_former_spending (envelope_id, month);

-- Envelopes that hold less than nothing and of which that has been told.
create table ledger.household_alert (
    envelope_id uuid not null references ledger.household_envelope (id) on delete cascade,
    month date not null,
    told_at timestamptz not null default now(),
    primary key (envelope_id, month)
);

-- Families to be looked at, and on which days something has changed.
create table ledger.household_touched (
    id bigint generated always as identity primary key,
    family_id uuid not null,
    day date not null
);
create index household_touched_family_idx on ledger.household_touched (family_id);

-- The sums of ended months, and how those months ran: once for the person, once for the family.
alter table ledger.budget_closing add column of_household boolean not null default false;
alter table ledger.budget_closing drop constraint budget_closing_pkey;
alter table ledger.budget_closing add primary key (user_id, of_household);
alter table ledger.budget_spending add column of_household boolean not null default false;
alter table ledger.budget_spending drop constraint budget_spending_pkey;
alter table ledger.budget_spending
    add primary key (user_id, of_household, month, category_id, day, currency);

create trigger keep_erased_out before insert on ledger.household_parent
    for each row execute function ledger.keep_erased_out('user_id', 'skip');
create trigger keep_erased_out before insert on ledger.household_category
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');

-- Keeps what a parent has spent until the end of the running month as the family's own sums, and
-- lets go of the categories: what is booked or changed from now on is no business of the family's.
create function ledger.keep_household_spending_v1(who uuid, family uuid) returns void
language plpgsql volatile
set search_path = ledger, pg_temp
as $function$
declare
    own text;
    behind constant date :=
        (date_trunc('month', now() at time zone 'UTC') + interval '1 month')::date;
begin
    select currency into own from household where family_id = family for no key update;
    insert into household_former_spending (envelope_id, month, day, currency, amount)
    select placed.envelope_id, date_trunc('month', s.day::timestamp)::date,
        case when s.currency = own
            then date_trunc('month', s.day::timestamp)::date else s.day end,
        s.currency, sum(s.amount)
    from (
        select category_id, envelope_id, month as begins, least(behind,
            lead(month) over (partition by category_id order by month)) as ends
        from household_category
        where user_id = who and family_id = family
    ) as placed
    cross join lateral (
        select t.day, a.currency, t.amount
        from money_transaction as t join account as a on a.id = t.account_id
        where t.user_id = who and t.category_id = placed.category_id
            and t.day >= placed.begins and t.day < placed.ends
            and t.reversed_by is null and not t.own_transfer and not t.is_split
        union all
        select l.day, a.currency, l.amount
        from transaction_line as l
        join money_transaction as t on t.id = l.transaction_id and t.version = l.version
        join account as a on a.id = t.account_id
        where l.user_id = who and l.category_id = placed.category_id
            and l.day >= placed.begins and l.day < placed.ends
            and l.is_current and not t.own_transfer
    ) as s
    where placed.envelope_id is not null
    group by placed.envelope_id, placed.category_id, 2, 3, 4;
    delete from household_category where user_id = who and family_id = family;
    delete from budget_spending where user_id = who and of_household;
    delete from budget_closing where user_id = who and of_household;
end
$function$;

-- A membership has ended: that it has stays, so that nothing is counted for it that is asked late.
create function ledger.leave_household_v1(who uuid, family uuid, membership timestamptz)
returns void
language plpgsql volatile
set search_path = ledger, pg_temp
as $function$
begin
    -- The lock of whoever puts a category in, which comes before that of the membership.
    perform 1 from household where family_id = family for no key update;
    insert into household_parent (user_id, family_id, joined_at, left_at)
    values (who, family, membership, now())
    on conflict (user_id, family_id) do update
    set joined_at = excluded.joined_at, left_at = excluded.left_at
    where household_parent.joined_at <= excluded.joined_at;
    if not found then return; end if;
    update household_parent
    set kept_until = (date_trunc('month', now() at time zone 'UTC') + interval '1 month')::date
    where user_id = who and family_id = family and exists (
        select from household_category where user_id = who and family_id = family);
    perform keep_household_spending_v1(who, family);
end
$function$;

-- A family is no more, and all of its budget goes.
create function ledger.end_household_v1(family uuid) returns void
language plpgsql volatile
set search_path = ledger, pg_temp
as $function$
begin
    insert into household (family_id, ended_at) values (family, now())
    on conflict (family_id) do update set ended_at = coalesce(household.ended_at, now());
    delete from budget_spending where of_household and user_id = any (array(
        select user_id from household_category where family_id = family));
    delete from budget_closing where of_household and user_id = any (array(
        select user_id from household_category where family_id = family));
    delete from household_category where family_id = family;
    delete from household_parent where family_id = family;
    delete from household_envelope where family_id = family;
    delete from household_touched where family_id = family;
end
$function$;

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
    signature text;
begin
    execute format(
        'grant select, insert, update, delete on ledger.household, ledger.household_parent, '
        'ledger.household_envelope, ledger.household_category, ledger.household_allocation, '
        'ledger.household_former_spending, ledger.household_alert, ledger.household_touched '
        'to %I', service);
    -- By erase_person_v1.
    execute format(
        'grant select, update on ledger.household to %I', poster);
    execute format(
        'grant select, delete on ledger.household_parent, ledger.household_category to %I', poster);
    execute format('grant insert on ledger.household_former_spending to %I', poster);
    foreach signature in array array[
        'ledger.keep_household_spending_v1(uuid, uuid)',
        'ledger.leave_household_v1(uuid, uuid, timestamptz)',
        'ledger.end_household_v1(uuid)'
    ] loop
        execute format('revoke all on function %s from public', signature);
        execute format('grant execute on function %s to %I', signature, service);
    end loop;
    execute format(
        'grant execute on function ledger.keep_household_spending_v1(uuid, uuid) to %I', poster);
end
$$;
