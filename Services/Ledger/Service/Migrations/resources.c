#include "LedgerMigrations.h"

static const unsigned char people[] = {
#embed "0001_people.sql"
};
static const unsigned char accounts[] = {
#embed "0002_accounts.sql"
};
static const unsigned char journal[] = {
#embed "0003_journal.sql"
};
static const unsigned char transactions[] = {
#embed "0004_transactions.sql"
};
static const unsigned char events[] = {
#embed "0005_events.sql"
};
// One function in files that each can be read at a sitting.
static const unsigned char posting[] = {
#embed "0006_posting/1_header.sql"
,
#embed "0006_posting/2_variables.sql"
,
#embed "0006_posting/3_asked.sql"
,
#embed "0006_posting/3_lock.sql"
,
#embed "0006_posting/4_plain.sql"
,
#embed "0006_posting/5_busy.sql"
,
#embed "0006_posting/6_keys.sql"
,
#embed "0006_posting/7_element.sql"
,
#embed "0006_posting/7_revised.sql"
,
#embed "0006_posting/7_next.sql"
,
#embed "0006_posting/8_rules.sql"
,
#embed "0006_posting/9_money.sql"
,
#embed "0006_posting/9_moved.sql"
,
#embed "0006_posting/10_posted.sql"
,
#embed "0006_posting/11_write.sql"
,
#embed "0006_posting/11_payee.sql"
,
#embed "0006_posting/11_entry.sql"
,
#embed "0006_posting/11_payee_leaf.sql"
,
#embed "0006_posting/11_kept.sql"
,
#embed "0006_posting/12_beside.sql"
};
static const unsigned char imports[] = {
#embed "0007_imports.sql"
};
static const unsigned char erasure[] = {
#embed "0008_erasure.sql"
};
static const unsigned char sending[] = {
#embed "0009_sending.sql"
};
static const unsigned char budgets[] = {
#embed "0010_budgets.sql"
};
static const unsigned char recurrences[] = {
#embed "0011_recurrences.sql"
};
static const unsigned char import_rules[] = {
#embed "0012_import_rules.sql"
};
static const unsigned char attachments[] = {
#embed "0013_attachments.sql"
};
static const unsigned char rates[] = {
#embed "0014_rates.sql"
};
static const unsigned char chain[] = {
#embed "0015_chain.sql"
};
static const unsigned char search[] = {
#embed "0016_search.sql"
};
static const unsigned char changes[] = {
#embed "0018_changes.sql"
};
static const unsigned char allowances[] = {
#embed "0019_allowances.sql"
};
static const unsigned char import_bounds[] = {
#embed "0020_import_bounds.sql"
};
static const unsigned char folders[] = {
#embed "0021_folders.sql"
};
static const unsigned char standing_orders[] = {
#embed "0022_standing_orders.sql"
};
static const unsigned char allowance_numbers[] = {
#embed "0023_allowance_numbers.sql"
};
static const unsigned char settlements[] = {
#embed "0024_settlements.sql"
};
// The posting function again, of parts as they were and of what limits add.
static const unsigned char limits[] = {
#embed "0025_limits/1_limits.sql"
,
#embed "0025_limits/2_posting.sql"
,
#embed "0006_posting/2_variables.sql"
,
#embed "0025_limits/3_variables.sql"
,
#embed "0006_posting/3_asked.sql"
,
#embed "0006_posting/3_lock.sql"
,
#embed "0025_limits/4_known.sql"
,
#embed "0006_posting/4_plain.sql"
,
#embed "0006_posting/5_busy.sql"
,
#embed "0006_posting/6_keys.sql"
,
#embed "0006_posting/7_element.sql"
,
#embed "0006_posting/7_revised.sql"
,
#embed "0006_posting/7_next.sql"
,
#embed "0006_posting/8_rules.sql"
,
#embed "0025_limits/5_kept.sql"
,
#embed "0006_posting/9_money.sql"
,
#embed "0006_posting/9_moved.sql"
,
#embed "0006_posting/10_posted.sql"
,
#embed "0006_posting/11_write.sql"
,
#embed "0006_posting/11_payee.sql"
,
#embed "0006_posting/11_entry.sql"
,
#embed "0006_posting/11_payee_leaf.sql"
,
#embed "0006_posting/11_kept.sql"
};
// The posting function once more, with what approvals add.
static const unsigned char approvals[] = {
#embed "0027_approvals/1_approvals.sql"
,
#embed "0025_limits/2_posting.sql"
,
#embed "0006_posting/2_variables.sql"
,
#embed "0025_limits/3_variables.sql"
,
#embed "0027_approvals/2_variables.sql"
,
#embed "0006_posting/3_asked.sql"
,
#embed "0006_posting/3_lock.sql"
,
#embed "0025_limits/4_known.sql"
,
#embed "0027_approvals/3_known.sql"
,
#embed "0006_posting/4_plain.sql"
,
#embed "0006_posting/5_busy.sql"
,
#embed "0006_posting/6_keys.sql"
,
#embed "0006_posting/7_element.sql"
,
#embed "0006_posting/7_revised.sql"
,
#embed "0006_posting/7_next.sql"
,
#embed "0006_posting/8_rules.sql"
,
#embed "0025_limits/5_kept.sql"
,
#embed "0027_approvals/4_kept.sql"
,
#embed "0006_posting/9_money.sql"
,
#embed "0006_posting/9_moved.sql"
,
#embed "0006_posting/10_posted.sql"
,
#embed "0006_posting/11_write.sql"
,
#embed "0006_posting/11_payee.sql"
,
#embed "0006_posting/11_entry.sql"
,
#embed "0006_posting/11_payee_leaf.sql"
,
#embed "0006_posting/11_kept.sql"
};
// And again, with what receivables add.
static const unsigned char receivables[] = {
#embed "0028_receivables/1_receivables.sql"
,
#embed "0025_limits/2_posting.sql"
,
#embed "0006_posting/2_variables.sql"
,
#embed "0025_limits/3_variables.sql"
,
#embed "0027_approvals/2_variables.sql"
,
#embed "0028_receivables/2_variables.sql"
,
#embed "0006_posting/3_asked.sql"
,
#embed "0028_receivables/3_wanted.sql"
,
#embed "0006_posting/3_lock.sql"
,
#embed "0028_receivables/4_known.sql"
,
#embed "0025_limits/4_known.sql"
,
#embed "0027_approvals/3_known.sql"
,
#embed "0006_posting/4_plain.sql"
,
#embed "0006_posting/5_busy.sql"
,
#embed "0028_receivables/5_busy.sql"
,
#embed "0006_posting/6_keys.sql"
,
#embed "0006_posting/7_element.sql"
,
#embed "0028_receivables/7_revised.sql"
,
#embed "0006_posting/7_next.sql"
,
#embed "0006_posting/8_rules.sql"
,
#embed "0028_receivables/6_claims.sql"
,
#embed "0025_limits/5_kept.sql"
,
#embed "0028_receivables/8_leaves.sql"
,
#embed "0027_approvals/4_kept.sql"
,
#embed "0028_receivables/8_left.sql"
,
#embed "0006_posting/9_money.sql"
,
#embed "0028_receivables/9_claims.sql"
,
#embed "0006_posting/9_moved.sql"
,
#embed "0006_posting/10_posted.sql"
,
#embed "0028_receivables/10_claimed.sql"
,
#embed "0006_posting/11_write.sql"
,
#embed "0028_receivables/11_payee.sql"
,
#embed "0006_posting/11_entry.sql"
,
#embed "0028_receivables/11_payee_leaf.sql"
,
#embed "0006_posting/11_kept.sql"
};
static const unsigned char allowance_refusals[] = {
#embed "0029_allowance_refusals.sql"
};
static const unsigned char households[] = {
#embed "0030_households.sql"
};
static const unsigned char report_sums[] = {
#embed "0031_report_sums.sql"
};
// And with what leaves children's accounts, in place of the checks of limits and approvals.
static const unsigned char outlays[] = {
#embed "0032_outlays/1_outlays.sql"
,
#embed "0025_limits/2_posting.sql"
,
#embed "0006_posting/2_variables.sql"
,
#embed "0028_receivables/2_variables.sql"
,
#embed "0032_outlays/3_variables.sql"
,
#embed "0006_posting/3_asked.sql"
,
#embed "0028_receivables/3_wanted.sql"
,
#embed "0006_posting/3_lock.sql"
,
#embed "0028_receivables/4_known.sql"
,
#embed "0032_outlays/4_known.sql"
,
#embed "0006_posting/4_plain.sql"
,
#embed "0006_posting/5_busy.sql"
,
#embed "0028_receivables/5_busy.sql"
,
#embed "0006_posting/6_keys.sql"
,
#embed "0006_posting/7_element.sql"
,
#embed "0028_receivables/7_revised.sql"
,
#embed "0006_posting/7_next.sql"
,
#embed "0006_posting/8_rules.sql"
,
#embed "0028_receivables/6_claims.sql"
,
#embed "0032_outlays/5_left.sql"
,
#embed "0032_outlays/6_kept.sql"
,
#embed "0006_posting/9_money.sql"
,
#embed "0028_receivables/9_claims.sql"
,
#embed "0006_posting/9_moved.sql"
,
#embed "0006_posting/10_posted.sql"
,
#embed "0028_receivables/10_claimed.sql"
,
#embed "0032_outlays/7_counted.sql"
,
#embed "0006_posting/11_write.sql"
,
#embed "0028_receivables/11_payee.sql"
,
#embed "0006_posting/11_entry.sql"
,
#embed "0028_receivables/11_payee_leaf.sql"
,
#embed "0006_posting/11_kept.sql"
};
static const unsigned char people_and_names[] = {
#embed "0037_people_and_names.sql"
};
static const unsigned char proposed_mappings[] = {
#embed "0039_proposed_mappings.sql"
};
static const unsigned char refunds[] = {
#embed "0040_refunds.sql"
};
static const unsigned char stored_responses[] = {
#embed "0041_stored_responses.sql"
};
static const unsigned char people_of_responses[] = {
#embed "0042_people_of_responses.sql"
};
static const unsigned char imported_openings[] = {
#embed "0043_imported_openings.sql"
};
static const unsigned char import_order[] = {
#embed "0046_import_order.sql"
};

static const struct embedded_file files[] = {
    {"0001_people.sql", people, sizeof people},
    {"0002_accounts.sql", accounts, sizeof accounts},
    {"0003_journal.sql", journal, sizeof journal},
    {"0004_transactions.sql", transactions, sizeof transactions},
    {"0005_events.sql", events, sizeof events},
    {"0006_posting.sql", posting, sizeof posting},
    {"0007_imports.sql", imports, sizeof imports},
    {"0008_erasure.sql", erasure, sizeof erasure},
    {"0009_sending.sql", sending, sizeof sending},
    {"0010_budgets.sql", budgets, sizeof budgets},
    {"0011_recurrences.sql", recurrences, sizeof recurrences},
    {"0012_import_rules.sql", import_rules, sizeof import_rules},
    {"0013_attachments.sql", attachments, sizeof attachments},
    {"0014_rates.sql", rates, sizeof rates},
    {"0015_chain.sql", chain, sizeof chain},
    {"0016_search.sql", search, sizeof search},
    {"0018_changes.sql", changes, sizeof changes},
    {"0019_allowances.sql", allowances, sizeof allowances},
    {"0020_import_bounds.sql", import_bounds, sizeof import_bounds},
    {"0021_folders.sql", folders, sizeof folders},
    {"0022_standing_orders.sql", standing_orders, sizeof standing_orders},
    {"0023_allowance_numbers.sql", allowance_numbers, sizeof allowance_numbers},
    {"0024_settlements.sql", settlements, sizeof settlements},
    {"0025_limits.sql", limits, sizeof limits},
    {"0027_approvals.sql", approvals, sizeof approvals},
    {"0028_receivables.sql", receivables, sizeof receivables},
    {"0029_allowance_refusals.sql", allowance_refusals, sizeof allowance_refusals},
    {"0030_households.sql", households, sizeof households},
    {"0031_report_sums.sql", report_sums, sizeof report_sums},
    {"0032_outlays.sql", outlays, sizeof outlays},
    {"0037_people_and_names.sql", people_and_names, sizeof people_and_names},
    {"0039_proposed_mappings.sql", proposed_mappings, sizeof proposed_mappings},
    {"0040_refunds.sql", refunds, sizeof refunds},
    {"0041_stored_responses.sql", stored_responses, sizeof stored_responses},
    {"0042_people_of_responses.sql", people_of_responses, sizeof people_of_responses},
    {"0043_imported_openings.sql", imported_openings, sizeof imported_openings},
    {"0046_import_order.sql", import_order, sizeof import_order},
};
const struct embedded_file *const ledger_migrations = files;
const size_t ledger_migrations_count = sizeof files / sizeof files[0];
