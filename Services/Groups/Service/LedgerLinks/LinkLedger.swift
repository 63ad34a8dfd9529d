import ServiceKit
import WalletProtocol

/// What groups asks of the ledger for people's own links; each call may come again, and late.
struct LinkLedger {
    var post: (LedgerLink.Asked, ID<LedgerLink>, ID<User>) async throws -> ID<MoneyTransaction>
    /// Whether the newest version is in the books: its owner may have deleted it there.
    var isPosted: (ID<LedgerLink>, ID<User>) async throws -> Bool
    var withdraw: (LedgerLink) async throws -> Void

    /// By calls to the ledger.
    static func calling(_ client: InternalClient) -> LinkLedger {
        LinkLedger { asked, id, user in
            let path = ["userId": user.text, "id": id.text]
            switch asked {
            case .posting(let posting):
                return try await client.call(
                    InternalReceivables.post,
                    path: path,
                    query: NoQuery(),
                    body: posting
                ).transactionID
            case .clearing(let clearing):
                return try await client.call(
                    InternalReceivables.clear,
                    path: path,
                    query: NoQuery(),
                    body: clearing
                ).transactionID
            }
        } isPosted: { id, user in
            let path = ["userId": user.text, "id": id.text]
            return try await client.call(InternalReceivables.find, path: path).state == .posted
        } withdraw: { link in
            let path = ["userId": link.user.text, "id": link.id.text]
            if link.expense == nil {
                _ = try await client.call(InternalReceivables.unclear, path: path)
            } else {
                _ = try await client.call(
                    InternalReceivables.withdraw,
                    path: path,
                    query: ExpenseWithdrawalQuery(wasOwed: link.wasWritten),
                    body: NoBody()
                )
            }
        }
    }
}
