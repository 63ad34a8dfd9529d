public import Loops
internal import Synchronization

// Safety: `rung` is atomic; `waiting` is touched on the loop only (`deliver` is posted there).
/// Wakes a task that sleeps on a loop; `ring` is callable from any thread, and costs one atomic
/// exchange while the sleeper has not answered the last ring.
public final class Doorbell: @unchecked Sendable {
    private let loop: EventLoop
    private let rung = Atomic<Bool>(false)
    private var waiting: Wait<Void>?

    /// A bell that rings on `loop`.
    public init(on loop: EventLoop) { self.loop = loop }

    /// Wakes the sleeper, or keeps it from falling asleep the next time.
    public func ring() {
        guard !rung.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.post { self.deliver() }
    }

    private func deliver() {
        waiting?.resume(returning: ())
        waiting = nil
    }

    /// Sleeps until the bell rings or the time is over; on-loop, one sleeper at a time.
    ///
    /// Answers whether it rang. A cancelled task does not sleep.
    func wait(nanoseconds: UInt64) async -> Bool {
        if rung.exchange(false, ordering: .acquiringAndReleasing) { return true }
        let wait = Wait<Void>(on: loop)
        waiting = wait
        try? await wait.value(withinNanoseconds: nanoseconds)
        waiting = nil
        return rung.exchange(false, ordering: .acquiringAndReleasing)
    }
}
