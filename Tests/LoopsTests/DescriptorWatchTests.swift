import Foundation
import Loops
import Testing

@Suite struct DescriptorWatchTests {
    @Test func anEdgeTriggeredSocketTellsBothDirections() async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        try await group.loops[0].actor.run { actor in
            var pair: [Int32] = [0, 0]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            final class Seen { var readiness: [Readiness] = [] }
            let seen = Seen()
            let watch = DescriptorWatch(pair[0], on: actor.loop, edgeTriggered: true)
            watch.start(for: [.readable, .writable]) { seen.readiness.append($0) }
            try await actor.loop.sleep(nanoseconds: 20_000_000)
            #expect(seen.readiness.contains { $0.contains(.writable) })
            var byte: UInt8 = 1
            write(pair[1], &byte, 1)
            try await actor.loop.sleep(nanoseconds: 20_000_000)
            #expect(seen.readiness.contains { $0.contains(.readable) })
            watch.cancel()
            close(pair[0])
            close(pair[1])
        }
    }
}
