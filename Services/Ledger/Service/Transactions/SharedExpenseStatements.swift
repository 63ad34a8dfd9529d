import Postgres
import ServiceKit
import WalletProtocol

/// What transactions are of shared expenses; each statement names the index that serves it.
enum SharedExpenseStatements {
    /// Nothing where it is of none.
    static let isClearing = Statement(
        by: "receivable_posting_transaction_key",
        "select is_clearing from ledger.receivable_posting where transaction_id = $1 limit 1"
    ) { row in try row.bool(0) }

    /// Whether each was taken out of the books; none is until the transaction's end.
    static let areWithdrawn = Statement(
        by: "receivable_posting_transaction_key",
        """
        select is_withdrawn from ledger.receivable_posting
        where transaction_id = any ($1)
        order by transaction_id
        for share
        """
    ) { row in try row.bool(0) }
}
