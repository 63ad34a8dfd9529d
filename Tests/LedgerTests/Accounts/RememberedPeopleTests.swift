import Postgres
import ServiceKit
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What a replica remembers of people, and when it asks auth.
@Suite struct RememberedPeopleTests {
    private final class Auth: Sendable {
        private let state = Mutex((version: 2, zone: "Asia/Tokyo", calls: 0, isThere: true))
        var calls: Int { state.withLock { $0.calls } }

        func change(to zone: String, version: Int, isThere: Bool = true) {
            state.withLock { ($0.zone, $0.version, $0.isThere) = (zone, version, isThere) }
        }

        func answer(_ user: ID<User>) throws -> InternalUser {
            let (version, zone, isThere) = state.withLock { state in
                state.calls += 1
                return (state.version, state.zone, state.isThere)
            }
            guard isThere else { throw APIError(.unavailable) }
            return InternalUser(
                id: user,
                username: "ada",
                email: "ada@example.org",
                emailVerified: true,
                language: "en",
                timeZone: zone,
                currency: .eur,
                roles: [.user],
                enabled: true,
                version: version
            )
        }
    }

    @Test func aToldChangeIsAskedForOnceAndTheLastKnownHolds() async throws {
        try await LedgerRig().run { _, books in
            let (auth, versions) = (Auth(), PeopleVersions())
            let people = People(
                database: books.service,
                relayBell: RelayBell(),
                versions: versions
            ) { user in try auth.answer(user) }
            let ada = try await books.person()
            // Copied before copies had versions.
            for _ in 0..<10 {
                let zone = try await people.person(ada).timeZone
                #expect(zone == "Asia/Tokyo")
            }
            #expect(auth.calls == 1)
            auth.change(to: "Pacific/Kiritimati", version: 3)
            versions.add([PersonVersion(userID: ada, version: 3)])
            for _ in 0..<10 {
                let zone = try await people.person(ada).timeZone
                #expect(zone == "Pacific/Kiritimati")
            }
            #expect(auth.calls == 2)
            auth.change(to: "UTC", version: 4, isThere: false)
            versions.add([PersonVersion(userID: ada, version: 4)])
            for _ in 0..<10 {
                let zone = try await people.person(ada).timeZone
                #expect(zone == "Pacific/Kiritimati")
            }
            #expect(auth.calls == 3)
            // An event of before changes nothing any more.
            let old = Person(try Auth().answer(ada))
            try await books.service.transaction { transaction in
                try await PeopleEvents.change(ada, old, in: transaction)
            }
            let kept = try await books.service.queryOne(PeopleStatements.find, ada)
            #expect(kept?.timeZone == "Pacific/Kiritimati" && kept?.version == 3)
        }
    }
}
