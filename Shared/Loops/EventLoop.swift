internal import CGlibcSystem
internal import CLibevent
internal import Synchronization

/// One thread, one libevent base, and the executor of everything that belongs to it.
///
/// A loop is a `TaskExecutor` and a `SerialExecutor` in one and carries one actor, `actor`: tasks
/// started with `LoopActor.spawn` begin, wait and end on the loop's thread, so that connections,
/// pools and handlers made on a loop need no locks and no `Sendable`.
///
/// Invariants:
/// - only the loop's own thread touches the base, timers, watches and the local queue;
/// - other threads hand over work through `inbox` and wake the loop by its eventfd;
/// - jobs run in the order in which they were enqueued from one thread;
/// - when `run` returns the loop has ended: its base and descriptors are gone, its watches are off,
///   and what is handed to it from then on is dropped.
///
///     made ─▶ turning ─▶ ended
///
/// Safety: `inbox` is behind a Mutex, everything else is confined to the thread.
@safe public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// What another thread hands over.
    private enum Parcel {
        case job(UnownedJob)
        case work(@Sendable () -> Void)
    }

    /// What other threads handed over since the last turn, and whether they woke the loop for it.
    private struct Inbox {
        var parcels: [Parcel] = []
        var woken = false
        /// A thread turns the loop, or is about to.
        var isTurning = false
        var hasEnded = false
        /// The loop and its actor hold each other until the end.
        var actor: LoopActor?
    }

    /// The number of this loop within its group, from 0.
    public let index: Int
    let base: OpaquePointer
    private let wakeDescriptor: Int32
    private let inbox = Mutex(Inbox())
    private var queue = RingQueue<UnownedJob>()
    private var wakeWatch: DescriptorWatch?
    private var stopping = false
    private let thread = Atomic<UInt>(0)
    private let lagNanoseconds = Atomic<UInt64>(0)
    private let ended = Condition()
    /// What watches descriptors and signals, to be told of the end.
    private var watches: [ObjectIdentifier: any LoopWatch] = [:]
    /// On-loop only.
    private(set) var isEnding = false
    private var isFreed = false
    let timers: TimerHeap
    private var timerEvent: OpaquePointer?

    /// Monotonic nanoseconds, read once per turn of the loop.
    ///
    /// On-loop only.
    public private(set) var now: UInt64 = monotonicNanoseconds()

    /// A loop that does not turn yet; `run` turns it on the calling thread.
    public init(index: Int = 0) {
        self.index = index
        // Cannot fire: nothing comes in; loops are made at start.
        guard let base = unsafe event_base_new() else {
            preconditionFailure("event_base_new failed")
        }
        unsafe self.base = base
        wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        // Cannot fire: nothing comes in; loops are made at start.
        precondition(wakeDescriptor >= 0, "eventfd failed")
        timers = TimerHeap()
    }

    /// The actor whose executor this loop is.
    public var actor: LoopActor {
        inbox.withLock { inbox in
            if let actor = inbox.actor { return actor }
            let actor = LoopActor(loop: self)
            if !inbox.hasEnded { inbox.actor = actor }
            return actor
        }
    }

    /// Whether the caller stands on this loop's thread.
    public var isCurrent: Bool {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// The longest time that one turn took since the last call, in nanoseconds (a gauge of lag).
    public func takeLag() -> UInt64 { lagNanoseconds.exchange(0, ordering: .relaxed) }

    // MARK: Executors

    /// Queues a job of the concurrency runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            queue.append(job)
        } else {
            hand(.job(job))
        }
    }

    /// This loop as the executor of its actor.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// Traps unless the caller stands on this loop: what `assumeIsolated` asks.
    public func checkIsolated() {
        // Cannot fire: what is isolated to a loop's actor runs on that loop, whatever comes in.
        precondition(isCurrent, "not on this loop")
    }

    /// Whether the caller stands on this loop.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Runs `work` on the loop's thread, in turn; callable from any thread.
    public func post(_ work: @escaping @Sendable () -> Void) { hand(.work(work)) }

    private func hand(_ parcel: Parcel) {
        inbox.withLock { inbox in
            guard !inbox.hasEnded else { return }
            inbox.parcels.append(parcel)
            // Within the lock, for at the end the descriptor is closed and its number given away.
            if !inbox.woken { eventfd_write(wakeDescriptor, 1) }
            inbox.woken = true
        }
    }

    // MARK: Turning

    /// Turns the loop on the calling thread until `stop`.
    public func run() {
        willTurn()
        let actor = self.actor
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        let watch = DescriptorWatch(wakeDescriptor, on: self, edgeTriggered: false)
        // Cannot fire: the loop calls it from `run`, and its watch is the loop's.
        watch.start { [unowned self] _ in self.drainInbox() }
        wakeWatch = watch
        drainInbox()
        while !stopping {
            let started = monotonicNanoseconds()
            now = started
            runJobs(of: actor)
            timers.fire(until: now)
            // Cannot wrap: the clock never goes back.
            let taken = monotonicNanoseconds() &- started
            if taken > lagNanoseconds.load(ordering: .relaxed) {
                lagNanoseconds.store(taken, ordering: .relaxed)
            }
            armTimer()
            let flags = queue.isEmpty ? EVLOOP_ONCE : EVLOOP_ONCE | EVLOOP_NONBLOCK
            unsafe _ = event_base_loop(base, flags)
        }
        end(actor)
        thread.store(0, ordering: .relaxed)
        inbox.withLock { $0.isTurning = false }
        ended.broadcast()
    }

    /// Says that a thread is about to turn the loop, so that its end can be waited for.
    func willTurn() { inbox.withLock { $0.isTurning = true } }

    /// Makes `run` return after the turn under way; callable from any thread.
    public func stop() {
        post { [self] in stopping = true }
    }

    /// Blocks until no thread turns the loop any more; not on the loop's own thread.
    func waitForEnd() { ended.wait { inbox.withLock { $0.isTurning } } }

    private func drainInbox() {
        var counter: eventfd_t = 0
        unsafe _ = eventfd_read(wakeDescriptor, &counter)
        let parcels = inbox.withLock { inbox -> [Parcel] in
            let parcels = inbox.parcels
            inbox.parcels = []
            inbox.woken = false
            return parcels
        }
        for parcel in parcels {
            switch parcel {
            case .job(let job): queue.append(job)
            case .work(let work): work()
            }
        }
    }

    /// Runs what was queued when the turn began, so that jobs cannot starve descriptors.
    private func runJobs(of actor: LoopActor) {
        var left = queue.count
        guard left > 0 else { return }
        let serial = unsafe actor.unownedExecutor
        let task = unsafe asUnownedTaskExecutor()
        while left > 0, let job = queue.popFirst() {
            unsafe job.runSynchronously(isolatedTo: serial, taskExecutor: task)
            left -= 1
        }
    }

    // MARK: The end

    func add(_ watch: some LoopWatch) { watches[ObjectIdentifier(watch)] = watch }

    func remove(_ watch: some LoopWatch) { watches[ObjectIdentifier(watch)] = nil }

    /// How often what can still run is run at the end, for what wakes itself up each time.
    private static let lastRoundsMax = 64

    /// Ends what waits here, lets it clean up after itself, and frees what the loop holds.
    private func end(_ actor: LoopActor) {
        isEnding = true
        var rounds = 0
        repeat {
            for watch in watches.values where watch !== wakeWatch { watch.loopEnds() }
            timers.removeAll()
            drainInbox()
            runJobs(of: actor)
            rounds += 1
        } while rounds < Self.lastRoundsMax && (!queue.isEmpty || watches.count > 1)
        wakeWatch?.cancel()
        wakeWatch = nil
        let left = inbox.withLock { inbox in
            defer { inbox.parcels = [] }
            inbox.hasEnded = true
            inbox.actor = nil
            return inbox.parcels
        }
        // What they hold is let go outside the lock.
        _ = consume left
        free()
    }

    private func free() {
        guard !isFreed else { return }
        isFreed = true
        if let event = unsafe timerEvent { unsafe event_free(event) }
        unsafe timerEvent = nil
        unsafe event_base_free(base)
        close(wakeDescriptor)
    }

    // MARK: Timers

    /// Runs `action` on the loop once `nanoseconds` have passed, unless cancelled.
    ///
    /// On-loop only.
    @discardableResult
    public func schedule(
        afterNanoseconds nanoseconds: UInt64,
        _ action: @escaping () -> Void
    ) -> LoopTimer {
        // Cannot wrap: callers wait for constants, for settings, or for what curl and c-ares were
        // given.
        timers.insert(at: monotonicNanoseconds() &+ nanoseconds, action)
    }

    /// Runs `action` on the loop at a monotonic instant, unless cancelled.
    ///
    /// On-loop only.
    @discardableResult
    public func schedule(at deadline: UInt64, _ action: @escaping () -> Void) -> LoopTimer {
        timers.insert(at: deadline, action)
    }

    /// What libevent's timer is set to; 0: it has fired, or was never set.
    fileprivate var armedDeadline: UInt64 = 0

    /// Sets libevent's one timer to the head of our heap, only when the head has changed.
    private func armTimer() {
        guard let deadline = timers.nextDeadline, queue.isEmpty else { return }
        if deadline == armedDeadline, deadline > now { return }
        armedDeadline = deadline
        if unsafe timerEvent == nil {
            // Safety: the loop frees the event before it goes.
            let context = unsafe Unmanaged.passUnretained(self).toOpaque()
            unsafe timerEvent = event_new(base, -1, 0, timerFired, context)
        }
        let wait = deadline > now ? deadline - now : 0
        var interval = timeval(
            tv_sec: Int(wait / 1_000_000_000),
            tv_usec: Int((wait % 1_000_000_000 + 999) / 1_000)
        )
        unsafe _ = event_add(timerEvent, &interval)
    }

    deinit { free() }
}

/// What looks at something of a loop's base, and lets go of it when the loop ends.
protocol LoopWatch: AnyObject {
    /// Called on the loop: afterwards there is no base any more.
    func loopEnds()
}

/// libevent's timer only ends the wait; the heap fires in the turn that follows.
///
/// It goes by a coarse clock and may come some milliseconds early: then nothing is due yet, and
/// the same deadline has to be armed once more.
private func timerFired(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().armedDeadline = 0
}

/// Nanoseconds of CLOCK_MONOTONIC.
///
/// Cannot wrap: it begins near the machine's start, and 64 bits last 584 years. So deadlines are
/// made by adding to it what is bounded.
public func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    unsafe _ = clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// Microseconds since 1970 by the wall clock, UTC.
public func wallMicroseconds() -> Int64 {
    var time = timespec()
    unsafe _ = clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}
