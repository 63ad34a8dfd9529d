import ServiceKit
import WalletProtocol

/// What groups asks of the ledger for children; each call may come again.
struct AllowanceLedger {
    var open: (AllowanceTask) async throws -> Void
    var release: (AllowanceTask) async throws -> Void
    var pay: (ID<AllowanceOrder>, AllowancePayment) async throws -> AllowanceReceipt
    /// Once and for all: nobody is there to ask again under a key.
    var decide: (ID<AllowanceOrder>, AllowancePayment) async throws -> AllowanceOutcome
    /// Whether a parent may order it, who is there.
    var agree: (ID<Recurrence>, AllowanceAgreement, UserIdentity) async throws -> Void
    var overview: (ID<User>) async throws -> Overview

    /// By calls to the ledger.
    static func calling(_ client: InternalClient) -> AllowanceLedger {
        AllowanceLedger { task in
            _ = try await client.call(
                InternalAllowances.open,
                path: task.path,
                query: NoQuery(),
                body: AllowanceOpening(currency: task.currency, number: Int(task.number))
            )
        } release: { task in
            _ = try await client.call(
                InternalAllowances.release,
                path: task.path,
                query: AllowanceRelease(number: Int(task.number)),
                body: NoBody()
            )
        } pay: { id, payment in
            try await client.call(
                InternalAllowances.pay,
                path: ["id": id.text],
                query: NoQuery(),
                body: payment
            )
        } decide: { id, payment in
            try await client.call(
                InternalAllowances.decide,
                path: ["id": id.text],
                query: NoQuery(),
                body: payment
            )
        } agree: { id, agreement, parent in
            _ = try await client.call(
                InternalAllowances.agree,
                path: ["id": id.text],
                query: NoQuery(),
                body: agreement,
                for: parent
            )
        } overview: { child in
            try await client.call(InternalOverviews.get, path: ["userId": child.text])
        }
    }
}

extension AllowanceTask {
    fileprivate var path: [String: String] {
        ["familyId": family.text, "userId": child.text]
    }
}
