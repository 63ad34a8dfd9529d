import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService

/// What read models of people begin anew from.
@Suite struct SnapshotTests {
    @Test func everybodyComesOnceAsTheirEventsToldThemAndUpToWhich() async throws {
        try await Harness.run { _, harness in
            var people: Set<ID<User>> = []
            for _ in 0..<3 { people.insert(try await harness.register().id) }
            let snapshots = UserSnapshots(database: harness.database)
            var told: [Snapshot<UserRegistered>] = []
            var cursor: Cursor?
            repeat {
                let page = try await snapshots.page(SnapshotQuery(cursor: cursor, limit: 1))
                told += page.items
                cursor = page.nextCursor
            } while cursor != nil
            #expect(told.count == 3 && Set(told.map(\.data.userID)) == people)
            for one in told {
                let last = try await harness.database.queryOne(lastSequence, one.aggregate)
                #expect(one.aggregate == "user:\(one.data.userID)")
                #expect(one.sequence == last)
                let text = try await harness.database.queryOne(registration, one.aggregate)
                let event = try JSON.read(UserRegistered.self, from: Array((text ?? "").utf8))
                #expect(event.username == one.data.username && event.email == one.data.email)
                #expect(event.currency == one.data.currency && event.roles == one.data.roles)
                #expect(event.area == one.data.area && event.timeZone == one.data.timeZone)
            }
        }
    }
}

private let lastSequence = Statement(
    "select max(sequence) from auth.outbox where aggregate = $1"
) { row in try row.int64(0) }

private let registration = Statement(
    "select payload::text from auth.outbox where aggregate = $1 and type = 'user.registered'"
) { row in try row.string(0) }
