/// The audit log has a new block: whoever keeps its head can tell later whether any was cut off.
public struct AuditSealed: EventBody, Hashable {
    public let head: ChainHead

    public init(head: ChainHead) { self.head = head }

    /// `wallet.audit.sealed.v1`.
    public static let eventType = "wallet.audit.sealed.v1"

    public static let json = Object(AuditSealed.init, Field("head", \.head, about: "The block."))
}

/// The ledger's journal has a new block: whoever keeps its head can tell later whether any was cut
/// off.
public struct JournalSealed: EventBody, Hashable {
    public let head: ChainHead

    public init(head: ChainHead) { self.head = head }

    /// `wallet.journal.sealed.v1`.
    public static let eventType = "wallet.journal.sealed.v1"

    public static let json = Object(JournalSealed.init, Field("head", \.head, about: "The block."))
}
