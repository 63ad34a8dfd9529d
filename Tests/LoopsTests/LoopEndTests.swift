import Foundation
import Loops
import Synchronization
import Testing

/// A loop that has ended holds nothing any more.
@Suite struct LoopEndTests {
    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    @Test func aStoppedGroupIsFreedWithItsActors() async throws {
        weak var loop: EventLoop?
        weak var actor: LoopActor?
        try await {
            let group = LoopGroup(count: 1)
            group.startAll()
            loop = group.loops[0]
            actor = group.loops[0].actor
            try await group.loops[0].actor.run { actor in
                try await actor.loop.sleep(nanoseconds: 1)
            }
            group.stop()
        }()
        // The task that ran on it, and its thread, let go of it in their own time.
        for _ in 0..<2_000 where loop != nil { usleep(5_000) }
        #expect(loop == nil)
        #expect(actor == nil)
    }

    @Test func manyLoopsLeaveNoDescriptors() async throws {
        for _ in 0..<300 {
            let group = LoopGroup(count: 2)
            group.startAll()
            await group.loops[1].actor.run { _ in }
            group.stop()
        }
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        #expect(open < 1_000, "300 groups of two loops with four descriptors each")
    }

    @Test func whoSleepsOnALoopThatEndsIsWoken() async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        let woken = Flag()
        let task = group.loops[0].actor.spawn { actor in
            do {
                try await actor.loop.sleep(nanoseconds: 3_600_000_000_000)
            } catch { woken.set() }
        }
        await group.loops[0].actor.run { _ in }
        group.stop()
        await task.value
        #expect(woken.isSet)
    }

    @Test func aWatchHearsOfTheEndAndMayBeCancelledAfterIt() async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        let loop = group.loops[0]
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let descriptor = pair[0]
        let heard = Flag()
        let kept = await loop.actor.run { actor in
            let watch = DescriptorWatch(descriptor, on: actor.loop, edgeTriggered: false)
            watch.start(whenLoopEnds: { heard.set() }) { _ in }
            return LoopBound(watch, to: actor)
        }
        group.stop()
        #expect(heard.isSet)
        withExtendedLifetime(kept) {}
        close(pair[0])
        close(pair[1])
    }

    @Test func whatIsHandedToAnEndedLoopIsDropped() async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        let loop = group.loops[0]
        group.stop()
        let ran = Flag()
        loop.post { ran.set() }
        loop.actor.spawn { _ in ran.set() }
        group.stop()
        #expect(!ran.isSet)
    }

    @Test func whatKeepsWakingItselfDoesNotHoldTheEndUp() async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        group.loops[0].actor.spawn { actor in
            while true { try? await actor.loop.sleep(nanoseconds: 1_000) }
        }
        await group.loops[0].actor.run { _ in }
        group.stop()
    }

    @Test func theDescriptorLimitIsRaisedToTheHardOne() {
        raiseDescriptorLimit()
        var limit = rlimit()
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        #expect(limit.rlim_cur == limit.rlim_max)
    }
}
