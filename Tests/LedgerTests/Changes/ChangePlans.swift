import Postgres

@testable import LedgerService

/// Those of the feed of changes.
func changeStatements() -> [(sql: String, index: String)] {
    let changes = ChangeStatements.self
    return [
        (changes.access.sql, "account_member_xid_idx"),
        (changes.categories.sql, "category_user_xid_idx"),
        (changes.recurrences.sql, "recurrence_user_xid_idx"),
        (changes.recurrences.sql, "recurrence_occurrence_pkey"),
        (changes.importRules.sql, "import_rule_xid_idx"),
        (changes.allocations.sql, "budget_allocation_user_xid_idx"),
        (changes.allocations.sql, "budget_allocation_gone_pkey"),
        (changes.changedAccounts.sql, "account_user_id_idx"),
        (changes.changedAccounts.sql, "account_member_user_id_idx"),
        (changes.changedAccounts.sql, "movement_debit_key"),
        (changes.changedAccounts.sql, "movement_credit_key"),
        (changes.changedAccounts.sql, "transfer_held_xid_idx"),
        (changes.transactions.sql, "money_transaction_xid_idx"),
        (changes.transactions.sql, "account_member_user_id_idx"),
        (changes.attachments.sql, "attachment_xid_idx"),
        (changes.attachmentsOf.sql, "attachment_transaction_idx"),
        (AccountStatements.findAll.sql, "account_pkey"),
        (CategoryStatements.keep.sql, "category_pkey"),
        (ImportRuleStatements.deleteOfCategory.sql, "import_rule_"),
    ]
}
