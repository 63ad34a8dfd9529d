import ServiceKit
import WalletProtocol

/// What groups asks of the ledger for what a parent has approved; each call may come again.
struct PurchaseLedger {
    var post: (ID<Approval>, ApprovedPurchase) async throws -> PurchaseOutcome

    /// By a call to the ledger.
    static func calling(_ client: InternalClient) -> PurchaseLedger {
        PurchaseLedger { id, purchase in
            try await client.call(
                InternalPurchases.post,
                path: ["id": id.text],
                query: NoQuery(),
                body: purchase
            )
        }
    }
}
