import Loops
import TestKit
import Testing

@testable import ServiceKit

/// Deliberately not Sendable: it is its loop's own, with the bell.
private final class Worker {
    let loop: EventLoop
    let bell: WorkBell
    var looks = 0

    init(on loop: EventLoop) {
        self.loop = loop
        bell = WorkBell(on: loop)
    }

    /// Looks, and sleeps for an hour in between.
    func work() async {
        while !Task.isCancelled {
            looks += 1
            await bell.sleep(nanoseconds: 3_600_000_000_000)
        }
    }

    /// Whether it has looked so often, within five seconds.
    func hasLooked(_ times: Int) async throws -> Bool {
        for _ in 0..<1_000 where looks < times { try await loop.sleep(nanoseconds: 5_000_000) }
        return looks >= times
    }
}

@Suite struct WorkBellTests {
    @Test func whoSleepsIsWokenByEachRing() async throws {
        let looks = try await onLoop { actor in
            let worker = Worker(on: actor.loop)
            let bound = LoopBound(worker, to: actor)
            let task = actor.spawn { actor in await bound.on(actor).work() }
            defer { task.cancel() }
            for count in 1...5 {
                guard try await worker.hasLooked(count) else { return worker.looks }
                if count < 5 { worker.bell.ring() }
            }
            try await actor.loop.sleep(nanoseconds: 100_000_000)
            return worker.looks
        }
        #expect(looks == 5)
    }

    @Test func aRingThatNobodyHeardIsNotLost() async throws {
        let slept = try await onLoop { actor in
            let bell = WorkBell(on: actor.loop)
            bell.ring()
            let begin = monotonicNanoseconds()
            await bell.sleep(nanoseconds: 2_000_000_000)
            let first = monotonicNanoseconds() - begin
            await bell.sleep(nanoseconds: 200_000_000)
            return (first: first, both: monotonicNanoseconds() - begin)
        }
        #expect(slept.first < 1_000_000_000)
        #expect(slept.both >= 200_000_000)
    }

    @Test func announcedWorkIsLookedForAgainAndAgain() async throws {
        let looked = try await onLoop { actor in
            let worker = Worker(on: actor.loop)
            let bound = LoopBound(worker, to: actor)
            let task = actor.spawn { actor in await bound.on(actor).work() }
            defer { task.cancel() }
            worker.bell.announce()
            return try await worker.hasLooked(10)
        }
        #expect(looked)
    }
}
