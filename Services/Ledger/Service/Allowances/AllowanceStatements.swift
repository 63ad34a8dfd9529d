import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of children's accounts; each statement names the index that serves it.
enum AllowanceStatements {
    /// The child's account while they are in the family.
    static let find = Statement(
        by: "allowance_child_key",
        """
        select account_id from ledger.allowance
        where family_id = $1 and user_id = $2 and released_at is null
        """
    ) { row in try row.value(0, as: ID<Account>.self) }

    /// The newest, which may be released.
    static let newest = Statement(
        by: "allowance_user_idx",
        """
        select account_id, opened_by, released_at is not null
        from ledger.allowance
        where family_id = $1 and user_id = $2
        order by opened_by desc
        limit 1
        """
    ) { row in
        (
            account: try row.value(0, as: ID<Account>.self), openedBy: Int(try row.int64(1)),
            isReleased: try row.bool(2)
        )
    }

    /// allowance_child_key tells by name who was quicker.
    static let insert = Statement<Void>(
        """
        insert into ledger.allowance (account_id, family_id, user_id, opened_by)
        values ($1, $2, $3, $4)
        """
    )

    /// The function that makes a wallet of it.
    static let release = Statement("select ledger.release_allowance_v1($1, $2, $3)") { row in
        try row.bool(0)
    }

    static let payment = Statement(
        by: "allowance_payment_pkey",
        """
        select account_id, transaction_id, transfer_id, refusal
        from ledger.allowance_payment
        where id = $1
        """
    ) { row in
        if let refusal = try row.value(3, as: String?.self) {
            return AllowancePaymentRow.refused(refusal)
        }
        return try .paid(
            AllowanceReceipt(
                accountID: row.value(0),
                transactionID: row.value(1),
                transferID: row.value(2)
            )
        )
    }

    /// Whoever comes second waits until the first has committed or given up.
    static let refuse = Statement<Void>(
        by: "allowance_payment_pkey",
        """
        insert into ledger.allowance_payment (id, refusal)
        values ($1, $2)
        on conflict (id) do nothing
        """
    )

    static let keep = Statement<Void>(
        """
        insert into ledger.allowance_payment (id, account_id, transaction_id, transfer_id)
        values ($1, $2, $3, $4)
        on conflict do nothing
        """
    )
}
