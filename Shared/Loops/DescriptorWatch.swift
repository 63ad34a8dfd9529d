internal import CLibevent

/// Which directions of a descriptor are ready.
public struct Readiness: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// From bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// There is something to read, or the peer has closed.
    public static let readable = Readiness(rawValue: 1)
    /// There is room to write, or the descriptor has failed.
    public static let writable = Readiness(rawValue: 2)
    /// The peer will send no more; what it has sent may still be read.
    public static let closed = Readiness(rawValue: 4)
}

/// Tells when a descriptor is ready.
///
/// On-loop only; the owner closes the descriptor after `cancel`.
///
/// Edge-triggered (one `epoll_ctl` in a connection's life) for sockets that are read until they
/// would block; level-triggered for descriptors that a C library reads (libpq, libcurl).
@safe public final class DescriptorWatch: LoopWatch {
    private let descriptor: Int32
    private let loop: EventLoop
    private let edgeTriggered: Bool
    private var event: OpaquePointer?
    private var interest: Readiness = []
    private var ready: ((Readiness) -> Void)?
    private var loopEnded: (() -> Void)?
    /// The loop keeps the watch alive while libevent holds its address.
    private var isKept = false

    /// A watch that does not look yet.
    public init(_ descriptor: Int32, on loop: EventLoop, edgeTriggered: Bool) {
        self.descriptor = descriptor
        self.loop = loop
        self.edgeTriggered = edgeTriggered
    }

    /// Looks for `interest` and calls `ready` on the loop each time; calling again changes both.
    ///
    /// `whenLoopEnds` is called once if the loop ends before `cancel`: nothing will be ready then.
    public func start(
        for interest: Readiness = .readable,
        whenLoopEnds: (() -> Void)? = nil,
        _ ready: @escaping (Readiness) -> Void
    ) {
        self.ready = ready
        loopEnded = whenLoopEnds
        change(to: interest)
    }

    /// Looks for other directions from now on.
    public func change(to interest: Readiness) {
        guard unsafe event == nil || interest != self.interest else { return }
        self.interest = interest
        if let event = unsafe event {
            unsafe _ = event_del(event)
            unsafe event_free(event)
            unsafe self.event = nil
        }
        // An ended loop has no base to add to.
        guard !interest.isEmpty, !loop.isEnding else { return }
        var flags = Int16(EV_PERSIST)
        if interest.contains(.readable) { flags |= Int16(EV_READ) }
        if interest.contains(.writable) { flags |= Int16(EV_WRITE) }
        if interest.contains(.closed) { flags |= Int16(EV_CLOSED) }
        if edgeTriggered { flags |= Int16(EV_ET) }
        if !isKept { loop.add(self) }
        isKept = true
        unsafe event = event_new(
            loop.base,
            descriptor,
            flags,
            descriptorReady,
            Unmanaged.passUnretained(self).toOpaque()
        )
        let added = unsafe event_add(event, nil)
        // Cannot fire: descriptors are open sockets of ours, fewer than the system lets us open.
        precondition(added == 0, "event_add failed")
    }

    /// Stops looking and lets go of `ready`.
    public func cancel() {
        ready = nil
        loopEnded = nil
        interest = []
        if let event = unsafe event {
            unsafe _ = event_del(event)
            unsafe event_free(event)
            unsafe self.event = nil
        }
        if isKept {
            isKept = false
            loop.remove(self)
        }
    }

    func loopEnds() {
        let told = loopEnded
        cancel()
        told?()
    }

    fileprivate func fire(_ what: Int16) {
        var readiness: Readiness = []
        if what & Int16(EV_READ) != 0 { readiness.insert(.readable) }
        if what & Int16(EV_WRITE) != 0 { readiness.insert(.writable) }
        if what & Int16(EV_CLOSED) != 0 { readiness.insert(.closed) }
        ready?(readiness)
    }
}

private func descriptorReady(_: Int32, what: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    // Safety: the loop keeps the watch for as long as libevent holds this address.
    let watch = unsafe Unmanaged<DescriptorWatch>.fromOpaque(context).takeUnretainedValue()
    watch.fire(what)
}
