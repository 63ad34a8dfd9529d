import Loops
import TestKit
import Testing
import WalletProtocol

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

    @Test func announcedWorkIsLookedForSoonAndEverMoreSeldom() async throws {
        let looks = try await onLoop { actor in
            let worker = Worker(on: actor.loop)
            let bound = LoopBound(worker, to: actor)
            let task = actor.spawn { actor in await bound.on(actor).work() }
            defer { task.cancel() }
            worker.bell.announce()
            try await actor.loop.sleep(nanoseconds: 1_000_000_000)
            return worker.looks
        }
        // At 0, 5, 10, 20 … 640 ms, later where the machine is busy.
        #expect((4...12).contains(looks))
    }

    @Test func whoeverAddsAWorkerWithABellWakesIt() async throws {
        try await ServiceRig.run(Echo.service, template: "echo") { actor, rig in
            let bell = WorkBell(on: actor.loop)
            let looks = Looks()
            rig.service.addPeriodicWorker("rung for", everyMilliseconds: 3_600_000, wokenBy: bell) {
                looks.count += 1
                if looks.count == 2 { throw APIError.notFound }
            }
            let worker = try #require(rig.service.workers.last)
            let bound = LoopBound(worker, to: actor)
            let task = actor.spawn { actor in await bound.on(actor).run() }
            defer { task.cancel() }
            // What is thrown ends no worker.
            for count in 1...4 {
                for _ in 0..<1_000 where looks.count < count {
                    try await actor.loop.sleep(nanoseconds: 5_000_000)
                }
                #expect(looks.count == count)
                bell.ring()
            }
        }
    }

    @Test func whoIsCancelledSleepsNoMore() async throws {
        let looks = try await onLoop { actor in
            let worker = Worker(on: actor.loop)
            let bound = LoopBound(worker, to: actor)
            let task = actor.spawn { actor in await bound.on(actor).work() }
            guard try await worker.hasLooked(1) else { return 0 }
            task.cancel()
            await task.value
            worker.bell.ring()
            return worker.looks
        }
        #expect(looks == 1)
    }
}

/// How often somebody has looked; its loop's own.
private final class Looks {
    var count = 0
}
