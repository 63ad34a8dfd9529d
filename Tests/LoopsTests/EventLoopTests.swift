import Dispatch
import Loops
import Synchronization
import Testing

/// Deliberately not Sendable: what is made on a loop belongs to it.
private final class Counter {
    var value = 0
    let loop: EventLoop
    init(loop: EventLoop) { self.loop = loop }
    func countSlowly(to end: Int) async throws -> Int {
        while value < end {
            try await loop.sleep(nanoseconds: 1_000_000)
            #expect(loop.isCurrent)
            value += 1
        }
        return value
    }
}

private final class SharedCount: Sendable {
    let value = Atomic<Int>(0)
}

@Suite struct EventLoopTests {
    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (isolated LoopActor) async throws -> Value
    ) async throws -> Value {
        let group = LoopGroup(count: 2)
        group.startAll()
        defer { group.stop() }
        return try await group.loops[1].actor.run(body)
    }

    @Test func whatIsMadeOnALoopStaysOnItsThread() async throws {
        let reached = try await onLoop { actor in
            let counter = Counter(loop: actor.loop)
            return try await counter.countSlowly(to: 20)
        }
        #expect(reached == 20)
    }

    @Test func spawnedTasksBeginOnTheLoopAndShareItsValues() async throws {
        let sum = try await onLoop { actor in
            let counter = Counter(loop: actor.loop)
            let bound = LoopBound(counter, to: actor)
            var tasks: [Task<Void, Never>] = []
            for _ in 0..<100 {
                tasks.append(
                    actor.spawn { actor in
                        #expect(actor.loop.isCurrent)
                        bound.on(actor).value += 1
                    }
                )
            }
            for task in tasks { await task.value }
            return counter.value
        }
        #expect(sum == 100)
    }

    @Test func timersFireInOrderOfDeadlineAndCancelledOnesNever() async throws {
        let fired = try await onLoop { actor in
            final class Log { var entries: [Int] = [] }
            let log = Log()
            let loop = actor.loop
            for delay in [30, 10, 20, 5, 25] {
                loop.schedule(afterNanoseconds: UInt64(delay) * 1_000_000) {
                    log.entries.append(delay)
                }
            }
            let cancelled = loop.schedule(afterNanoseconds: 15_000_000) { log.entries.append(15) }
            cancelled.cancel()
            try await loop.sleep(nanoseconds: 60_000_000)
            return log.entries
        }
        #expect(fired == [5, 10, 20, 25, 30])
    }

    @Test func aTimerCancelsATaskThatWaits() async throws {
        let cancelled = try await onLoop { actor in
            let wait = Wait<Int>(on: actor.loop)
            let task = Task { () -> Bool in
                do {
                    _ = try await wait.value()
                    return false
                } catch { return error is CancellationError }
            }
            actor.loop.schedule(afterNanoseconds: 5_000_000) { task.cancel() }
            return await task.value
        }
        #expect(cancelled)
    }

    @Test func aCancellerOnAnotherThreadNeverRacesTheResult() async throws {
        for round in 0..<200 {
            let group = LoopGroup(count: 1)
            group.startAll()
            let loop = group.loops[0]
            let outcomes = Mutex((value: 0, cancelled: 0))
            let task = loop.actor.spawn { actor in
                let wait = Wait<Int>(on: actor.loop)
                actor.loop.schedule(afterNanoseconds: UInt64(round) * 500) {
                    wait.resume(returning: 7)
                }
                let value = try? await wait.value()
                outcomes.withLock {
                    if value == 7 { $0.value += 1 } else { $0.cancelled += 1 }
                }
            }
            startThread { task.cancel() }
            await task.value
            group.stop()
            #expect(outcomes.withLock { $0.value + $0.cancelled } == 1)
        }
    }

    @Test func workPostedFromManyThreadsIsRunOnceEach() async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        let loop = group.loops[0]
        let count = SharedCount()
        let finished = SharedCount()
        for _ in 0..<8 {
            startThread {
                for _ in 0..<10_000 { loop.post { count.value.add(1, ordering: .relaxed) } }
                finished.value.add(1, ordering: .releasing)
            }
        }
        while finished.value.load(ordering: .acquiring) < 8 { await Task.yield() }
        // What is run on the loop now comes after everything that was posted before.
        await loop.actor.run { _ in }
        #expect(count.value.load(ordering: .relaxed) == 80_000)
    }

    @Test func theBlockingPoolRefusesWhatItsQueueCannotHold() async throws {
        let refused = try await onLoop { actor in
            let pool = BlockingPool(threads: 1, queueMax: 2)
            defer { pool.stop() }
            let gate = DispatchSemaphore(value: 0)
            let begun = SharedCount()
            let first = Task {
                try await pool.run {
                    begun.value.store(1, ordering: .releasing)
                    gate.wait()
                    return 1
                }
            }
            while begun.value.load(ordering: .acquiring) == 0 {
                try await actor.loop.sleep(nanoseconds: 1_000_000)
            }
            let second = Task { try await pool.run { 2 } }
            let third = Task { try await pool.run { 3 } }
            while pool.depth < 2 { try await actor.loop.sleep(nanoseconds: 1_000_000) }
            var refused = false
            do { _ = try await pool.run { 4 } } catch is BlockingPoolFull { refused = true }
            gate.signal()
            let sum = try await first.value + second.value + third.value
            #expect(sum == 6)
            return refused
        }
        #expect(refused)
    }
}
