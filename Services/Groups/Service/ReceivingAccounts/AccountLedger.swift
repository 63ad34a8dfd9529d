import ServiceKit
import WalletProtocol

/// What groups asks of the ledger about somebody's own accounts.
struct AccountLedger {
    /// The account as it is now; nil where it is absent or another's.
    var own: (ID<Account>, ID<User>) async throws -> OwnAccount?

    /// By calls to the ledger.
    static func calling(_ client: InternalClient) -> AccountLedger {
        AccountLedger { account, user in
            do {
                return try await client.call(
                    InternalAccounts.own,
                    path: ["id": account.text, "userId": user.text]
                )
            } catch let error as APIError where error.code == .notFound {
                return nil
            }
        }
    }
}
