import Postgres
import WalletProtocol

/// The SQL of receiving accounts; each statement names the index that serves it.
enum ReceivingAccountStatements {
    /// The one before goes.
    static let put = Statement(
        by: "receiving_account_pkey",
        """
        insert into groups.receiving_account (user_id, currency, account_id, iban, name)
        values ($1, $2, $3, $4, $5)
        on conflict (user_id, currency) do update
        set account_id = excluded.account_id, iban = excluded.iban, name = excluded.name,
            named_at = excluded.named_at
        returning currency, account_id, iban, name, named_at
        """
    ) { row in try account(row) }

    static let find = Statement(
        by: "receiving_account_pkey",
        """
        select currency, account_id, iban, name, named_at
        from groups.receiving_account
        where user_id = $1 and currency = $2
        limit 1
        """
    ) { row in try account(row) }

    /// The same, which stays as it is until the transaction ends.
    static let lock = Statement(
        by: "receiving_account_pkey",
        """
        select currency, account_id, iban, name, named_at
        from groups.receiving_account
        where user_id = $1 and currency = $2
        limit 1
        for update
        """
    ) { row in try account(row) }

    /// As many as there are currencies, at most.
    static let list = Statement(
        by: "receiving_account_pkey",
        """
        select currency, account_id, iban, name, named_at
        from groups.receiving_account
        where user_id = $1
        order by currency
        limit 1000
        """
    ) { row in try account(row) }

    static let delete = Statement<Void>(
        by: "receiving_account_pkey",
        "delete from groups.receiving_account where user_id = $1 and currency = $2"
    )

    static let deleteAll = Statement<Void>(
        by: "receiving_account_pkey",
        "delete from groups.receiving_account where user_id = $1"
    )

    private static func account(_ row: borrowing PostgresRow) throws -> ReceivingAccountRow {
        let account: ReceivingAccount
        if let own = try row.value(1, as: ID<Account>?.self) {
            account = .own(own)
        } else {
            account = .elsewhere(iban: try row.string(2), name: try row.string(3))
        }
        return try ReceivingAccountRow(
            currency: row.value(0),
            account: account,
            namedAt: row.value(4)
        )
    }
}
