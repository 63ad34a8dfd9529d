internal import Loops

/// The connections of one kind on one loop, and who waits for them.
///
/// Shared: each takes `inFlightMax` exchanges at once. Leased: each has one holder.
final class ConnectionPool {
    let isShared: Bool
    let loop: EventLoop
    private let waitersMax: Int
    private let loadMax: Int
    private(set) var connections: [Connection] = []
    private(set) var waiters = RingQueue<Exchange>()
    private var isClosed = false
    /// Both pools of a database count here.
    let counters: Counters
    /// Makes addresses of the server's name.
    var resolve: Database.Resolve?
    /// Told of connections that come and go, for logs.
    var report: ((DatabaseEvent) -> Void)?

    final class Counters {
        var statements = 0
        var refusals = 0
        var latencySum: UInt64 = 0
        var connects = 0
        var connectFailures = 0
        var connectionsLost = 0
        var aborted = 0
        var abandoned = 0
        var rejected = 0
        var transactionRetries = 0
        var planRetries = 0
    }

    init(
        shared: Bool,
        loop: EventLoop,
        configuration: DatabaseConfiguration,
        counters: Counters
    ) {
        isShared = shared
        var configuration = configuration
        if !shared { configuration.sharedAvoidsBitmaps = false }
        self.loop = loop
        self.counters = counters
        waitersMax = configuration.waitersMax
        loadMax = shared ? configuration.inFlightMax : 1
        let count =
            shared ? configuration.sharedConnectionsMax : configuration.leasedConnectionsMax
        for _ in 0..<max(1, count) {
            connections.append(
                Connection(pool: self, loop: loop, configuration: configuration)
            )
        }
    }

    // MARK: Taking

    /// A connection with room, taken; nil: wait for one.
    func take() -> Connection? {
        var best: Connection?
        var spare: Connection?
        for connection in connections {
            if connection.state == .ready {
                if connection.load < (best?.load ?? loadMax) { best = connection }
            } else if connection.canOpen, spare == nil {
                spare = connection
            }
        }
        // Grow towards the budget as soon as there is a queue on every connection.
        if best.map({ $0.load > 0 }) ?? true { spare?.open() }
        best?.load += 1
        return best
    }

    /// Queues for a connection; the exchange ends with it, or with an error.
    func enqueue(_ waiter: Exchange) throws(DatabaseError) {
        guard !isClosed else { throw .unavailable(.closed) }
        if waiters.count >= waitersMax { waiters.keep { !$0.isOver } }
        guard waiters.count < waitersMax else {
            counters.rejected += 1
            throw .unavailable(.queueFull)
        }
        waiters.append(waiter)
    }

    /// Gives free connections to those who wait, in order.
    func dispatch() {
        while let waiter = waiters.first {
            if waiter.isOver {
                waiters.popFirst()
            } else if let connection = take() {
                waiters.popFirst()
                waiter.connection = connection
                waiter.session = connection.session
                waiter.end()
            } else {
                return
            }
        }
    }

    /// Gives a connection back that was taken, unless it broke meanwhile.
    func release(_ connection: Connection, of session: UInt64) {
        guard connection.state == .ready, connection.session == session else { return }
        connection.load -= 1
        dispatch()
    }

    private func failWaiters(_ error: DatabaseError) {
        while let waiter = waiters.popFirst() { waiter.end(error) }
    }

    // MARK: What connections tell

    func becameReady(_ connection: Connection) {
        counters.connects += 1
        report?(.connected(shared: isShared))
        dispatch()
    }

    /// Those who wait hear of it at once, unless another connection may still come to them.
    func couldNotConnect(_ connection: Connection, _ message: String) {
        report?(.cannotConnect(message))
        let others = connections.contains { $0.state == .ready || $0.isFirstAttempt }
        if !others { failWaiters(.unavailable(.cannotConnect(message))) }
    }

    func wasLost(_ connection: Connection) {
        report?(.lost(shared: isShared))
        dispatch()
    }

    func wasAborted(_ connection: Connection) { dispatch() }

    /// A segment is through.
    func finished(_ exchange: Exchange, on connection: Connection) {
        counters.statements += 1
        // Wraps: after years of answers, as a counter may; the clock itself never goes back.
        counters.latencySum &+= monotonicNanoseconds() &- exchange.sentAt
        if exchange.refusal != nil { counters.refusals += 1 }
        guard isShared else { return }
        connection.load -= 1
        if !waiters.isEmpty { dispatch() }
    }

    /// Ends waits whose deadline has come; answers the nearest of the others.
    func sweep(until now: UInt64) -> UInt64 {
        var nearest = UInt64.max
        let look = { (exchange: Exchange) in
            guard !exchange.isOver else { return }
            if exchange.deadline <= now {
                exchange.end(.deadline)
            } else {
                nearest = min(nearest, exchange.deadline)
            }
        }
        waiters.forEach(look)
        for connection in connections {
            connection.inFlight.forEach(look)
            if let waiting = connection.copyReady { look(waiting) }
            if let waiting = connection.drained { look(waiting) }
        }
        return nearest
    }

    func close() {
        isClosed = true
        failWaiters(.unavailable(.closed))
        for connection in connections { connection.close() }
    }

    var waiting: Int {
        var count = 0
        waiters.forEach { if !$0.isOver { count += 1 } }
        return count
    }
    var isAborting: Bool { connections.contains { $0.state == .aborting } }
    var connected: Int { connections.count { $0.state == .ready } }
    var load: Int { connections.reduce(0) { $0 + $1.load } }
}

/// Something to log about a database's connections.
public enum DatabaseEvent: Sendable, Equatable {
    /// A connection came up.
    case connected(shared: Bool)
    /// An attempt failed, in libpq's words.
    case cannotConnect(String)
    /// A connection broke.
    case lost(shared: Bool)
}
