/// A scheduled action of a loop, which `cancel` takes out in O(log n).
///
/// On-loop only.
public final class LoopTimer {
    let deadline: UInt64
    fileprivate var action: (() -> Void)?
    fileprivate var position = -1
    private let heap: TimerHeap
    /// Called instead of the action when the loop ends first.
    var dropped: (() -> Void)?

    fileprivate init(deadline: UInt64, action: @escaping () -> Void, heap: TimerHeap) {
        self.deadline = deadline
        self.action = action
        self.heap = heap
    }

    /// Takes the timer back; once it has fired this does nothing.
    public func cancel() {
        action = nil
        dropped = nil
        if position >= 0 { heap.remove(self) }
    }
}

/// A binary heap of timers by deadline; each timer knows its place, so that it can leave.
final class TimerHeap {
    private var timers: [LoopTimer] = []

    var nextDeadline: UInt64? { timers.first?.deadline }

    func insert(at deadline: UInt64, _ action: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline: deadline, action: action, heap: self)
        timer.position = timers.count
        timers.append(timer)
        rise(timer.position)
        return timer
    }

    /// Fires what is due, in order of deadline; what an action schedules waits for its own time.
    func fire(until now: UInt64) {
        while let first = timers.first, first.deadline <= now {
            remove(first)
            first.dropped = nil
            first.action.take()?()
        }
    }

    /// Takes out all timers, at the loop's end, and tells those who wait for one.
    func removeAll() {
        let all = timers
        timers = []
        for timer in all {
            timer.position = -1
            timer.action = nil
        }
        for timer in all { timer.dropped.take()?() }
    }

    fileprivate func remove(_ timer: LoopTimer) {
        let position = timer.position
        timer.position = -1
        let last = timers.removeLast()
        guard last !== timer else { return }
        timers[position] = last
        last.position = position
        rise(position)
        sink(last.position)
    }

    private func rise(_ start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard timers[position].deadline < timers[parent].deadline else { return }
            swap(position, parent)
            position = parent
        }
    }

    private func sink(_ start: Int) {
        var position = start
        while true {
            var least = 2 * position + 1
            guard least < timers.count else { return }
            if least + 1 < timers.count, timers[least + 1].deadline < timers[least].deadline {
                least += 1
            }
            guard timers[least].deadline < timers[position].deadline else { return }
            swap(position, least)
            position = least
        }
    }

    private func swap(_ a: Int, _ b: Int) {
        timers.swapAt(a, b)
        timers[a].position = a
        timers[b].position = b
    }
}
