-- The unread in the order of their list: page 100 costs what page 1 costs.
drop index notifications.notification_unread_idx;
create index notification_unread_idx on notifications.notification (user_id, id)
    where read_at is null;
