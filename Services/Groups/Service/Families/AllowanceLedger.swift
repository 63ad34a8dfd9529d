import Crypto
import ServiceKit
import WalletProtocol

/// What groups asks of the ledger for children; each call may come again.
struct AllowanceLedger {
    var open: (AllowanceTask) async throws -> Void
    var release: (AllowanceTask) async throws -> Void
    var pay: (ID<AllowanceOrder>, AllowancePayment) async throws -> AllowanceReceipt

    /// By calls to the ledger.
    static func calling(_ client: InternalClient) -> AllowanceLedger {
        AllowanceLedger { task in
            _ = try await client.call(
                InternalAllowances.open,
                path: task.path,
                query: NoQuery(),
                body: AllowanceOpening(currency: task.currency)
            )
        } release: { task in
            _ = try await client.call(InternalAllowances.release, path: task.path)
        } pay: { id, payment in
            try await client.call(
                InternalAllowances.pay,
                path: ["id": id.text],
                query: NoQuery(),
                body: payment
            )
        }
    }
}

extension AllowanceTask {
    fileprivate var path: [String: String] {
        ["familyId": family.text, "userId": child.text]
    }
}

extension ID where Tag == AllowanceOrder {
    /// The payment that a key names: the same key again is the same payment.
    static func of(_ scope: IdempotencyScope) -> ID<AllowanceOrder> {
        let digest = SHA256.digest(Array("\(scope.scope)\n\(scope.key)".utf8))
        func half(_ range: Range<Int>) -> UInt64 {
            digest[range].reduce(0) { $0 << 8 | UInt64($1) }
        }
        return ID(high: half(0..<8), low: half(8..<16))
    }
}
