import ServiceKit
import WalletProtocol

/// What groups asks of the ledger for settlements; each call may come again, and late.
struct SettlementLedger {
    var pay: (ID<Settlement>, SettlementOrder, UserIdentity) async throws -> SettlementOutcome
    /// What became of one: what is not paid by then will not be.
    var decide: (ID<Settlement>) async throws -> SettlementOutcome

    /// By calls to the ledger.
    static func calling(_ client: InternalClient) -> SettlementLedger {
        SettlementLedger { id, order, user in
            try await client.call(
                InternalSettlements.pay,
                path: ["id": id.text],
                query: NoQuery(),
                body: order,
                for: user
            )
        } decide: { id in
            try await client.call(InternalSettlements.decide, path: ["id": id.text])
        }
    }
}
