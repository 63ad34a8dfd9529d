import Loops
import TestKit
import Testing
import WalletProtocol

@testable import ServiceKit

/// Few heavy reads of one person and of one group run at once.
@Suite struct ReadSharesTests {
    @Test func waitersRunInTheirOrder() async throws {
        let (early, all, most) = try await onLoop { actor in
            let reads = Reads(on: actor.loop)
            var held = try await reads.fill()
            let bound = LoopBound(reads, to: actor)
            let tasks = (0..<3).map { number in
                actor.spawn { actor in await bound.on(actor).read(number) }
            }
            try await reads.settle()
            let early = reads.ran
            let other = try await reads.shares.take(.thing("another"), on: actor.loop)
            held.removeLast().giveBack()
            for task in tasks { await task.value }
            defer { withExtendedLifetime((held, other)) {} }
            return (early, reads.ran, reads.mostAtOnce)
        }
        #expect(early == [], "who waits does not run")
        #expect(all == [0, 1, 2])
        #expect(most == 1)
    }

    @Test func furtherReadsAreRefused() async throws {
        let (refusal, ran, seconds, counted) = try await onLoop { actor in
            let reads = Reads(on: actor.loop)
            var held = try await reads.fill()
            let bound = LoopBound(reads, to: actor)
            let tasks = (0..<ReadShares.waitingMax).map { number in
                actor.spawn { actor in await bound.on(actor).read(number) }
            }
            try await reads.settle()
            let refusal = await reads.refusal()
            held = []
            for task in tasks { await task.value }
            held = try await reads.fill()
            defer { withExtendedLifetime(held) {} }
            let seconds = refusal?.retryAfterSeconds
            return (refusal?.code, reads.ran.count, seconds, reads.counted)
        }
        #expect(refusal == .tooManyRequests && seconds == 1)
        #expect(ran == ReadShares.waitingMax && counted)
    }

    @Test func longWaitIsRefusedAndLeavesTheQueue() async throws {
        let refusal = try await onLoop { actor in
            let reads = Reads(on: actor.loop)
            var held = try await reads.fill()
            let refusal = await reads.refusal()
            held = []
            held = try await reads.fill()
            defer { withExtendedLifetime(held) {} }
            return refusal?.code
        }
        #expect(refusal == .tooManyRequests)
    }

    @Test func cancelledWaitLeavesTheQueue() async throws {
        let (ran, refused) = try await onLoop { actor in
            let reads = Reads(on: actor.loop)
            var held = try await reads.fill()
            let bound = LoopBound(reads, to: actor)
            let tasks = (0..<1).map { number in
                actor.spawn { actor in await bound.on(actor).read(number) }
            }
            try await reads.settle()
            tasks[0].cancel()
            await tasks[0].value
            held = []
            held = try await reads.fill()
            defer { withExtendedLifetime(held) {} }
            return (reads.ran, reads.refused)
        }
        #expect(ran == [] && refused == 1)
    }
}

/// Reads of one person on a loop.
private final class Reads {
    let metrics = Metrics()
    let shares: ReadShares
    private(set) var ran: [Int] = []
    private(set) var mostAtOnce = 0
    private(set) var refused = 0
    private let key = ReadShares.Key.person(.new())
    private let loop: EventLoop
    private var running = 0

    init(on loop: EventLoop) {
        self.loop = loop
        shares = ReadShares(metrics: metrics)
    }

    /// The metric of refused reads.
    var counted: Bool { metrics.render().contains("ezwallet_shared_reads_refused_total 1\n") }

    /// As many as run at once.
    func fill() async throws -> [Slot] {
        var held: [Slot] = []
        for _ in 0..<ReadShares.runningMax { held.append(try await shares.take(key, on: loop)) }
        return held
    }

    /// Lets whoever was started come so far that they wait.
    func settle() async throws { try await loop.sleep(nanoseconds: 5_000_000) }

    /// Why one more is refused.
    func refusal() async -> APIError? {
        do {
            _ = try await shares.take(key, on: loop)
            return nil
        } catch { return error as? APIError }
    }

    func read(_ number: Int) async {
        guard let slot = try? await shares.take(key, on: loop) else {
            refused += 1
            return
        }
        defer { slot.giveBack() }
        running += 1
        mostAtOnce = max(mostAtOnce, running)
        ran.append(number)
        try? await loop.sleep(nanoseconds: 1_000_000)
        running -= 1
    }
}
