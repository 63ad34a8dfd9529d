import Postgres
import ServiceKit

/// What was posted of a person's shared expenses, and cleared; each statement names the index that
/// serves it.
enum ReceivableExportStatements {
    static let parts = [
        ExportPart("receivable-postings", from: ExportPart.firstID + " false", postings)
    ]

    /// Also what was withdrawn, which is never posted again.
    static let postings = Statement(
        by: "receivable_posting_pkey",
        """
        select id || ' ' || is_clearing, json_build_object(
            'id', id, 'kind', case when is_clearing then 'settlement' else 'expense' end,
            'transactionId', transaction_id, 'version', version, 'withdrawn', is_withdrawn)::text
        from ledger.receivable_posting
        where user_id = $1 and (id, is_clearing) > (
            split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::boolean)
        order by id, is_clearing
        limit $3
        """
    ) { row in try ExportRow(row) }
}
