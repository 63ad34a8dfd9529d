public import WalletProtocol

/// Which events of a filter a consumer takes, where that is some of their aggregates' alone.
///
/// Sequences count all events of an aggregate, so that who sees but some of them can tell neither
/// what is missing nor an order. What is chosen is therefore the only event of an aggregate of its
/// own, `event:` and its id: applied once, tried again and buried like any other, in no order.
public struct EventChoice: Sendable {
    let isWanted: @Sendable (EventEnvelope) -> Bool

    /// Those for which `isWanted` says yes; what it cannot read it leaves to the handler.
    public init(_ isWanted: @escaping @Sendable (EventEnvelope) -> Bool) {
        self.isWanted = isWanted
    }
}
