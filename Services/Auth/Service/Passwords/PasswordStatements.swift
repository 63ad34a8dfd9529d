import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of passwords, by user_account_pkey.
enum PasswordStatements {
    /// Only over the hash that was compared ($3), so that of two changes at once one is made.
    static let replace = Statement(
        by: "user_account_pkey",
        """
        update auth.user_account
        set password_hash = $2
        where id = $1 and password_hash is not distinct from $3 and enabled
        returning id
        """
    ) { row in try row.value(0, as: ID<User>.self) }
}
