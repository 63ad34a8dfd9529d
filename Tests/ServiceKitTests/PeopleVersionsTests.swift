import Loops
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import ServiceKit

/// What makes a replica drop what it remembers of people.
@Suite struct PeopleVersionsTests {
    private let ada = ID<User>.new()

    @Test func theLatestVersionCounts() {
        let versions = PeopleVersions()
        #expect(versions.version(of: ada) == 0)
        versions.add([PersonVersion(userID: ada, version: 3)])
        versions.add([PersonVersion(userID: ada, version: 2)])
        #expect(versions.version(of: ada) == 3)
        #expect(versions.era == 0)
    }

    @Test func aReplicaThatWasAwayForgetsEverybody() {
        let versions = PeopleVersions()
        versions.add([PersonVersion(userID: ada, version: 3)], at: 1)
        versions.add([], at: PeopleVersions.awayNanoseconds)
        #expect(versions.era == 0)
        versions.add([], at: 2 * PeopleVersions.awayNanoseconds + 1)
        #expect(versions.era == 1 && versions.version(of: ada) == 0)
    }

    @Test func versionsAreForgottenOnceTheirEventsHaveCome() {
        let versions = PeopleVersions()
        versions.add([PersonVersion(userID: ada, version: 3)], at: 1)
        var now: UInt64 = 1
        while now < PeopleVersions.keptNanoseconds {
            #expect(versions.version(of: ada) == 3)
            now += PeopleVersions.awayNanoseconds - 1
            versions.add([], at: now)
        }
        while now < 4 * PeopleVersions.keptNanoseconds {
            now += PeopleVersions.awayNanoseconds - 1
            versions.add([], at: now)
        }
        #expect(versions.version(of: ada) == 0 && versions.era == 0)
    }

    @Test func manyChangesAreBounded() {
        let versions = PeopleVersions()
        let all = (0...PeopleVersions.countMax).map { number in
            PersonVersion(userID: ID(high: 1, low: UInt64(number)), version: 1)
        }
        versions.add(Array(all.prefix(10)))
        versions.add(all)
        #expect(versions.era == 1)
    }

    @Test func authIsAskedOnceForAChangeAndNotWhileItIsSilent() async {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        await group.loops[0].actor.run { [ada] _ in
            let versions = PeopleVersions()
            versions.add([PersonVersion(userID: ada, version: 5)])
            let calls = Mutex(0)
            let isThere = Mutex(true)
            let newer = NewerPeople(versions: versions) { user in
                calls.withLock { $0 += 1 }
                guard isThere.withLock({ $0 }) else { throw APIError(.unavailable) }
                return InternalUser(
                    id: user,
                    username: "ada",
                    email: "ada@example.org",
                    emailVerified: true,
                    language: "en",
                    timeZone: "Pacific/Kiritimati",
                    currency: .eur,
                    roles: [.user],
                    enabled: true,
                    version: 5
                )
            }
            let current = await newer.person(ada, after: 5)
            #expect(current == nil && calls.withLock { $0 } == 0)
            let told = await newer.person(ada, after: 4)
            #expect(told?.timeZone == "Pacific/Kiritimati" && calls.withLock { $0 } == 1)
            isThere.withLock { $0 = false }
            for _ in 0..<5 {
                let silent = await newer.person(ada, after: 4)
                #expect(silent == nil)
            }
            #expect(calls.withLock { $0 } == 2, "a silent auth is left alone for a second")
        }
    }
}
