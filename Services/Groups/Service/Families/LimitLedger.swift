import ServiceKit
import WalletProtocol

/// What groups asks of the ledger for what children may spend.
struct LimitLedger {
    var find: (ID<Family>, ID<User>) async throws -> SpendingLimitsView
    var set: (SpendingLimits, ID<Family>, ID<User>) async throws -> SpendingLimitsView

    /// By calls to the ledger.
    static func calling(_ client: InternalClient) -> LimitLedger {
        LimitLedger { family, child in
            try await client.call(
                InternalAllowances.limits,
                path: ["familyId": family.text, "userId": child.text]
            )
        } set: { limits, family, child in
            try await client.call(
                InternalAllowances.setLimits,
                path: ["familyId": family.text, "userId": child.text],
                query: NoQuery(),
                body: limits
            )
        }
    }
}
