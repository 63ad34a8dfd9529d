import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of purchases that parents approved of; each statement names the index that serves it.
enum PurchaseStatements {
    /// Whoever comes second waits until the first has committed or given up.
    static let insert = Statement<Void>(
        by: "allowance_purchase_pkey",
        """
        insert into ledger.allowance_purchase (id, transaction_id, refusal)
        values ($1, $2, $3)
        on conflict (id) do nothing
        """
    )

    static let find = Statement(
        by: "allowance_purchase_pkey",
        """
        select transaction_id, refusal from ledger.allowance_purchase where id = $1 limit 1
        """
    ) { row in
        PurchaseOutcome(transactionID: try row.value(0), refusal: try row.value(1))
    }
}
