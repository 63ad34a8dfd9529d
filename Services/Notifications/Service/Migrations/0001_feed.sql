-- The feed: what a person is shown in the app. The primary key serves the list (newest first) and
-- the paging; `xid` lets each replica's open streams find what has come, late commits included.

create schema notifications;

do $$
declare
    service text := current_setting('ezwallet.service_role');
begin
    execute format('grant usage on schema notifications to %I', service);
    execute format(
        'alter default privileges in schema notifications '
        'grant select, insert, update, delete on tables to %I', service);
    execute format(
        'alter default privileges in schema notifications '
        'grant usage, select on sequences to %I', service);
end
$$;

create table notifications.notification (
    user_id uuid not null,
    -- A function of the event and the recipient: the same event makes it once.
    id uuid not null,
    kind text not null,
    -- Ids and figures that the text is made of, in the reader's language, when it is read.
    parameters jsonb not null,
    created_at timestamptz not null default clock_timestamp(),
    read_at timestamptz,
    xid xid8 not null default pg_current_xact_id(),
    primary key (user_id, id)
);
-- Of whom it tells, for their erasure: few do.
create index notification_other_idx on notifications.notification ((parameters ->> 'userId'))
    where parameters ? 'userId';
create index notification_unread_idx on notifications.notification (user_id) where read_at is null;
create index notification_user_xid_idx on notifications.notification (user_id, xid);
