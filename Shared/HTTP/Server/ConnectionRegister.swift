internal import Synchronization

/// Who is connected: how many on each loop, of each address and network, and who has asked nothing.
///
/// One address is an IPv4 address or an IPv6 /64, one network an IPv4 /24 or an IPv6 /48. Shared by
/// the loops of a server; looked at when a connection begins, asks for the first time, and ends.
final class ConnectionRegister: Sendable {
    /// One connection's place in the register.
    struct Ticket: Sendable {
        let number: UInt64
        let loop: Int
        fileprivate let address: UInt64
        fileprivate let network: UInt64
    }

    /// What becomes of a new connection.
    enum Admission {
        /// `instead`: who has asked nothing for longest, and goes for it.
        case admitted(Ticket, instead: Ticket?)
        case refused
    }

    private struct Count {
        var all = 0
        var unserved = 0
    }

    private struct State {
        var byLoop: [Int]
        var addresses: [UInt64: Count] = [:]
        var networks: [UInt64: Count] = [:]
        var unserved: [UInt64: Ticket] = [:]
        /// The number of the next one; the oldest that has asked nothing is not below `oldest`.
        var next: UInt64 = 0
        var oldest: UInt64 = 0
        var total = 0
    }

    private let state: Mutex<State>
    private let limits: ServerLimits

    init(loops: Int, limits: ServerLimits) {
        state = Mutex(State(byLoop: Array(repeating: 0, count: loops)))
        self.limits = limits
    }

    var total: Int { state.withLock { $0.total } }
    /// Whether nine tenths are taken by who has asked something: the others go for who comes.
    var isCrowded: Bool {
        let served = state.withLock { $0.total - $0.unserved.count }
        return served >= limits.connectionsMax - limits.connectionsMax / 10
    }

    /// Takes one more in, on the loop that has the fewest.
    func admit(_ peer: PeerAddress) -> Admission {
        state.withLock { state in
            let (address, network) = (peer.network, peer.site)
            let ofAddress = state.addresses[address] ?? Count()
            let ofNetwork = state.networks[network] ?? Count()
            guard ofAddress.all < limits.connectionsPerAddressMax,
                ofNetwork.all < limits.connectionsPerNetworkMax,
                ofAddress.unserved < limits.unservedPerAddressMax,
                ofNetwork.unserved < limits.unservedPerNetworkMax
            else { return .refused }
            var instead: Ticket?
            if state.total >= limits.connectionsMax {
                instead = Self.takeOldest(&state)
                guard instead != nil else { return .refused }
            }
            var least = 0
            for index in state.byLoop.indices where state.byLoop[index] < state.byLoop[least] {
                least = index
            }
            let ticket = Ticket(
                number: state.next,
                loop: least,
                address: address,
                network: network
            )
            state.next += 1
            state.total += 1
            state.byLoop[least] += 1
            state.unserved[ticket.number] = ticket
            Self.count(&state, ticket) {
                $0.all += 1
                $0.unserved += 1
            }
            return .admitted(ticket, instead: instead)
        }
    }

    /// A connection has asked for something.
    func served(_ ticket: Ticket) {
        state.withLock { state in
            guard state.unserved.removeValue(forKey: ticket.number) != nil else { return }
            Self.passServed(&state)
            Self.count(&state, ticket) { $0.unserved -= 1 }
        }
    }

    /// A connection has ended.
    func leave(_ ticket: Ticket) {
        state.withLock { state in
            let wasUnserved = state.unserved.removeValue(forKey: ticket.number) != nil
            Self.passServed(&state)
            state.total -= 1
            state.byLoop[ticket.loop] -= 1
            Self.count(&state, ticket) {
                $0.all -= 1
                if wasUnserved { $0.unserved -= 1 }
            }
        }
    }

    private static func takeOldest(_ state: inout State) -> Ticket? {
        guard let ticket = state.unserved.removeValue(forKey: state.oldest) else { return nil }
        passServed(&state)
        count(&state, ticket) { $0.unserved -= 1 }
        return ticket
    }

    /// Moves on to the oldest that has served nothing: whenever one is no longer that, or whoever
    /// first fills the table would wait for a walk over all connections that ever were.
    private static func passServed(_ state: inout State) {
        while state.oldest < state.next, state.unserved[state.oldest] == nil { state.oldest += 1 }
    }

    /// Changes both counts of a connection; one that is zero is not kept.
    private static func count(
        _ state: inout State,
        _ ticket: Ticket,
        _ change: (inout Count) -> Void
    ) {
        change(&state.addresses[ticket.address, default: Count()])
        if state.addresses[ticket.address]?.all == 0 { state.addresses[ticket.address] = nil }
        change(&state.networks[ticket.network, default: Count()])
        if state.networks[ticket.network]?.all == 0 { state.networks[ticket.network] = nil }
    }
}
