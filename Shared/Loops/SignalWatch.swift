internal import CGlibcSystem
internal import CLibevent

/// Calls back on the loop when the process receives a signal.
///
/// One loop alone may watch signals.
@safe public final class SignalWatch: LoopWatch {
    private var event: OpaquePointer?
    private var received: (() -> Void)?
    private let loop: EventLoop

    /// Watches `signal` (a number such as `SIGTERM`) on `loop`, before or while it turns.
    public init(_ signal: Int32, on loop: EventLoop, _ received: @escaping () -> Void) {
        self.received = received
        self.loop = loop
        unsafe event = event_new(
            loop.base,
            signal,
            Int16(EV_SIGNAL | EV_PERSIST),
            signalReceived,
            Unmanaged.passUnretained(self).toOpaque()
        )
        unsafe _ = event_add(event, nil)
        loop.add(self)
    }

    fileprivate func fire() { received?() }

    /// Stops watching.
    public func cancel() {
        if let event = unsafe event {
            unsafe event_free(event)
            unsafe self.event = nil
        }
        received = nil
        loop.remove(self)
    }

    func loopEnds() { cancel() }
}

private func signalReceived(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    // Safety: the loop keeps the watch until `cancel`.
    unsafe Unmanaged<SignalWatch>.fromOpaque(context).takeUnretainedValue().fire()
}

/// Writing to a closed socket is an error code, never a signal.
///
/// Called first in every main.
public func ignoreBrokenPipes() {
    var ignore = sigaction()
    unsafe ignore.__sigaction_handler.sa_handler = unsafe unsafeBitCast(1, to: __sighandler_t?.self)
    unsafe _ = sigaction(SIGPIPE, &ignore, nil)
}

/// Gives large blocks back to the system when freed, so that a large body leaves nothing resident.
///
/// A little of what was small is kept: given back at once, too, its pages are cleared anew for each
/// batch of requests.
public func returnLargeBlocksToSystem() {
    mallopt(M_MMAP_THRESHOLD, 256 * 1024)
    mallopt(M_TRIM_THRESHOLD, 2 << 20)
}

/// Keeps blocks up to 32 MiB when freed, for who takes as large ones again and again: having the
/// system clear their pages anew costs argon2 a sixth of its time.
///
/// Whoever calls this calls `giveBackFreeMemory` now and then.
public func keepLargeBlocks() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20)
    mallopt(M_TRIM_THRESHOLD, 64 << 20)
}

/// Gives what is free back to the system, of every thread.
public func giveBackFreeMemory() {
    malloc_trim(0)
}

/// Takes all the descriptors that the system allows: the soft limit is there for programs that
/// use `select`, and with its usual 1,024 a server holds no thousand connections.
///
/// Called first in every main.
public func raiseDescriptorLimit() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    unsafe _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
