import Postgres
import ServiceKit
import WalletProtocol

// Those that have a location, as a source of lists.
extension TransactionListStatements {
    /// Begins a walk over them: by account where there are accounts, else over a person's books.
    ///
    /// Each one's condition is that of its index as it is made, and serves no other: whatever else
    /// is asked stands behind it, and the caller closes the walk.
    static func located(_ filter: TransactionFilter, _ builder: inout StatementBuilder) {
        if filter.accounts.isEmpty {
            // money_transaction_located_idx.
            builder.append(
                """
                select each.* from (
                    select t.id, t.version, t.day, t.amount from ledger.money_transaction as t
                    where t.user_id = $1
                        and (t.latitude is not null and t.reversed_by is null) is true
                """,
                filter.user
            )
        } else {
            // money_transaction_located_account_idx.
            builder.append(
                """
                select each.* from unnest($1::uuid[]) as chosen (id) cross join lateral (
                    select t.id, t.version, t.day, t.amount from ledger.money_transaction as t
                    where t.account_id = chosen.id
                        and (t.latitude is not null and t.reversed_by is null) is not false
                """,
                filter.accounts
            )
        }
    }
}
