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
            func hears(_ wanted: Readiness) async throws -> Bool {
                for _ in 0..<60_000 {
                    if seen.readiness.contains(where: { $0.contains(wanted) }) { return true }
                    try await actor.loop.sleep(nanoseconds: 1_000_000)
                }
                return false
            }
            let heardWritable = try await hears(.writable)
            #expect(heardWritable)
            var byte: UInt8 = 1
            write(pair[1], &byte, 1)
            let heardReadable = try await hears(.readable)
            #expect(heardReadable)
            watch.cancel()
            close(pair[0])
            close(pair[1])
        }
    }
}
