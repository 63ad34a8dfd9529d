internal import CNats
internal import Loops
internal import Synchronization

// Safety: nats.c documents its objects as safe to use from any thread; the pointer is set once
// and destroyed only in deinit, when no call can be under way.
/// One connection to the broker for the whole process, made again for ever.
///
/// nats.c runs threads of its own; what they call back touches atomics here and posts to loops.
/// Calls that block are made on `BlockingPool` threads, never on a loop.
@safe public final class NatsConnection: @unchecked Sendable {
    /// How it is reached.
    public let configuration: NatsConfiguration
    let watch = ConnectionWatch()
    /// The library's object, as an address; 0 until the first attempt has returned.
    private let address = Atomic<UInt>(0)
    private let started = Atomic<Bool>(false)

    /// A connection that is not being made yet.
    public init(_ configuration: NatsConfiguration) { self.configuration = configuration }

    /// Begins to connect, on a thread of its own, and goes on for ever.
    ///
    /// A broker that is down is no error: `isConnected` tells, and it is tried again.
    public func start() {
        guard !started.exchange(true, ordering: .acquiringAndReleasing) else { return }
        startThread { [self] in
            while !watch.isClosed {
                do throws(NatsError) {
                    let made = try unsafe connect()
                    address.store(UInt(bitPattern: made), ordering: .releasing)
                    // Only now may others hear of it: what they call finds the pointer.
                    if unsafe natsConnection_Status(made) == NATS_CONN_STATUS_CONNECTED {
                        watch.connected()
                    }
                    if watch.isClosed { unsafe natsConnection_Close(made) }
                    return
                } catch {
                    // A name that does not resolve, or a refused configuration: again later.
                    watch.fail(error)
                    nats_Sleep(configuration.reconnectMilliseconds)
                }
            }
        }
    }

    /// Whether the broker is reachable now.
    public var isConnected: Bool { watch.isConnected }

    /// How often a connection was made; a change means that what was in flight may be lost.
    public var generation: UInt64 { watch.generation }

    /// Calls `changed` from a thread of the library at each connect, disconnect and close.
    ///
    /// It only posts to a loop or sets an atomic.
    public func onChange(_ changed: @escaping @Sendable () -> Void) { watch.listen(changed) }

    /// Ends the connection and everything that waits on it.
    public func close() {
        watch.close()
        if let held = unsafe pointer { unsafe natsConnection_Close(held) }
    }

    /// Runs `body` with the library's connection.
    /// - Throws: `.disconnected` while the first attempt is under way.
    func with<Value>(
        _ body: (OpaquePointer) throws(NatsError) -> Value
    ) throws(NatsError) -> Value {
        guard !watch.isClosed else { throw .closed }
        guard let held = unsafe pointer else { throw .disconnected }
        return try unsafe body(held)
    }

    private var pointer: OpaquePointer? {
        unsafe OpaquePointer(bitPattern: address.load(ordering: .acquiring))
    }

    private func connect() throws(NatsError) -> OpaquePointer {
        var options: OpaquePointer?
        try unsafe check(natsOptions_Create(&options), "natsOptions_Create")
        defer { unsafe natsOptions_Destroy(options) }
        try unsafe setServers(of: options)
        // Safety: retained for the process's life, for the library may call back after a close;
        // it is a few words, and a process has one connection.
        let context = unsafe Unmanaged.passRetained(watch).toOpaque()
        try unsafe check(natsOptions_SetMaxReconnect(options, -1), "SetMaxReconnect")
        let pause = configuration.reconnectMilliseconds
        try unsafe check(natsOptions_SetReconnectWait(options, pause), "SetReconnectWait")
        try unsafe check(natsOptions_SetReconnectJitter(options, pause, pause), "SetJitter")
        try unsafe check(
            natsOptions_SetTimeout(options, configuration.connectMillisecondsMax),
            "SetTimeout"
        )
        try unsafe check(natsOptions_SetPingInterval(options, 5_000), "SetPingInterval")
        try unsafe check(natsOptions_SetMaxPingsOut(options, 2), "SetMaxPingsOut")
        try unsafe check(natsOptions_SetWriteDeadline(options, 5_000), "SetWriteDeadline")
        try unsafe check(
            natsOptions_SetFailRequestsOnDisconnect(options, true),
            "SetFailRequestsOnDisconnect"
        )
        try unsafe check(
            natsOptions_SetRetryOnFailedConnect(options, true, connectionMade, context),
            "SetRetryOnFailedConnect"
        )
        try unsafe check(
            natsOptions_SetReconnectedCB(options, connectionMade, context),
            "SetReconnectedCB"
        )
        try unsafe check(
            natsOptions_SetDisconnectedCB(options, connectionLost, context),
            "SetDisconnectedCB"
        )
        try unsafe check(natsOptions_SetErrorHandler(options, errorSeen, context), "SetError")
        var made: OpaquePointer?
        try unsafe check(natsConnection_Connect(&made, options), "natsConnection_Connect")
        guard let connection = unsafe made else { throw .disconnected }
        return unsafe connection
    }

    private func setServers(of options: OpaquePointer?) throws(NatsError) {
        var texts = unsafe configuration.urls.map { unsafe copyText($0) }
        defer { unsafe texts.forEach { unsafe $0?.deallocate() } }
        let count = unsafe Int32(texts.count)
        try unsafe check(natsOptions_SetServers(options, &texts, count), "SetServers")
        try unsafe check(natsOptions_SetName(options, configuration.name), "SetName")
        if let user = configuration.user {
            let password = configuration.password ?? ""
            try unsafe check(natsOptions_SetUserInfo(options, user, password), "SetUserInfo")
        }
        if let file = configuration.authorityFile {
            try unsafe check(natsOptions_SetSecure(options, true), "SetSecure")
            try unsafe check(natsOptions_LoadCATrustedCertificates(options, file), "LoadCA")
        }
    }

    deinit {
        watch.close()
        if let held = unsafe pointer { unsafe natsConnection_Destroy(held) }
    }
}

/// What the library's threads tell of a connection.
final class ConnectionWatch: Sendable {
    private let up = Atomic<Bool>(false)
    private let ended = Atomic<Bool>(false)
    private let connects = Atomic<UInt64>(0)
    private let listeners = Mutex<[@Sendable () -> Void]>([])
    private let problem = Mutex<NatsError?>(nil)

    var isConnected: Bool { up.load(ordering: .acquiring) && !isClosed }
    var isClosed: Bool { ended.load(ordering: .acquiring) }
    var generation: UInt64 { connects.load(ordering: .acquiring) }
    /// The last thing that went wrong, for logs.
    var lastProblem: NatsError? { problem.withLock { $0 } }

    func listen(_ changed: @escaping @Sendable () -> Void) {
        listeners.withLock { $0.append(changed) }
    }

    func connected() {
        connects.add(1, ordering: .acquiringAndReleasing)
        up.store(true, ordering: .releasing)
        tell()
    }

    func disconnected() {
        up.store(false, ordering: .releasing)
        tell()
    }

    func fail(_ error: NatsError) { problem.withLock { $0 = error } }

    func close() {
        guard !ended.exchange(true, ordering: .acquiringAndReleasing) else { return }
        tell()
        listeners.withLock { $0 = [] }
    }

    private func tell() {
        for listener in listeners.withLock({ $0 }) { listener() }
    }
}

// MARK: Called by the library's threads

private func connectionWatch(_ context: UnsafeMutableRawPointer?) -> ConnectionWatch? {
    guard let context = unsafe context else { return nil }
    // Safety: retained for the process's life when it was handed over.
    return unsafe Unmanaged<ConnectionWatch>.fromOpaque(context).takeUnretainedValue()
}

private func connectionMade(_: OpaquePointer?, context: UnsafeMutableRawPointer?) {
    unsafe connectionWatch(context)?.connected()
}

private func connectionLost(_: OpaquePointer?, context: UnsafeMutableRawPointer?) {
    unsafe connectionWatch(context)?.disconnected()
}

private func errorSeen(
    _: OpaquePointer?,
    _: OpaquePointer?,
    status: natsStatus,
    context: UnsafeMutableRawPointer?
) {
    guard let error = natsError(status, "asynchronous") else { return }
    unsafe connectionWatch(context)?.fail(error)
}

/// A copy of `text` for C, which the caller deallocates.
func copyText(_ text: String) -> UnsafePointer<CChar>? {
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { unsafe (copy + index).initialize(to: byte) }
    return unsafe UnsafePointer(copy)
}
