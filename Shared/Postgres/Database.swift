internal import CLibpq
public import Loops

/// One database as one loop sees it: a few shared connections and a few to lend.
///
/// Statements run through `Database` itself are pipelined on shared connections, each a transaction
/// of its own, interleaved with those of other requests. Whatever spans statements takes a
/// connection for itself: `transaction`, `lease`. On-loop only; connections come up at first use
/// and come back after a loss by themselves.
///
/// A statement whose wait ends early (deadline, cancellation) may still run at the server: on a
/// shared connection it is never cancelled, for the cancel could hit a neighbour's.
public final class Database: Querying {
    /// Makes numeric addresses of a host's name; `afresh`: what was remembered led nowhere.
    public typealias Resolve = (_ name: String, _ afresh: Bool) async throws -> [String]

    /// The loop that everything here belongs to.
    public let loop: EventLoop
    /// Where it is and how much of it this loop may use.
    public let configuration: DatabaseConfiguration
    let shared: ConnectionPool
    let leased: ConnectionPool
    let counters = ConnectionPool.Counters()
    var writer = ParameterWriter()
    /// The tasks that hold a lease of this database, by their identity's hash.
    ///
    /// A task-local would do, but `withValue` runs its body off the loop for tasks that do not
    /// prefer the loop's executor.
    private var holders: Set<Int> = []
    private var deadlineTimer: LoopTimer?
    private var armedDeadline = UInt64.max

    /// A database on this loop; nothing is connected yet.
    ///
    /// `resolve` is needed where the server is given by its name; `report` is told of connections
    /// that come and go, on the loop.
    public init(
        configuration: DatabaseConfiguration,
        loop: EventLoop,
        resolve: Resolve? = nil,
        report: ((DatabaseEvent) -> Void)? = nil
    ) {
        self.configuration = configuration
        self.loop = loop
        shared = ConnectionPool(
            shared: true,
            loop: loop,
            configuration: configuration,
            counters: counters
        )
        leased = ConnectionPool(
            shared: false,
            loop: loop,
            configuration: configuration,
            counters: counters
        )
        shared.resolve = resolve
        leased.resolve = resolve
        shared.report = report
        leased.report = report
    }

    /// Ends all connections; whoever waits is told.
    public func close() {
        deadlineTimer?.cancel()
        deadlineTimer = nil
        shared.close()
        leased.close()
    }

    /// Waits until the server has been asked to end every statement that was given up.
    ///
    /// For whoever ends the process next: it waits, though its own task is cancelled.
    public func endAborts() async {
        let database = LoopBound(self, to: loop.actor)
        await loop.actor.spawn { actor in
            while database.on(actor).leased.isAborting {
                try? await actor.loop.sleep(nanoseconds: 5_000_000)
            }
        }.value
    }

    /// Asks the server something trivial, to see whether it is there and lets us in.
    public func ping() async throws(DatabaseError) { try await execute(pingStatement) }

    /// What the server allows in all (`max_connections`), to check budgets against at start.
    public func serverConnectionsMax() async throws(DatabaseError) -> Int {
        try await queryOne(maxConnectionsStatement) ?? 0
    }

    /// The numbers for `/metrics`.
    public var metrics: DatabaseMetrics {
        DatabaseMetrics(
            sharedConnected: shared.connected,
            sharedInFlight: shared.load,
            sharedWaiting: shared.waiting,
            leasedConnected: leased.connected,
            leasedInUse: leased.load,
            leasedWaiting: leased.waiting,
            statements: counters.statements,
            refusals: counters.refusals,
            latencyNanosecondsSum: counters.latencySum,
            connects: counters.connects,
            connectFailures: counters.connectFailures,
            connectionsLost: counters.connectionsLost,
            aborted: counters.aborted,
            abandoned: counters.abandoned,
            rejected: counters.rejected,
            transactionRetries: counters.transactionRetries,
            planRetries: counters.planRetries
        )
    }

    // MARK: Shared

    /// Runs one statement on a shared connection; it commits by itself.
    public func run(_ call: StatementCall) async throws(DatabaseError) -> Exchange {
        try checkHoldsNone()
        let deadline = waitDeadline()
        try checkTime(deadline)
        var mayRetry = true
        while true {
            let connection: Connection
            if let free = shared.take() {
                connection = free
            } else {
                connection = try await wait(for: shared, until: deadline)
            }
            let exchange = Exchange(on: loop, deadline: deadline)
            exchange.mayCommit = true
            do {
                try encode(call, for: connection)
            } catch {
                shared.release(connection, of: connection.session)
                throw error
            }
            connection.send(call.text, &writer, exchange)
            arm(deadline)
            do {
                try await exchange.wait()
                return exchange
            } catch {
                guard mayRetry, error.isStalePlan else { throw counted(error) }
                mayRetry = false
                forget(exchange, on: connection)
            }
        }
    }

    /// Who holds a lease waits for nothing else here, or two of them could wait for each other.
    func checkHoldsNone() throws(DatabaseError) {
        guard !holders.isEmpty, let task = currentTaskIdentity else { return }
        guard !holders.contains(task) else { throw .misuse(.waitsWhileHoldingLease) }
    }

    /// Notes that the current task holds a lease; answers what `noLongerHeld` takes.
    func noteHeld() -> Int? {
        guard let task = currentTaskIdentity else { return nil }
        holders.insert(task)
        return task
    }

    func noLongerHeld(_ task: Int?) {
        if let task { holders.remove(task) }
    }

    /// Writes the parameters into the buffer that the next `send` takes.
    func encode(_ call: StatementCall, for connection: Connection) throws(DatabaseError) {
        if connection.prepared.isNew(call.text.key) {
            if connection.pool.isShared ? call.text.needsLease : call.text.isCopy {
                throw .misuse(.needsLease(statement: call.text.place))
            }
        }
        writer.removeAll()
        for (index, parameter) in call.parameters.enumerated() {
            guard writer.add(parameter) else {
                throw .decoding(
                    DecodingProblem(
                        statement: call.text.place,
                        column: "$\(index + 1)",
                        problem: "holds U+0000"
                    )
                )
            }
        }
    }

    /// Drops a prepared form that the server no longer takes.
    func forget(_ exchange: Exchange, on connection: Connection) {
        counters.planRetries += 1
        guard let name = exchange.preparedName, let key = exchange.text?.key,
            connection.state == .ready, connection.session == exchange.session
        else { return }
        if connection.prepared.forget(key, name: name) { connection.deallocate(name) }
    }

    /// Sends nothing whose answer nobody would wait for.
    func checkTime(_ deadline: UInt64) throws(DatabaseError) {
        guard !Task.isCancelled else { throw counted(.cancelled) }
        guard monotonicNanoseconds() < deadline else { throw counted(.deadline) }
    }

    func counted(_ error: DatabaseError) -> DatabaseError {
        switch error {
        case .deadline, .cancelled: counters.abandoned += 1
        default: break
        }
        return error
    }

    // MARK: Waiting

    /// The nearer of the request's deadline and the longest wait configured.
    func waitDeadline() -> UInt64 {
        RequestContext.deadline(within: configuration.waitMillisecondsMax * 1_000_000)
    }

    /// Waits in the queue of a pool; the connection is taken.
    func wait(
        for pool: ConnectionPool,
        until deadline: UInt64
    ) async throws(DatabaseError) -> Connection {
        while true {
            let waiter = Exchange(on: loop, deadline: deadline)
            try pool.enqueue(waiter)
            arm(deadline)
            do { try await waiter.wait() } catch { throw counted(error) }
            // Between being promised and running, the connection may have broken.
            if let connection = waiter.connection.take(), connection.state == .ready,
                connection.session == waiter.session
            {
                return connection
            }
        }
    }

    /// One timer for all deadlines, set to the nearest: most waits end long before theirs.
    func arm(_ deadline: UInt64) {
        guard deadline < armedDeadline else { return }
        armedDeadline = deadline
        deadlineTimer?.cancel()
        deadlineTimer = loop.schedule(at: deadline) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let now = monotonicNanoseconds()
        deadlineTimer = nil
        armedDeadline = .max
        arm(min(shared.sweep(until: now), leased.sweep(until: now)))
    }
}

/// Only compared, never used to reach the task.
private var currentTaskIdentity: Int? {
    // Safety: the task is asked for its hash while it is lent, and not kept.
    unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue }
}

private let pingStatement = Statement("select")
private let maxConnectionsStatement = Statement(
    "select current_setting('max_connections')::int4"
) { row in try row.value(0, as: Int.self) }
