import Postgres

@testable import LedgerService

/// What imports and their rules send, and the index that serves it.
func importStatements() -> [(sql: String, index: String)] {
    let (imports, work) = (ImportStatements.self, ImportWorkStatements.self)
    return [
        (imports.find.sql, "statement_import_"),
        (imports.replace.sql, "statement_import_pkey"),
        (imports.lock.sql, "statement_import_"),
        (imports.file.sql, "import_file_pkey"),
        (imports.forgetFile.sql, "import_file_"),
        (imports.rows.sql, "import_row_pkey"),
        (imports.previews.sql, "statement_import_user_preview_idx"),
        (imports.deleteRows.sql, "import_row_pkey"),
        (imports.rowCount.sql, "statement_import_pkey"),
        (imports.onLines.sql, "import_row_pkey"),
        (imports.includeRows.sql, "import_row_pkey"),
        (imports.categorizeRows.sql, "import_row_pkey"),
        (imports.declineMatches.sql, "import_row_pkey"),
        (imports.knownCategories.sql, "category_"),
        (imports.countDuplicates.sql, "import_row_pkey"),
        (imports.shareState.sql, "statement_import_pkey"),
        (imports.advance.sql, "statement_import_pkey"),
        (imports.drop.sql, "statement_import_"),
        (imports.deleteOldPreview.sql, "statement_import_preview_idx"),
        (work.take.sql, "statement_import_work_idx"),
        (work.giveUp.sql, "statement_import_pkey"),
        (work.finish.sql, "statement_import_pkey"),
        (work.sum.sql, "import_row_pkey"),
        (work.rows.sql, "import_row_pkey"),
        (work.claim.sql, "import_row_pkey"),
        (work.release.sql, "imported_row_import_id_idx"),
        (work.results.sql, "imported_row_import_id_idx"),
        (work.deleteMatch.sql, "import_match_pkey"),
        (work.transaction.sql, "imported_row_import_id_idx"),
        (work.latestVersion.sql, "money_transaction_pkey"),
        (work.transfer.sql, "transfer_pkey"),
        (OwnTransferStatements.numbers.sql, "account_user_id_idx"),
        (OwnTransferStatements.candidates.sql, "imported_row_amount_idx"),
        (OwnTransferStatements.clear.sql, "import_row_pkey"),
        (OwnTransferStatements.mark.sql, "import_row_pkey"),
        (ImportRuleStatements.insert.sql, "import_rule_user_id_idx"),
        (ImportRuleStatements.lockPerson.sql, "person_pkey"),
        (ImportRuleStatements.list.sql, "import_rule_user_id_idx"),
        (ImportRuleStatements.folded.sql, "import_rule_user_id_idx"),
        (ImportRuleStatements.find.sql, "import_rule_"),
        (ImportRuleStatements.change.sql, "import_rule_"),
        (ImportRuleStatements.delete.sql, "import_rule_"),
    ]
}
