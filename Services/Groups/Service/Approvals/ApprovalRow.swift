import ServiceKit
import WalletProtocol

/// What a child asks for, as its row has it, and under which key it was decided.
struct ApprovalRow: Sendable {
    let view: ApprovalView
    let keyID: ID<KeyNote>?
    let requestHash: [UInt8]?
}

/// One that a parent has approved, for the ledger.
struct ApprovedRow: Sendable {
    let id: ID<Approval>
    let purchase: ApprovedPurchase
}

extension ApprovalView {
    /// Its ETag.
    var tag: String { String(version) }
}
