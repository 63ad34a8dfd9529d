import Testing

@testable import HTTP

@Suite struct NetworkTests {
    @Test func addressesOfOne64AreOneNetworkAndIPv4IsItselfHoweverItComes() {
        let prefix: [UInt8] = [0x20, 0x01, 0x0d, 0xb8, 1, 2, 3, 4]
        let one = networkNumber(of: prefix + [0, 0, 0, 0, 0, 0, 0, 1])
        let other = networkNumber(of: prefix + [9, 9, 9, 9, 9, 9, 9, 9])
        #expect(one == other)
        let neighbour = networkNumber(of: prefix.prefix(7) + [5, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(one != neighbour)
        let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xff, 0xff]
        let plain = networkNumber(of: [192, 0, 2, 1])
        #expect(plain == networkNumber(of: mapped + [192, 0, 2, 1]))
        #expect(plain != networkNumber(of: mapped + [192, 0, 2, 2]))
        #expect(plain != networkNumber(of: Array(repeating: 0, count: 15) + [1]))
    }
}
