internal import Messaging
internal import Synchronization

/// The relay's doorbell, put in its place once the relay has been made.
package final class SharedBell: Sendable {
    /// No relay yet: rings unheard.
    package init() {}
    private let doorbell = Mutex<Doorbell?>(nil)
    func set(_ new: Doorbell) { doorbell.withLock { $0 = new } }
    func ring() { doorbell.withLock { $0 }?.ring() }
}
