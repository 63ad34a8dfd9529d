#include "AnalyticsMigrations.h"

static const unsigned char people[] = {
#embed "0001_people.sql"
};
static const unsigned char facts[] = {
#embed "0002_facts.sql"
};
static const unsigned char rates[] = {
#embed "0003_rates.sql"
};
static const unsigned char events[] = {
#embed "0004_events.sql"
};
static const unsigned char erasure[] = {
#embed "0005_erasure.sql"
};
static const unsigned char cells[] = {
#embed "0006_cells.sql"
};
static const unsigned char groups[] = {
#embed "0007_groups.sql"
};
static const unsigned char releases[] = {
#embed "0010_releases.sql"
};
static const unsigned char released_cubes[] = {
#embed "0011_released_cubes.sql"
};
static const unsigned char gone_people[] = {
#embed "0012_gone_people.sql"
};
static const unsigned char ages_together[] = {
#embed "0013_ages_together.sql"
};
static const unsigned char usage[] = {
#embed "0015_usage.sql"
};
static const unsigned char usage_releases[] = {
#embed "0016_usage_releases.sql"
};
static const unsigned char languages[] = {
#embed "0022_languages.sql"
};
static const unsigned char erased_by_bucket[] = {
#embed "0024_erased_by_bucket.sql"
};
static const unsigned char told_cells[] = {
#embed "0025_told_cells.sql"
};
static const unsigned char rates_of_months[] = {
#embed "0026_rates_of_months.sql"
};
static const unsigned char costs_of_releases[] = {
#embed "0027_costs_of_releases.sql"
};
static const unsigned char files_by_day[] = {
#embed "0028_files_by_day.sql"
};
static const unsigned char saved_queries[] = {
#embed "0031_saved_queries.sql"
};
static const unsigned char announced_months[] = {
#embed "0032_announced_months.sql"
};
static const unsigned char month_cells[] = {
#embed "0034_month_cells.sql"
};
static const unsigned char one_currency[] = {
#embed "0035_one_currency.sql"
};
static const unsigned char hidden_usage[] = {
#embed "0037_hidden_usage.sql"
};
static const unsigned char stored_responses[] = {
#embed "0041_stored_responses.sql"
};
static const unsigned char people_and_names[] = {
#embed "0043_people_and_names.sql"
};

static const struct embedded_file files[] = {
    {"0001_people.sql", people, sizeof people},
    {"0002_facts.sql", facts, sizeof facts},
    {"0003_rates.sql", rates, sizeof rates},
    {"0004_events.sql", events, sizeof events},
    {"0005_erasure.sql", erasure, sizeof erasure},
    {"0006_cells.sql", cells, sizeof cells},
    {"0007_groups.sql", groups, sizeof groups},
    {"0010_releases.sql", releases, sizeof releases},
    {"0011_released_cubes.sql", released_cubes, sizeof released_cubes},
    {"0012_gone_people.sql", gone_people, sizeof gone_people},
    {"0013_ages_together.sql", ages_together, sizeof ages_together},
    {"0015_usage.sql", usage, sizeof usage},
    {"0016_usage_releases.sql", usage_releases, sizeof usage_releases},
    {"0022_languages.sql", languages, sizeof languages},
    {"0024_erased_by_bucket.sql", erased_by_bucket, sizeof erased_by_bucket},
    {"0025_told_cells.sql", told_cells, sizeof told_cells},
    {"0026_rates_of_months.sql", rates_of_months, sizeof rates_of_months},
    {"0027_costs_of_releases.sql", costs_of_releases, sizeof costs_of_releases},
    {"0028_files_by_day.sql", files_by_day, sizeof files_by_day},
    {"0031_saved_queries.sql", saved_queries, sizeof saved_queries},
    {"0032_announced_months.sql", announced_months, sizeof announced_months},
    {"0034_month_cells.sql", month_cells, sizeof month_cells},
    {"0035_one_currency.sql", one_currency, sizeof one_currency},
    {"0037_hidden_usage.sql", hidden_usage, sizeof hidden_usage},
    {"0041_stored_responses.sql", stored_responses, sizeof stored_responses},
    {"0043_people_and_names.sql", people_and_names, sizeof people_and_names},
};
const struct embedded_file *const analytics_migrations = files;
const size_t analytics_migrations_count = sizeof files / sizeof files[0];
