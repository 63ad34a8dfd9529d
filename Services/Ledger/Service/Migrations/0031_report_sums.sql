-- Sums of months that are over, so that a report of years does not walk over all that was booked
-- in them. They are only ever a copy, made when somebody reads, as those of envelopes are
-- (0010_budgets.sql): every change below `mark` is in them; what has changed since is looked up,
-- and its months are made anew. Of accounts of few lines nothing is kept.

create table ledger.report_closing (
    account_id uuid primary key references ledger.account (id),
    -- The account's owner, whose words are in the sums: with them they go.
    user_id uuid not null,
    -- Days before this one are in the sums.
    closed_before date not null,
    mark xid8 not null
);
create index report_closing_user_id_idx on ledger.report_closing (user_id);

-- What was booked on a day, by whomever.
create table ledger.report_day (
    account_id uuid not null references ledger.report_closing (account_id) on delete cascade,
    day date not null,
    amount numeric(38) not null,
    primary key (account_id, day)
);

-- What of it counts in the owner's own books, by month: once by name, and once by place.
create table ledger.report_month (
    account_id uuid not null references ledger.report_closing (account_id) on delete cascade,
    by_place boolean not null,
    month date not null,
    is_income boolean not null,
    name text,
    place text,
    -- In thousandths of a degree.
    north integer,
    east integer,
    amount numeric(38) not null,
    -- Parts of what is split, and transactions.
    parts bigint not null,
    transactions bigint not null
);
create index report_month_idx on ledger.report_month (account_id, by_place, month);

create trigger keep_erased_out before insert on ledger.report_closing
    for each row execute function ledger.keep_erased_out('user_id', 'refuse');

-- Whoever erases holds the lock under which closings are made: none comes after it.
create function ledger.forget_report_sums() returns trigger
language plpgsql volatile security definer
set search_path = ledger, pg_temp
as $function$
begin
    delete from report_closing where user_id = new.user_id;
    return null;
end
$function$;
create trigger forget_report_sums after insert on ledger.erased_user
    for each row execute function ledger.forget_report_sums();

do $$
declare
    service text := current_setting('ezwallet.service_role');
    poster text := current_setting('ezwallet.poster_role');
begin
    execute format(
        'grant select, insert, update, delete on ledger.report_closing, ledger.report_day, '
        'ledger.report_month to %I', service);
    execute format('grant select, delete on ledger.report_closing to %I', poster);
    execute 'revoke all on function ledger.forget_report_sums() from public';
    execute format('grant create on schema ledger to %I', poster);
    execute format('alter function ledger.forget_report_sums() owner to %I', poster);
    execute format('revoke create on schema ledger from %I', poster);
end
$$;
