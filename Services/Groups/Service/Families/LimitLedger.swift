import ServiceKit
import WalletProtocol

/// What groups asks of the ledger for what children may spend.
struct LimitLedger {
    var find: (ID<Family>, ID<User>) async throws -> SpendingLimitsView
    var set: (SpendingLimits, ID<Family>, ID<User>, EntityTags?) async throws -> SpendingLimitsView
    /// One of the child's categories; nil where it is none.
    var category: (CategoryID, ID<User>, ID<Family>) async throws -> LimitableCategory?

    /// By calls to the ledger.
    static func calling(_ client: InternalClient) -> LimitLedger {
        LimitLedger { family, child in
            try await client.call(
                InternalAllowances.limits,
                path: ["familyId": family.text, "userId": child.text]
            )
        } set: { limits, family, child, ifMatch in
            try await client.call(
                InternalAllowances.setLimits,
                path: ["familyId": family.text, "userId": child.text],
                query: NoQuery(),
                body: limits,
                ifMatch: ifMatch
            )
        } category: { category, child, family in
            do {
                return try await client.call(
                    InternalAllowances.category,
                    path: [
                        "familyId": family.text, "userId": child.text,
                        "categoryId": category.text,
                    ]
                )
            } catch let error as APIError where error.code == .notFound {
                return nil
            }
        }
    }
}
