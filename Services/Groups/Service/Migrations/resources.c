#include "GroupsMigrations.h"

static const unsigned char groups[] = {
#embed "0001_groups.sql"
};
static const unsigned char expenses[] = {
#embed "0002_expenses.sql"
};
static const unsigned char events[] = {
#embed "0003_events.sql"
};
static const unsigned char messages[] = {
#embed "0004_messages.sql"
};
static const unsigned char timers[] = {
#embed "0005_timers.sql"
};
static const unsigned char erasure[] = {
#embed "0006_erasure.sql"
};
static const unsigned char receiving_accounts[] = {
#embed "0007_receiving_accounts.sql"
};
static const unsigned char imports[] = {
#embed "0008_imports.sql"
};
static const unsigned char boundaries[] = {
#embed "0009_boundaries.sql"
};
static const unsigned char settlement_orders[] = {
#embed "0010_settlement_orders.sql"
};
static const unsigned char attachments[] = {
#embed "0011_attachments.sql"
};
static const unsigned char pairs[] = {
#embed "0012_pairs.sql"
};
static const unsigned char settlement_days[] = {
#embed "0013_settlement_days.sql"
};
static const unsigned char ledger_links[] = {
#embed "0014_ledger_links.sql"
};
static const unsigned char recurrences[] = {
#embed "0015_recurrences.sql"
};
static const unsigned char approvals[] = {
#embed "0016_approvals.sql"
};
static const unsigned char allowances[] = {
#embed "0017_allowances.sql"
};
static const unsigned char converted_thresholds[] = {
#embed "0018_converted_thresholds.sql"
};
static const unsigned char debts_of_expenses[] = {
#embed "0019_debts_of_expenses.sql"
};
static const unsigned char household_tasks[] = {
#embed "0020_household_tasks.sql"
};
static const unsigned char sides_of_expenses[] = {
#embed "0022_sides_of_expenses.sql"
};
static const unsigned char debts_in_sets[] = {
#embed "0023_debts_in_sets.sql"
};
static const unsigned char foreign_walks[] = {
#embed "0024_foreign_walks.sql"
};
static const unsigned char settlement_changes[] = {
#embed "0026_settlement_changes.sql"
};
static const unsigned char categories[] = {
#embed "0027_categories.sql"
};
static const unsigned char links_that_come_back[] = {
#embed "0031_links_that_come_back.sql"
};
static const unsigned char packed_texts[] = {
#embed "0032_packed_texts.sql"
};
static const unsigned char family_roles[] = {
#embed "0033_family_roles.sql"
};
static const unsigned char senders_and_refusals[] = {
#embed "0035_senders_and_refusals.sql"
};
static const unsigned char name_tries[] = {
#embed "0036_name_tries.sql"
};
static const unsigned char refunds[] = {
#embed "0039_refunds.sql"
};
static const unsigned char paid_currencies[] = {
#embed "0040_paid_currencies.sql"
};
static const unsigned char guest_merges[] = {
#embed "0041_guest_merges.sql"
};
static const unsigned char stored_responses[] = {
#embed "0043_stored_responses.sql"
};
static const unsigned char people_of_responses[] = {
#embed "0044_people_of_responses.sql"
};
static const unsigned char people_and_names[] = {
#embed "0045_people_and_names.sql"
};
static const unsigned char formats_of_imports[] = {
#embed "0046_formats_of_imports.sql"
};
static const unsigned char old_merges[] = {
#embed "0048_old_merges.sql"
};
static const struct embedded_file files[] = {
    {"0001_groups.sql", groups, sizeof groups},
    {"0002_expenses.sql", expenses, sizeof expenses},
    {"0003_events.sql", events, sizeof events},
    {"0004_messages.sql", messages, sizeof messages},
    {"0005_timers.sql", timers, sizeof timers},
    {"0006_erasure.sql", erasure, sizeof erasure},
    {"0007_receiving_accounts.sql", receiving_accounts, sizeof receiving_accounts},
    {"0008_imports.sql", imports, sizeof imports},
    {"0009_boundaries.sql", boundaries, sizeof boundaries},
    {"0010_settlement_orders.sql", settlement_orders, sizeof settlement_orders},
    {"0011_attachments.sql", attachments, sizeof attachments},
    {"0012_pairs.sql", pairs, sizeof pairs},
    {"0013_settlement_days.sql", settlement_days, sizeof settlement_days},
    {"0014_ledger_links.sql", ledger_links, sizeof ledger_links},
    {"0015_recurrences.sql", recurrences, sizeof recurrences},
    {"0016_approvals.sql", approvals, sizeof approvals},
    {"0017_allowances.sql", allowances, sizeof allowances},
    {"0018_converted_thresholds.sql", converted_thresholds, sizeof converted_thresholds},
    {"0019_debts_of_expenses.sql", debts_of_expenses, sizeof debts_of_expenses},
    {"0020_household_tasks.sql", household_tasks, sizeof household_tasks},
    {"0022_sides_of_expenses.sql", sides_of_expenses, sizeof sides_of_expenses},
    {"0023_debts_in_sets.sql", debts_in_sets, sizeof debts_in_sets},
    {"0024_foreign_walks.sql", foreign_walks, sizeof foreign_walks},
    {"0026_settlement_changes.sql", settlement_changes, sizeof settlement_changes},
    {"0027_categories.sql", categories, sizeof categories},
    {"0031_links_that_come_back.sql", links_that_come_back, sizeof links_that_come_back},
    {"0032_packed_texts.sql", packed_texts, sizeof packed_texts},
    {"0033_family_roles.sql", family_roles, sizeof family_roles},
    {"0035_senders_and_refusals.sql", senders_and_refusals, sizeof senders_and_refusals},
    {"0036_name_tries.sql", name_tries, sizeof name_tries},
    {"0039_refunds.sql", refunds, sizeof refunds},
    {"0040_paid_currencies.sql", paid_currencies, sizeof paid_currencies},
    {"0041_guest_merges.sql", guest_merges, sizeof guest_merges},
    {"0043_stored_responses.sql", stored_responses, sizeof stored_responses},
    {"0044_people_of_responses.sql", people_of_responses, sizeof people_of_responses},
    {"0045_people_and_names.sql", people_and_names, sizeof people_and_names},
    {"0046_formats_of_imports.sql", formats_of_imports, sizeof formats_of_imports},
    {"0048_old_merges.sql", old_merges, sizeof old_merges},
};
const struct embedded_file *const groups_migrations = files;
const size_t groups_migrations_count = sizeof files / sizeof files[0];
