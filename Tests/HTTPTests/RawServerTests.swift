import Glibc
import TestKit
import Testing

@Suite struct RawServerTests {
    @Test func aServerStoppedTwiceEndsNobodyElsesConnection() {
        let server = RawServer { _, _ in }
        server.stop()
        // Its number is given away once its own thread has closed it.
        var pairs: [[Int32]] = []
        for _ in 0..<64 {
            var pair: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            pairs.append(pair)
            usleep(2_000)
        }
        server.stop()
        for pair in pairs {
            var byte: UInt8 = 7
            #expect(send(pair[0], &byte, 1, Int32(MSG_NOSIGNAL)) == 1)
            #expect(send(pair[1], &byte, 1, Int32(MSG_NOSIGNAL)) == 1)
            pair.forEach { close($0) }
        }
    }
}
