#include "NotificationsMigrations.h"

static const unsigned char feed[] = {
#embed "0001_feed.sql"
};
static const unsigned char messages[] = {
#embed "0002_messages.sql"
};
static const unsigned char events[] = {
#embed "0003_events.sql"
};
static const unsigned char unread[] = {
#embed "0004_unread.sql"
};
static const unsigned char erasure[] = {
#embed "0005_erasure.sql"
};
static const unsigned char feed_in_sets[] = {
#embed "0006_feed_in_sets.sql"
};
static const unsigned char monthly_reports[] = {
#embed "0007_monthly_reports.sql"
};
static const unsigned char stored_responses[] = {
#embed "0010_stored_responses.sql"
};

static const struct embedded_file files[] = {
    {"0001_feed.sql", feed, sizeof feed},
    {"0002_messages.sql", messages, sizeof messages},
    {"0003_events.sql", events, sizeof events},
    {"0004_unread.sql", unread, sizeof unread},
    {"0005_erasure.sql", erasure, sizeof erasure},
    {"0006_feed_in_sets.sql", feed_in_sets, sizeof feed_in_sets},
    {"0007_monthly_reports.sql", monthly_reports, sizeof monthly_reports},
    {"0010_stored_responses.sql", stored_responses, sizeof stored_responses},
};
const struct embedded_file *const notifications_migrations = files;
const size_t notifications_migrations_count = sizeof files / sizeof files[0];
