import Testing

@testable import GatewayService

@Suite struct RepeatGuardTests {
    private let second: UInt64 = 1_000_000_000
    private let killer = RepeatGuard.Caller(network: 1, route: "/a/{id}")

    @Test func whoseRepeatHasEndedASecondReplicaHasThatOneAloneForTenSeconds() {
        var guardian = RepeatGuard()
        guardian.died(0, now: 100 * second)
        #expect(guardian.isQuiet(now: 100 * second))
        #expect(guardian.allows(killer, now: 100 * second))
        guardian.suspect(killer, of: 1, now: 100 * second)
        for now in [100 * second, 110 * second - 1] {
            #expect(!guardian.allows(killer, now: now))
            #expect(!guardian.isQuiet(now: now))
            #expect(guardian.replica(for: killer, now: now) == 1)
        }
        #expect(guardian.allows(killer, now: 110 * second))
        #expect(guardian.replica(for: killer, now: 110 * second) == nil)
        #expect(guardian.isQuiet(now: 110 * second))
    }

    @Test func whoeverComesInAReplicasPlaceHasEndedUnderNobody() {
        var guardian = RepeatGuard()
        guardian.suspect(killer, of: 1, now: 100 * second)
        guardian.replaced(2)
        #expect(guardian.replica(for: killer, now: 101 * second) == 1)
        guardian.replaced(1)
        #expect(guardian.replica(for: killer, now: 101 * second) == nil)
    }

    @Test func neitherTheSameNetworkElsewhereNorOthersAtTheRouteAreSuspect() {
        var guardian = RepeatGuard()
        guardian.suspect(killer, of: 1, now: 100 * second)
        for other in [
            RepeatGuard.Caller(network: 1, route: "/b"),
            RepeatGuard.Caller(network: 2, route: "/a/{id}"),
        ] {
            #expect(guardian.allows(other, now: 101 * second))
            #expect(guardian.replica(for: other, now: 101 * second) == nil)
        }
    }

    @Test func twoDeathsByRepeatsWithinTenSecondsEndARoutesRepeats() {
        var guardian = RepeatGuard()
        let stranger = RepeatGuard.Caller(network: 9, route: "/a/{id}")
        // One death, seen by many.
        for network in 1...5 {
            let caller = RepeatGuard.Caller(network: UInt64(network), route: "/a/{id}")
            guardian.suspect(caller, of: 1, now: 100 * second + UInt64(network))
        }
        #expect(guardian.allows(stranger, now: 101 * second))
        let another = RepeatGuard.Caller(network: 6, route: "/a/{id}")
        guardian.suspect(another, of: 0, now: 109 * second)
        #expect(!guardian.allows(stranger, now: 119 * second - 1))
        #expect(guardian.allows(RepeatGuard.Caller(network: 9, route: "/b"), now: 110 * second))
        #expect(guardian.allows(stranger, now: 119 * second))
        let third = RepeatGuard.Caller(network: 7, route: "/a/{id}")
        guardian.suspect(third, of: 1, now: 130 * second)
        #expect(guardian.allows(stranger, now: 131 * second), "the others are long past")
    }

    @Test func suspectsAreBoundedAndForgotten() {
        var guardian = RepeatGuard()
        for network in 0..<UInt64(3 * RepeatGuard.callersMax) {
            let caller = RepeatGuard.Caller(network: network, route: "/a")
            guardian.suspect(caller, of: 1, now: 100 * second)
        }
        #expect(guardian.suspectCount == RepeatGuard.callersMax)
        guardian.suspect(killer, of: 1, now: 111 * second)
        #expect(guardian.suspectCount == 1)
    }
}
