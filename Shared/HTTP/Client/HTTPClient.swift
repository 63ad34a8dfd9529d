internal import CGlibcSystem
internal import Glibc
public import Loops

/// The kept-alive connections of one loop to one upstream.
public final class Upstream {
    /// Numeric address and port, as configured.
    public let address: String
    /// The numeric address.
    public let host: String
    /// The port.
    public let port: Int
    let loop: EventLoop
    let limits: ClientLimits
    private let tls: TLSContext?
    private let serverName: String?
    private var idle: [ClientConnection] = []
    private var waiters: [Wait<Void>] = []
    /// Those that the pool's bound counts.
    private var open = 0
    /// Connections whose answer has no end.
    public private(set) var streamCount = 0
    private var active: [ClientConnection] = []
    private var sweep: LoopTimer?

    private let spares = ClientSpares()
    /// What the server's ticket lets the next connection take up.
    private var session: SavedSession?
    /// Connections whose handshake took up an earlier session.
    public private(set) var resumedCount = 0
    /// Connections that are in use.
    public var activeCount: Int { active.count }
    /// Requests that wait for a connection.
    public var waitingCount: Int { waiters.count }

    private var sweepIsSlow = false

    static let sweepNanoseconds: UInt64 = 20_000_000
    static let idleSweepNanoseconds: UInt64 = 1_000_000_000

    /// The connections of `loop` to a numeric address.
    public init(
        host: String,
        port: Int,
        loop: EventLoop,
        limits: ClientLimits = ClientLimits(),
        tls: TLSContext? = nil,
        serverName: String? = nil
    ) {
        self.host = host
        self.port = port
        address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        self.loop = loop
        self.limits = limits
        self.tls = tls
        self.serverName = serverName
    }

    /// The upstream may go before its loop.
    deinit { sweep?.cancel() }

    /// How many connections stand, used or not.
    public var connectionCount: Int { open + streamCount }

    /// Sends a request and reads the head of its answer.
    ///
    /// A kept connection may turn out closed: where nothing could be sent, or not a byte of an
    /// answer came and the request may be repeated (no streamed body, and a safe method or the
    /// caller's word), it goes out again on a new one, once.
    ///
    /// Cancelling the task ends the wait, as the deadline does.
    ///
    /// `fields` appends further end-to-end fields where they are to be sent, each time.
    public func send(
        _ request: ClientRequest,
        adding fields: (inout HeaderBlock) -> Void = { _ in }
    ) async throws(HTTPClientError) -> HTTPExchange {
        let connection: ClientConnection
        if let kept = takeIdle(deadline: request.deadline) {
            connection = kept
        } else {
            connection = try await acquire(deadline: request.deadline)
        }
        let wasKept = connection.served > 0
        do {
            let head = try await connection.exchange(request, adding: fields)
            return HTTPExchange(connection, upstream: self, head: head)
        } catch {
            release(connection, reusable: false)
            guard wasKept, connection.hasReadNothing, request.mayBeSentAgain(after: error),
                loop.now < request.deadline
            else { throw error }
            // Whoever closed it may have acted on the request, though nobody answers there now.
            let fresh: ClientConnection
            do {
                fresh = try await connect(deadline: request.deadline)
            } catch .cannotConnect where error == .closed(afterSending: true) {
                throw .closed(afterSending: true)
            }
            do {
                let head = try await fresh.exchange(request, adding: fields)
                return HTTPExchange(fresh, upstream: self, head: head)
            } catch {
                release(fresh, reusable: false)
                throw error
            }
        }
    }

    private func takeIdle(deadline: UInt64) -> ClientConnection? {
        while let connection = idle.popLast() {
            if connection.isReusable {
                activate(connection, deadline: deadline)
                return connection
            }
            open -= 1
            connection.close()
        }
        return nil
    }

    private func acquire(deadline: UInt64) async throws(HTTPClientError) -> ClientConnection {
        while true {
            if let kept = takeIdle(deadline: deadline) { return kept }
            if open < limits.connectionsMax { return try await connect(deadline: deadline) }
            guard waiters.count < limits.waitersMax else { throw .tooManyWaiting }
            let wait = Wait<Void>(on: loop)
            waiters.append(wait)
            let timer = loop.schedule(at: deadline) {
                wait.resume(throwing: HTTPClientError.deadline(afterSending: false))
            }
            defer { timer.cancel() }
            do {
                try await wait.value()
            } catch {
                waiters.removeAll { $0 === wait }
                throw .deadline(afterSending: false)
            }
        }
    }

    private func connect(deadline: UInt64) async throws(HTTPClientError) -> ClientConnection {
        open += 1
        do throws(HTTPClientError) {
            let connection = try makeConnection()
            // Cannot wrap: limits are of the settings, minutes at most, and are added to the clock.
            let limit = loop.now &+ limits.connectNanoseconds
            activate(connection, deadline: min(deadline, limit))
            do throws(TransportError) {
                try await connection.establish()
            } catch {
                deactivate(connection)
                connection.close()
                // Who had less time than a connection may take learns nothing about the upstream.
                guard error == .timedOut, loop.now < limit else {
                    throw HTTPClientError.cannotConnect
                }
                throw HTTPClientError.deadline(afterSending: false)
            }
            connection.deadline = deadline
            if connection.transport.isResumed { resumedCount += 1 }
            return connection
        } catch {
            open -= 1
            wakeOne()
            throw error
        }
    }

    private func makeConnection() throws(HTTPClientError) -> ClientConnection {
        guard let socketAddress = SocketAddress(host: host, port: port) else {
            throw .cannotConnect
        }
        let descriptor = socket(
            socketAddress.family,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
                | Int32(SOCK_CLOEXEC.rawValue),
            0
        )
        guard descriptor >= 0 else { throw .cannotConnect }
        setNoDelay(descriptor)
        // Safety: the kernel copies the address before the call returns.
        let result = unsafe socketAddress.withPointer {
            unsafe Glibc.connect(descriptor, $0, $1)
        }
        guard result == 0 || errno == EINPROGRESS else {
            Glibc.close(descriptor)
            throw .cannotConnect
        }
        var secure: TLSSession?
        if let tls {
            secure = tls.session(
                descriptor: descriptor,
                isServer: false,
                serverName: serverName ?? host,
                earlier: session
            )
            // Never in the clear where it was to be secret.
            guard secure != nil else {
                Glibc.close(descriptor)
                throw .cannotConnect
            }
        }
        return ClientConnection(
            transport: Transport(
                descriptor: descriptor,
                loop: loop,
                tls: secure,
                endsWithTask: true
            ),
            limits: limits,
            spares: spares
        )
    }

    /// Counts a connection that is in use among the streams from now on; false: there is no room.
    func makeStream(_ connection: ClientConnection) -> Bool {
        guard streamCount < limits.streamsMax else { return false }
        connection.isStream = true
        streamCount += 1
        open -= 1
        wakeOne()
        return true
    }

    func release(_ connection: ClientConnection, reusable: Bool) {
        deactivate(connection)
        if connection.isStream {
            streamCount -= 1
            connection.close()
            return
        }
        if reusable, connection.isReusable {
            connection.idleSince = loop.now
            connection.rest()
            // The ticket has come with the first answer at the latest.
            if tls != nil, connection.served == 1 {
                session = connection.transport.savedSession ?? session
            }
            idle.append(connection)
            if sweep == nil { armSweep() }
        } else {
            open -= 1
            connection.close()
        }
        wakeOne()
    }

    private func wakeOne() {
        while !waiters.isEmpty {
            if waiters.removeFirst().resume(returning: ()) { return }
        }
    }

    private func activate(_ connection: ClientConnection, deadline: UInt64) {
        connection.deadline = deadline
        connection.position = active.count
        active.append(connection)
        if sweepIsSlow {
            sweep?.cancel()
            sweep = nil
        }
        if sweep == nil { armSweep() }
    }

    private func deactivate(_ connection: ClientConnection) {
        guard connection.position >= 0 else { return }
        let last = active.removeLast()
        if last !== connection {
            active[connection.position] = last
            last.position = connection.position
        }
        connection.position = -1
    }

    /// Ends what is over its deadline or given up, drops what was idle too long or was closed by
    /// the peer; no timer per request, and few turns while nothing is under way.
    private func armSweep() {
        sweepIsSlow = active.isEmpty
        let wait = sweepIsSlow ? Self.idleSweepNanoseconds : Self.sweepNanoseconds
        // Cannot fire: `deinit` cancels it. Not weak: see the server's.
        sweep = loop.schedule(afterNanoseconds: wait) { [unowned self] in checkConnections() }
    }

    private func checkConnections() {
        sweep = nil
        let now = loop.now
        for connection in active {
            if connection.deadline <= now {
                connection.transport.interrupt(.timedOut)
            } else {
                connection.transport.endIfCancelled()
            }
        }
        for connection in idle where isOver(connection, now) {
            open -= 1
            connection.close()
        }
        idle.removeAll { $0.transport.isClosed }
        if !active.isEmpty || !idle.isEmpty { armSweep() }
    }

    // Cannot wrap: it has been idle since a time of the same loop's clock.
    private func isOver(_ connection: ClientConnection, _ now: UInt64) -> Bool {
        connection.transport.peerClosed || now &- connection.idleSince > limits.idleNanoseconds
    }

    /// Closes the connections that nobody uses.
    public func closeIdle() {
        for connection in idle {
            open -= 1
            connection.close()
        }
        idle.removeAll()
    }
}
