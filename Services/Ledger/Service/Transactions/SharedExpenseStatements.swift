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

    /// Those of some transactions; none is taken out of the books until the transaction's end.
    static let held = Statement(
        by: "receivable_posting_transaction_key",
        """
        select user_id, id, version, is_withdrawn from ledger.receivable_posting
        where transaction_id = any ($1)
        order by transaction_id
        for share
        """
    ) { row in
        (
            user: try row.value(0, as: ID<User>.self),
            id: try row.value(1, as: ID<SharedPosting>.self),
            version: Int(try row.int32(2)),
            isWithdrawn: try row.bool(3)
        )
    }
}
