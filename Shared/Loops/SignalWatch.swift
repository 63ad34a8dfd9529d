internal import CGlibcSystem
internal import CLibevent

/// Calls back on the loop when the process receives a signal.
///
/// One loop alone may watch signals.
@safe public final class SignalWatch {
    private var event: OpaquePointer?
    private var received: (() -> Void)?
    private var retained: Unmanaged<SignalWatch>?

    /// Watches `signal` (a number such as `SIGTERM`) on `loop`, before or while it turns.
    public init(_ signal: Int32, on loop: EventLoop, _ received: @escaping () -> Void) {
        self.received = received
        unsafe retained = Unmanaged.passRetained(self)
        unsafe event = event_new(
            loop.base,
            signal,
            Int16(EV_SIGNAL | EV_PERSIST),
            signalReceived,
            retained?.toOpaque()
        )
        unsafe _ = event_add(event, nil)
    }

    fileprivate func fire() { received?() }

    /// Stops watching.
    public func cancel() {
        if let event = unsafe event {
            unsafe event_free(event)
            unsafe self.event = nil
        }
        received = nil
        if let retained = unsafe retained {
            unsafe self.retained = nil
            unsafe retained.release()
        }
    }
}

private func signalReceived(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    // Safety: the watch was retained when it was made and is released by `cancel`.
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

/// Gives large blocks back to the system when freed, or argon2 leaves 80 MB resident.
public func returnLargeBlocksToSystem() {
    mallopt(M_MMAP_THRESHOLD, 128 * 1024)
}
