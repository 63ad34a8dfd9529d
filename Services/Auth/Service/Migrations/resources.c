#include "AuthMigrations.h"

static const unsigned char users[] = {
#embed "0001_users.sql"
};
static const unsigned char sessions[] = {
#embed "0002_sessions.sql"
};
static const unsigned char challenges[] = {
#embed "0003_challenges.sql"
};
static const unsigned char keys[] = {
#embed "0004_keys.sql"
};
static const unsigned char events[] = {
#embed "0005_events.sql"
};
static const unsigned char passkeys[] = {
#embed "0006_passkeys.sql"
};
static const unsigned char identities[] = {
#embed "0007_identities.sql"
};
static const unsigned char erasure[] = {
#embed "0008_erasure.sql"
};
static const unsigned char second_factors[] = {
#embed "0009_second_factors.sql"
};
static const unsigned char profile[] = {
#embed "0010_profile.sql"
};
static const unsigned char audit[] = {
#embed "0011_audit.sql"
};
static const unsigned char exports[] = {
#embed "0013_exports.sql"
};
static const unsigned char credentials[] = {
#embed "0014_credentials.sql"
};
static const unsigned char administration[] = {
#embed "0017_administration.sql"
};
static const unsigned char pictures[] = {
#embed "0018_pictures.sql"
};
static const unsigned char take_over[] = {
#embed "0019_take_over.sql"
};
static const unsigned char chain_bounds[] = {
#embed "0020_chain_bounds.sql"
};
static const unsigned char proved_identities[] = {
#embed "0021_proved_identities.sql"
};
static const unsigned char late_purge[] = {
#embed "0022_late_purge.sql"
};
static const unsigned char active_days[] = {
#embed "0023_active_days.sql"
};
static const unsigned char long_questions[] = {
#embed "0025_long_questions.sql"
};
static const unsigned char active_days_end[] = {
#embed "0026_active_days_end.sql"
};
static const unsigned char changed_people[] = {
#embed "0027_changed_people.sql"
};
static const unsigned char trimmed_names[] = {
#embed "0028_trimmed_names.sql"
};
static const unsigned char username_likeness[] = {
#embed "0030_username_likeness.sql"
};
static const unsigned char stored_responses[] = {
#embed "0031_stored_responses.sql"
};
static const unsigned char people_of_responses[] = {
#embed "0032_people_of_responses.sql"
};

static const struct embedded_file files[] = {
    {"0001_users.sql", users, sizeof users},
    {"0002_sessions.sql", sessions, sizeof sessions},
    {"0003_challenges.sql", challenges, sizeof challenges},
    {"0004_keys.sql", keys, sizeof keys},
    {"0005_events.sql", events, sizeof events},
    {"0006_passkeys.sql", passkeys, sizeof passkeys},
    {"0007_identities.sql", identities, sizeof identities},
    {"0008_erasure.sql", erasure, sizeof erasure},
    {"0009_second_factors.sql", second_factors, sizeof second_factors},
    {"0010_profile.sql", profile, sizeof profile},
    {"0011_audit.sql", audit, sizeof audit},
    {"0013_exports.sql", exports, sizeof exports},
    {"0014_credentials.sql", credentials, sizeof credentials},
    {"0017_administration.sql", administration, sizeof administration},
    {"0018_pictures.sql", pictures, sizeof pictures},
    {"0019_take_over.sql", take_over, sizeof take_over},
    {"0020_chain_bounds.sql", chain_bounds, sizeof chain_bounds},
    {"0021_proved_identities.sql", proved_identities, sizeof proved_identities},
    {"0022_late_purge.sql", late_purge, sizeof late_purge},
    {"0023_active_days.sql", active_days, sizeof active_days},
    {"0025_long_questions.sql", long_questions, sizeof long_questions},
    {"0026_active_days_end.sql", active_days_end, sizeof active_days_end},
    {"0027_changed_people.sql", changed_people, sizeof changed_people},
    {"0028_trimmed_names.sql", trimmed_names, sizeof trimmed_names},
    {"0030_username_likeness.sql", username_likeness, sizeof username_likeness},
    {"0031_stored_responses.sql", stored_responses, sizeof stored_responses},
    {"0032_people_of_responses.sql", people_of_responses, sizeof people_of_responses},
};
const struct embedded_file *const auth_migrations = files;
const size_t auth_migrations_count = sizeof files / sizeof files[0];
