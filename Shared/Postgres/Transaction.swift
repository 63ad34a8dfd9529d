internal import Loops

/// How a transaction runs.
public struct TransactionOptions: Sendable {
    /// What a transaction sees of others.
    public enum Isolation: Sendable {
        /// Each statement sees what was committed before it began.
        case readCommitted
        /// Every statement sees the same snapshot.
        case repeatableRead
        /// As if transactions ran one after another.
        case serializable
    }
    /// What it sees of others.
    public var isolation: Isolation
    /// Whether it only reads.
    public var readOnly: Bool
    /// How often it is run in all, when it fails by 40001, 40P01 or 55P03.
    public var attemptsMax: Int
    /// The pause before the second attempt; it doubles with each, with jitter.
    public var pauseMilliseconds: UInt64

    /// Read committed, writing, five attempts.
    public init(
        isolation: Isolation = .readCommitted,
        readOnly: Bool = false,
        attemptsMax: Int = 5,
        pauseMilliseconds: UInt64 = 5
    ) {
        self.isolation = isolation
        self.readOnly = readOnly
        self.attemptsMax = attemptsMax
        self.pauseMilliseconds = pauseMilliseconds
    }

    var begin: StaticString {
        switch (isolation, readOnly) {
        case (.readCommitted, false): "begin"
        case (.readCommitted, true): "begin read only"
        case (.repeatableRead, false): "begin isolation level repeatable read"
        case (.repeatableRead, true): "begin isolation level repeatable read read only"
        case (.serializable, false): "begin isolation level serializable"
        case (.serializable, true): "begin isolation level serializable read only"
        }
    }
}

/// A transaction under way on a leased connection; BEGIN goes out with its first statement.
///
/// The closure that gets it may run several times, so it has no effects but in the database.
public final class Transaction: Querying {
    private enum State {
        /// Nothing sent.
        case fresh
        case begun
        /// Committed, rolled back or broken.
        case over
    }
    let lease: LeasedConnection
    private let options: TransactionOptions
    private var state: State = .fresh
    /// What was sent and is not waited for.
    private var unawaited: [Exchange] = []

    init(on lease: LeasedConnection, _ options: TransactionOptions) {
        self.lease = lease
        self.options = options
    }

    /// Runs one statement of the transaction.
    public func run(_ call: StatementCall) async throws(DatabaseError) -> Exchange {
        try await lease.finish(start(call))
    }

    /// Sends a statement whose rows are asked for later.
    ///
    /// What is sent in a row makes one way to the server and back. Where one is refused, so are
    /// those behind it.
    public func ask<Row>(
        _ statement: Statement<Row>,
        _ parameters: any PostgresValue...
    ) throws(DatabaseError) -> PendingRows<Row> {
        let call = StatementCall(text: statement.text, parameters: parameters)
        return PendingRows(exchange: try start(call), statement: statement, lease: lease)
    }

    /// Sends a statement for its effect, and waits for nothing: the commit throws its refusal.
    public func send(
        _ statement: Statement<Void>,
        _ parameters: any PostgresValue...
    ) throws(DatabaseError) {
        unawaited.append(try start(StatementCall(text: statement.text, parameters: parameters)))
    }

    private func start(_ call: StatementCall) throws(DatabaseError) -> Exchange {
        guard state != .over else { throw .misuse(.used) }
        let begin: StaticString? = state == .fresh ? options.begin : nil
        let exchange = try lease.start(call, begin: begin, mayCommit: false)
        state = .begun
        return exchange
    }

    /// Sends BEGIN by itself: scripts and COPY cannot carry it.
    func begin() async throws(DatabaseError) {
        if state == .fresh { try await execute(nothingStatement) }
    }

    // MARK: Settings until its end

    /// How long it waits for a lock before 55P03.
    public func setLockTimeout(milliseconds: Int) throws(DatabaseError) {
        try send(setLocalStatement, "lock_timeout", String(milliseconds))
    }

    /// Has its statements planned once a connection, whatever their parameters: for those that know
    /// their indexes, and whose lists are about as long each time.
    public func planOnce() throws(DatabaseError) {
        try send(setLocalStatement, "plan_cache_mode", "force_generic_plan")
    }

    /// How long each of its statements may run before 57014.
    public func setStatementTimeout(milliseconds: Int) async throws(DatabaseError) {
        try await set("statement_timeout", to: String(milliseconds))
    }

    /// SET LOCAL: a setting until the transaction's end.
    public func set(_ name: StaticString, to value: String) async throws(DatabaseError) {
        try await execute(setLocalStatement, name.description, value)
    }

    // MARK: The end

    /// COMMIT; its answer is waited for even if the task is cancelled, for it has to be known.
    func commit() async throws(DatabaseError) {
        guard state == .begun else {
            state = .over
            return
        }
        let database = lease.database
        try lease.checkUse()
        let deadline = lease.waitDeadline()
        // Whoever asked has gone: what was done is rolled back rather than committed unseen.
        try database.checkTime(deadline)
        state = .over
        let grace = monotonicNanoseconds() + commitGraceNanoseconds
        let exchange = Exchange(on: database.loop, deadline: max(deadline, grace))
        exchange.mayCommit = true
        lease.connection.send("commit", exchange)
        database.arm(exchange.deadline)
        do {
            try await exchange.waitUncancelled()
        } catch {
            guard case .deadline = error else { throw error }
            if lease.isAlive { lease.connection.lost() }
            throw .connectionLost(duringCommit: true)
        }
        if exchange.commandTag == "COMMIT" { return }
        // Answers come in order: all of these are over.
        for exchange in unawaited { try await lease.finish(exchange) }
        throw .rolledBack
    }

    /// ROLLBACK, which nobody waits for: the connection's next statement comes after it anyway.
    func rollBack() {
        guard state == .begun else {
            state = .over
            return
        }
        state = .over
        if lease.isAlive { lease.connection.sendHousekeeping(["rollback"]) {} }
    }
}

/// Rows that are on their way.
public struct PendingRows<Row> {
    fileprivate let exchange: Exchange
    fileprivate let statement: Statement<Row>
    fileprivate let lease: LeasedConnection

    /// The rows, once they are there.
    public func rows() async throws(DatabaseError) -> [Row] {
        try await lease.finish(exchange).rows(of: statement)
    }
}

private let commitGraceNanoseconds: UInt64 = 2_000_000_000
private let nothingStatement = Statement("select")
private let setLocalStatement = Statement("select set_config($1, $2, true)")
