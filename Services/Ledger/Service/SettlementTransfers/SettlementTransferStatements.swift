import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of how debts of groups are paid; each statement names the index that serves it.
enum SettlementTransferStatements {
    /// Whoever comes second waits until the first has committed or given up.
    static let insert = Statement<Void>(
        by: "settlement_transfer_pkey",
        """
        insert into ledger.settlement_transfer (id, transfer_id)
        values ($1, $2)
        on conflict (id) do nothing
        """
    )

    static let find = Statement(
        by: "settlement_transfer_pkey",
        "select transfer_id from ledger.settlement_transfer where id = $1 limit 1"
    ) { row in SettlementOutcome(transferID: try row.value(0)) }
}
