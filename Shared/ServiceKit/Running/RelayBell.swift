internal import Messaging
internal import Synchronization

/// Rings the relay's bell from any loop; unheard until the relay stands.
public final class RelayBell: Sendable {
    private let doorbell = Mutex<Doorbell?>(nil)

    /// Of a relay that is still to be made.
    package init() {}

    func set(_ new: Doorbell) { doorbell.withLock { $0 = new } }

    /// There are new rows in the outbox.
    public func ring() { doorbell.withLock { $0 }?.ring() }
}
