internal import CGlibcSystem
internal import Synchronization

/// The pool's queue is full: the caller answers 503 with Retry-After.
public struct BlockingPoolFull: Error {
    /// Full.
    public init() {}
}

/// A few threads for what blocks or burns CPU (argon2, PDF, pictures), with a bounded queue.
public final class BlockingPool: Sendable {
    private struct State {
        var queue = RingQueue<@Sendable () -> Void>()
        var stopped = false
    }
    private let state = Mutex(State())
    private let wake = Condition()
    private let queueMax: Int

    /// A pool of `threads` threads that keeps at most `queueMax` waiting.
    public init(threads: Int, queueMax: Int) {
        self.queueMax = queueMax
        for _ in 0..<threads { startThread { [self] in work() } }
    }

    /// How many pieces of work wait.
    public var depth: Int { state.withLock { $0.queue.count } }

    /// Runs `work` on a thread of the pool; the caller waits on its own loop.
    /// - Throws: `BlockingPoolFull`, or what `work` throws.
    public func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await unsafe withUnsafeThrowingContinuation {
            (continuation: UnsafeContinuation<Value, any Error>) in
            let accepted = state.withLock { state in
                guard !state.stopped, state.queue.count < queueMax else { return false }
                // A continuation is Sendable; it is resumed exactly once, here.
                state.queue.append { unsafe continuation.resume(with: Result { try work() }) }
                return true
            }
            if accepted {
                wake.signal()
            } else {
                unsafe continuation.resume(throwing: BlockingPoolFull())
            }
        }
    }

    /// Lets the threads end once the queue is empty.
    public func stop() {
        state.withLock { $0.stopped = true }
        wake.broadcast()
    }

    private func work() {
        while true {
            let next: (@Sendable () -> Void)?? = state.withLock { state in
                if let work = state.queue.popFirst() { return work }
                return state.stopped ? .none : .some(nil)
            }
            switch next {
            case .none: return
            case .some(.some(let work)): work()
            case .some(.none):
                wake.wait { state.withLock { $0.queue.isEmpty && !$0.stopped } }
            }
        }
    }
}

// Safety: both live at fixed addresses for the object's life and are used through pthread only.
/// A POSIX condition variable with its mutex.
@safe final class Condition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    /// Waits while `predicate` holds; it is read with the mutex held, so no signal is missed.
    func wait(while predicate: () -> Bool) {
        unsafe pthread_mutex_lock(mutex)
        while predicate() { unsafe pthread_cond_wait(condition, mutex) }
        unsafe pthread_mutex_unlock(mutex)
    }

    func signal() {
        unsafe pthread_mutex_lock(mutex)
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    func broadcast() {
        unsafe pthread_mutex_lock(mutex)
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }
}

/// Starts a detached thread that runs `body` to its end.
public func startThread(stackBytes: Int = 1 << 20, _ body: @escaping @Sendable () -> Void) {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setstacksize(&attributes, stackBytes)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(Box(body)).toOpaque()
    let failed = unsafe pthread_create(
        &thread,
        &attributes,
        { context in
            // Safety: the one reference that was passed retained just above.
            if let context = unsafe context {
                unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
            }
            return nil
        },
        context
    )
    // Cannot fire: threads are as many as the settings say, and one for each process of ours,
    // which are few at a time.
    precondition(failed == 0, "pthread_create failed")
    unsafe pthread_attr_destroy(&attributes)
}
