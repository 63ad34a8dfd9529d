/// The audit log has a new block: whoever keeps its head can tell later whether any was cut off.
public struct AuditSealed: EventBody, Hashable {
    /// The block.
    public let head: ChainHead

    /// All of it.
    public init(head: ChainHead) { self.head = head }

    /// `wallet.audit.sealed.v1`.
    public static let eventType = "wallet.audit.sealed.v1"

    /// The description.
    public static let json = Object(AuditSealed.init, Field("head", \.head))
}

/// The ledger's journal has a new block: whoever keeps its head can tell later whether any was cut
/// off.
public struct JournalSealed: EventBody, Hashable {
    /// The block.
    public let head: ChainHead

    /// All of it.
    public init(head: ChainHead) { self.head = head }

    /// `wallet.journal.sealed.v1`.
    public static let eventType = "wallet.journal.sealed.v1"

    /// The description.
    public static let json = Object(JournalSealed.init, Field("head", \.head))
}
