import Testing

@testable import HTTP

@Suite struct ConnectionRegisterTests {
    private func peer(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> PeerAddress {
        PeerAddress(
            text: "\(a).\(b).\(c).\(d)",
            isIPv6: false,
            network: networkNumber(of: [a, b, c, d])
        )
    }

    private func peer(_ address: [UInt8]) -> PeerAddress {
        let whole = address + Array(repeating: 0, count: 16 - address.count)
        return PeerAddress(text: "", isIPv6: true, network: networkNumber(of: whole))
    }

    private func admitted(
        _ admission: ConnectionRegister.Admission
    ) -> (ticket: ConnectionRegister.Ticket, instead: UInt64?)? {
        guard case .admitted(let ticket, let old) = admission else { return nil }
        return (ticket, old?.number)
    }

    @Test func anAddressAndANetworkHaveTheirBounds() throws {
        var limits = ServerLimits()
        limits.connectionsPerAddressMax = 2
        limits.connectionsPerNetworkMax = 3
        let register = ConnectionRegister(loops: 2, limits: limits)
        let first = try #require(admitted(register.admit(peer(10, 0, 0, 1))))
        register.served(first.ticket)
        #expect(admitted(register.admit(peer(10, 0, 0, 1))) != nil)
        #expect(admitted(register.admit(peer(10, 0, 0, 1))) == nil)
        #expect(admitted(register.admit(peer(10, 0, 0, 2))) != nil)
        #expect(admitted(register.admit(peer(10, 0, 0, 3))) == nil, "its /24 has three")
        #expect(admitted(register.admit(peer(10, 0, 1, 1))) != nil)
        register.leave(first.ticket)
        #expect(admitted(register.admit(peer(10, 0, 0, 1))) != nil)
        #expect(register.total == 4)
    }

    /// Who only connects would else end those who come back.
    @Test func whoHasAskedNothingMakesNoCrowd() throws {
        var limits = ServerLimits()
        limits.connectionsMax = 10
        let register = ConnectionRegister(loops: 1, limits: limits)
        let all = (0..<10).compactMap { _ in admitted(register.admit(peer(10, 0, 0, 1))) }
        for one in all.prefix(8) { register.served(one.ticket) }
        #expect(!register.isCrowded)
        register.served(all[8].ticket)
        #expect(register.isCrowded)
    }

    @Test func ofIPv6ASixtyFourIsOneAddressAndAFortyEightANetwork() throws {
        var limits = ServerLimits()
        limits.connectionsPerAddressMax = 1
        limits.connectionsPerNetworkMax = 2
        let register = ConnectionRegister(loops: 1, limits: limits)
        let site: [UInt8] = [0x20, 1, 0xd, 0xb8, 0, 1]
        #expect(admitted(register.admit(peer(site + [0, 1, 9]))) != nil)
        #expect(admitted(register.admit(peer(site + [0, 1, 8]))) == nil)
        #expect(admitted(register.admit(peer(site + [0, 2]))) != nil)
        #expect(admitted(register.admit(peer(site + [0, 3]))) == nil)
        #expect(admitted(register.admit(peer([0x20, 1, 0xd, 0xb8, 0, 2]))) != nil)
    }

    @Test func thoseThatHaveAskedNothingHaveBoundsOfTheirOwn() throws {
        var limits = ServerLimits()
        limits.unservedPerAddressMax = 2
        limits.unservedPerNetworkMax = 3
        let register = ConnectionRegister(loops: 1, limits: limits)
        let first = try #require(admitted(register.admit(peer(10, 0, 0, 1))))
        let second = try #require(admitted(register.admit(peer(10, 0, 0, 1))))
        #expect(admitted(register.admit(peer(10, 0, 0, 1))) == nil)
        register.served(first.ticket)
        register.served(first.ticket)
        #expect(admitted(register.admit(peer(10, 0, 0, 1))) != nil)
        #expect(admitted(register.admit(peer(10, 0, 0, 2))) != nil)
        #expect(admitted(register.admit(peer(10, 0, 0, 3))) == nil)
        register.leave(second.ticket)
        #expect(admitted(register.admit(peer(10, 0, 0, 3))) != nil)
    }

    @Test func theOldestThatHasAskedNothingGoesForANewOne() throws {
        var limits = ServerLimits()
        limits.connectionsMax = 3
        let register = ConnectionRegister(loops: 3, limits: limits)
        let all = try (1...3).map { try #require(admitted(register.admit(peer(10, 0, $0, 1)))) }
        #expect(Set(all.map(\.ticket.loop)) == [0, 1, 2])
        register.served(all[0].ticket)
        let fourth = try #require(admitted(register.admit(peer(10, 0, 4, 1))))
        #expect(fourth.instead == all[1].ticket.number)
        register.leave(all[1].ticket)
        let fifth = try #require(admitted(register.admit(peer(10, 0, 5, 1))))
        #expect(fifth.instead == all[2].ticket.number)
        register.leave(all[2].ticket)
        for one in [fourth, fifth] { register.served(one.ticket) }
        #expect(admitted(register.admit(peer(10, 0, 6, 1))) == nil, "all are in use")
        for one in [all[0], fourth, fifth] { register.leave(one.ticket) }
        #expect(register.total == 0)
    }
}
