internal import CGlibcSystem
internal import CLibpq
internal import Loops

/// One connection's life, over and over.
///
/// ```
/// idle ──open──▶ connecting ──▶ ready ──lost──▶ idle ──(after a pause)──▶ connecting
///                    └──failed──▶ idle            │
///                          ready ──abort──▶ aborting ──(cancelled at the server)──▶ idle
/// any ──close──▶ closed
/// ```
/// Invariants:
/// - `inFlight` mirrors libpq's own queue of commands: each exchange is one segment with one Sync;
/// - the descriptor's watch is gone before libpq may close the descriptor (`PQfinish`, each
///   `PQconnectPoll`);
/// - ready connections are in pipeline mode unless `plain` (a script or COPY of a lease's holder).
@safe final class Connection {
    enum State { case idle, connecting, ready, aborting, closed }

    let loop: EventLoop
    let configuration: DatabaseConfiguration
    // Cannot fire: a database is closed before it goes, and a closed one asks its pool nothing.
    unowned let pool: ConnectionPool
    var state: State = .idle
    /// Counts the sessions: what belongs to one must not touch the next.
    private(set) var session: UInt64 = 0
    /// Exchanges under way or promised (shared), or 1 while it is lent (leased).
    var load = 0
    var inFlight = RingQueue<Exchange>()
    var prepared: PreparedStatements
    /// A script or COPY runs: no pipeline, an answer ends with NULL rather than Sync.
    var plain = false
    /// The server waits for COPY's data.
    var copying = false
    /// Who waits for the server to ask for COPY's data.
    var copyReady: Exchange?
    /// Who waits for the output to drain.
    var drained: Exchange?
    var handle: OpaquePointer?
    var watch: DescriptorWatch?
    /// The watch looks for room to write, too.
    var isWriting = false
    private var timer: LoopTimer?
    private var failures = 0
    /// Counts the attempts: a name may be resolved when its attempt is over.
    private var attempt: UInt64 = 0

    init(pool: ConnectionPool, loop: EventLoop, configuration: DatabaseConfiguration) {
        self.pool = pool
        self.loop = loop
        self.configuration = configuration
        prepared = PreparedStatements(countMax: configuration.preparedStatementsMax)
    }

    /// What its timer and its watch call is unowned, for they are cancelled here: a weak reference
    /// would have each retain of the connection pass through a side table.
    deinit {
        watch?.cancel()
        timer?.cancel()
        if let handle = unsafe handle { unsafe PQfinish(handle) }
    }

    // MARK: Connecting

    /// Whether it neither serves nor tries to, and no pause is on.
    var canOpen: Bool { state == .idle && timer == nil }

    /// Whether it tries to connect and has not failed at it before.
    var isFirstAttempt: Bool { state == .connecting && failures == 0 }

    /// Begins to connect, unless a pause after a failure is on.
    func open() {
        guard canOpen else { return }
        state = .connecting
        attempt += 1
        // Cannot fire: `deinit` cancels it, as it does what else refers to this unowned.
        timer = loop.schedule(
            afterNanoseconds: configuration.connectMillisecondsMax * 1_000_000
        ) { [unowned self] in
            timer = nil
            failed("no answer within \(configuration.connectMillisecondsMax) ms")
        }
        if case .name(let name, _) = configuration.server {
            resolve(name)
        } else {
            start(configuration.parameters())
        }
    }

    /// Resolves the server's name; anew where the last attempt failed, for the server may have
    /// moved.
    private func resolve(_ name: String) {
        guard let resolve = pool.resolve else { return failed("\(name) cannot be resolved here") }
        let (attempt, afresh) = (attempt, failures > 0)
        let resolving = LoopBound(resolve, to: loop.actor)
        let owner = LoopBound(self, to: loop.actor)
        loop.actor.spawn { actor in
            let resolved: Result<[String], any Error>
            do {
                resolved = .success(try await resolving.on(actor)(name, afresh))
            } catch {
                resolved = .failure(error)
            }
            owner.on(actor).resolved(name, resolved, in: attempt)
        }
    }

    private func resolved(
        _ name: String,
        _ outcome: Result<[String], any Error>,
        in attempt: UInt64
    ) {
        guard state == .connecting, attempt == self.attempt else { return }
        switch outcome {
        case .success(let addresses) where !addresses.isEmpty:
            // Each attempt begins with another: one that swallows everything holds up only its own.
            let first = failures % addresses.count
            let turned = Array(addresses[first...] + addresses[..<first])
            start(configuration.parameters(resolved: turned))
        case .success: failed("\(name) has no address")
        case .failure(let error): failed("\(name) is not resolved: \(error)")
        }
    }

    private func start(_ parameters: [(String, String)]) {
        unsafe handle = connectStart(parameters)
        guard let handle = unsafe handle, unsafe PQstatus(handle) != CONNECTION_BAD else {
            return failed()
        }
        unsafe _ = PQsetNoticeProcessor(handle, ignoreNotice, nil)
        look(for: .writable)
    }

    private func look(for interest: Readiness) {
        guard let handle = unsafe handle else { return }
        watch?.cancel()
        let descriptor = unsafe PQsocket(handle)
        guard descriptor >= 0 else { return failed() }
        let watch = DescriptorWatch(descriptor, on: loop, edgeTriggered: false)
        self.watch = watch
        // Cannot fire: see `deinit`.
        watch.start(for: interest) { [unowned self] readiness in ready(readiness) }
    }

    private func ready(_ readiness: Readiness) {
        switch state {
        case .connecting: poll()
        case .ready: transfer(readiness)
        case .idle, .aborting, .closed: break
        }
    }

    private func poll() {
        guard let handle = unsafe handle else { return }
        // libpq may go on with another descriptor (TLS refused, next address).
        watch?.cancel()
        watch = nil
        switch unsafe PQconnectPoll(handle) {
        case PGRES_POLLING_READING: look(for: .readable)
        case PGRES_POLLING_WRITING: look(for: .writable)
        case PGRES_POLLING_OK: unsafe connected(handle)
        default: failed()
        }
    }

    private func connected(_ handle: OpaquePointer) {
        guard unsafe PQsetnonblocking(handle, 1) == 0, unsafe PQenterPipelineMode(handle) == 1
        else { return failed() }
        timer?.cancel()
        timer = nil
        state = .ready
        session += 1
        load = 0
        look(for: .readable)
        pool.becameReady(self)
    }

    private func failed(_ reason: String? = nil) {
        let message = reason ?? errorMessage
        discard()
        pool.counters.connectFailures += 1
        pauseThenOpen()
        pool.couldNotConnect(self, message)
    }

    var errorMessage: String {
        guard let handle = unsafe handle, let text = unsafe PQerrorMessage(handle) else {
            return "out of memory"
        }
        return unsafe String(cString: text).split(separator: "\n").joined(separator: " ")
    }

    /// Half to the whole of a pause that doubles with each failure in a row.
    private func pauseThenOpen() {
        guard state != .closed else { return }
        let shift = UInt64(min(failures, 16))
        failures += 1
        let pause = min(
            configuration.backOffMillisecondsMax,
            configuration.backOffMillisecondsMin << shift
        )
        let jittered = UInt64.random(in: pause * 500_000...max(1, pause * 1_000_000))
        timer?.cancel()
        // Cannot fire: see `deinit`.
        timer = loop.schedule(afterNanoseconds: jittered) { [unowned self] in
            timer = nil
            open()
        }
    }

    // MARK: Ending

    /// Frees libpq's part and fails what is under way.
    private func discard() {
        watch?.cancel()
        watch = nil
        timer?.cancel()
        timer = nil
        if let handle = unsafe handle { unsafe PQfinish(handle) }
        unsafe handle = nil
        prepared = PreparedStatements(countMax: configuration.preparedStatementsMax)
        isWriting = false
        plain = false
        copying = false
        load = 0
        if state != .closed { state = .idle }
        let broken = inFlight
        inFlight = RingQueue()
        broken.forEach { exchange in
            exchange.end(.connectionLost(duringCommit: exchange.mayCommit))
            exchange.finished?()
        }
        copyReady?.end(.connectionLost(duringCommit: false))
        copyReady = nil
        drained?.end(.connectionLost(duringCommit: false))
        drained = nil
    }

    /// The server is gone, or has ended this session.
    func lost() {
        guard state == .ready else { return }
        discard()
        pool.counters.connectionsLost += 1
        pauseThenOpen()
        pool.wasLost(self)
    }

    /// A statement's answer came: the connection is good.
    func proved() { failures = 0 }

    /// Ends the session with its statement: a lease's holder gave up waiting.
    ///
    /// Cancelling connects and blocks, hence the pool; the budget keeps the place until it is done.
    func abort() {
        guard state == .ready, let handle = unsafe handle else { return }
        let cancel = unsafe PQgetCancel(handle)
        unsafe self.handle = nil
        discard()
        state = .aborting
        pool.counters.aborted += 1
        let ending = unsafe Ending(handle: handle, cancel: cancel)
        let owner = LoopBound(self, to: loop.actor)
        loop.actor.spawn { actor in
            try? await cancelPool.run { ending.cancelStatement() }
            ending.finish()
            owner.on(actor).aborted()
        }
    }

    private func aborted() {
        guard state == .aborting else { return }
        state = .idle
        pool.wasAborted(self)
    }

    /// Ends it for good.
    func close() {
        state = .closed
        discard()
    }
}

/// Cancels statements of leases, off the loops.
private let cancelPool = BlockingPool(threads: 2, queueMax: 256)

// Safety: `cancelStatement` uses the cancel object alone, which libpq documents as safe on any
// thread; `finish` runs after it, once, on the loop.
/// A session on its way out.
@safe private final class Ending: @unchecked Sendable {
    private let handle: OpaquePointer
    private let cancel: OpaquePointer?

    init(handle: OpaquePointer, cancel: OpaquePointer?) {
        unsafe self.handle = handle
        unsafe self.cancel = cancel
    }

    func cancelStatement() {
        guard let cancel = unsafe cancel else { return }
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            unsafe _ = PQcancel(cancel, buffer.baseAddress, 256)
        }
    }

    func finish() {
        unsafe PQfreeCancel(cancel)
        unsafe PQfinish(handle)
    }
}

/// Starts a connection with these keywords and values.
private func connectStart(_ parameters: [(String, String)]) -> OpaquePointer? {
    var keywords = unsafe parameters.map { unsafe UnsafePointer(strdup($0.0)) }
    var values = unsafe parameters.map { unsafe UnsafePointer(strdup($0.1)) }
    defer {
        unsafe keywords.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) }
        unsafe values.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) }
    }
    unsafe keywords.append(nil)
    unsafe values.append(nil)
    return unsafe PQconnectStartParams(keywords, values, 0)
}

/// Notices of the server would go to standard error.
private func ignoreNotice(_: UnsafeMutableRawPointer?, _: UnsafePointer<CChar>?) {}
