internal import CLibpq
internal import Loops

/// A connection lent to one holder, until the closure that got it returns.
///
/// Statements are pipelined here, too: two may be under way at once, each a transaction of its own.
/// When a wait ends early, the session is cancelled at the server and ended.
public final class LeasedConnection: Querying {
    let database: Database
    let connection: Connection
    /// The session that was lent: after a loss the connection stands for another one.
    private let session: UInt64
    /// How long a statement may be waited for, where the request names no nearer deadline.
    public var waitMillisecondsMax: UInt64
    private var isOver = false

    init(_ connection: Connection, of database: Database) {
        self.connection = connection
        session = connection.session
        self.database = database
        waitMillisecondsMax = database.configuration.waitMillisecondsMax
    }

    /// Runs one statement; outside a transaction it commits by itself.
    public func run(_ call: StatementCall) async throws(DatabaseError) -> Exchange {
        do {
            return try await finish(start(call, mayCommit: true))
        } catch {
            guard error.isStalePlan, !isInTransaction else { throw error }
            return try await finish(start(call, mayCommit: true))
        }
    }

    /// One transaction on this connection; see `Database.transaction`.
    @discardableResult
    public func transaction<Value>(
        _ options: TransactionOptions = TransactionOptions(),
        _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        try await database.runTransaction(options, on: self, body)
    }

    /// Whether the holder has opened a transaction of its own.
    var isInTransaction: Bool {
        // Safety: only the loop that owns the connection uses its handle.
        guard let handle = unsafe connection.handle else { return false }
        let status = unsafe PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// The lease is over: the object is of no use any more.
    func end() { isOver = true }

    /// Whether the session that was lent is still there.
    var isAlive: Bool { connection.state == .ready && connection.session == session }

    func waitDeadline() -> UInt64 {
        RequestContext.deadline(within: waitMillisecondsMax * 1_000_000)
    }

    func checkUse() throws(DatabaseError) {
        guard !isOver else { throw .misuse(.used) }
        guard isAlive else { throw .connectionLost(duringCommit: false) }
        guard !connection.plain else { throw .misuse(.busy) }
    }

    /// Sends a statement; where this throws nothing was sent.
    func start(
        _ call: StatementCall,
        begin: StaticString? = nil,
        mayCommit: Bool
    ) throws(DatabaseError) -> Exchange {
        try checkUse()
        let deadline = waitDeadline()
        try database.checkTime(deadline)
        try database.encode(call, for: connection)
        let exchange = Exchange(on: database.loop, deadline: deadline)
        exchange.mayCommit = mayCommit
        connection.send(call.text, &database.writer, exchange, begin: begin)
        return exchange
    }

    /// Waits; giving up ends the session, for its statement would go on holding locks.
    @discardableResult
    func finish(_ exchange: Exchange) async throws(DatabaseError) -> Exchange {
        database.arm(exchange.deadline)
        do {
            try await exchange.wait()
            return exchange
        } catch {
            switch error {
            case .deadline, .cancelled: if isAlive { connection.abort() }
            default: if error.isStalePlan { database.forget(exchange, on: connection) }
            }
            throw database.counted(error)
        }
    }
}
