import Foundation
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import NotificationsService
@testable import ServiceKit

/// That everybody's figures are there is mailed to those who may read them, once.
@Suite struct MonthlyReportTests {
    private static let kept = Statement(
        """
        select user_id, expires_at
        from notifications.message
        where template = 'monthly-report'
        order by user_id
        """
    ) { row in
        (user: try row.value(0, as: ID<User>.self), expiresAt: try row.value(1, as: Instant.self))
    }

    private static func changed(
        _ user: ID<User>,
        _ roles: [Role],
        language: String = "en",
        enabled: Bool = true,
        at address: String? = nil,
        verified: Bool = true
    ) -> UserChanged {
        UserChanged(
            userID: user,
            username: "u",
            email: address ?? "\(user)@example.org",
            emailVerified: verified,
            language: language,
            timeZone: "UTC",
            currency: .eur,
            enabled: enabled,
            roles: roles
        )
    }

    private static func released(_ month: Month, at time: Instant = .now()) -> EventEnvelope {
        EventEnvelope(
            id: .new(),
            source: .analytics,
            time: time,
            aggregate: "insights:months",
            sequence: 1,
            body: InsightsMonthReleased(month: month)
        )
    }

    private static func tell(_ harness: Harness, _ events: EventEnvelope...) async throws {
        let reports = MonthlyReports(
            messages: MessageStore(
                database: harness.database,
                seal: try Harness.seal(),
                bell: WorkBell(on: harness.rig.service.loop)
            ),
            publicURL: ServiceRig.publicURL
        )
        for event in events {
            try await harness.database.transaction { transaction in
                try await reports.apply(event, in: transaction)
            }
        }
    }

    private static func change(_ harness: Harness, _ body: some EventBody) async throws {
        try await harness.database.transaction { transaction in
            try await PeopleEvents.apply(harness.event(body), in: transaction)
        }
    }

    private static func told(_ harness: Harness) async throws -> [ID<User>] {
        try await harness.database.query(kept).map(\.user)
    }

    @Test func eachWhoMayReadThemIsMailedOnceAMonthWhateverIsRepeated() async throws {
        let (october, november) = (try month("2026-10"), try month("2026-11"))
        try await Harness.run { _, harness in
            let (ada, bob, cleo) = (ID<User>.new(), ID<User>.new(), ID<User>.new())
            try await Self.change(harness, Self.changed(ada, [.coo], language: "it"))
            try await Self.change(harness, Self.changed(bob, [.user, .admin]))
            try await Self.change(harness, Self.changed(cleo, [.user, .coo]))
            let event = Self.released(october)
            try await Self.tell(harness, event, event, Self.released(october))
            #expect(try await Self.told(harness) == [ada, cleo].sorted())
            try await harness.deliverAll()
            try await Self.tell(harness, event)
            try await harness.deliverAll()
            #expect(harness.mail.mails.count == 2)
            // Of another month again, but whoever has lost the role, or may not sign in.
            try await Self.change(harness, Self.changed(ada, [.user]))
            try await Self.change(harness, Self.changed(cleo, [.coo], enabled: false))
            let dan = ID<User>.new()
            try await Self.change(harness, Self.changed(dan, [.coo]))
            try await Self.tell(harness, Self.released(november))
            #expect(try await Self.told(harness) == [ada, cleo, dan].sorted())
        }
    }

    /// A mailbox that is left, an address that is nobody's yet, a role that is withdrawn.
    @Test func whatWaitsIsMailedToNobodyWhoMayNotReadItAnyMore() async throws {
        let october = try month("2026-10")
        try await Harness.run { _, harness in
            let users = (0..<5).map { _ in ID<User>.new() }
            for user in users { try await Self.change(harness, Self.changed(user, [.coo])) }
            let unproved = ID<User>.new()
            try await Self.change(harness, Self.changed(unproved, [.coo], verified: false))
            try await Self.tell(harness, Self.released(october))
            #expect(try await Self.told(harness) == users.sorted())
            for now in [
                Self.changed(users[0], [.coo], language: "it"),
                Self.changed(users[1], [.user]),
                Self.changed(users[2], [.coo], enabled: false),
                Self.changed(users[3], [.coo], at: "new@example.org"),
                Self.changed(users[4], [.coo], verified: false),
            ] {
                try await Self.change(harness, now)
            }
            #expect(try await Self.told(harness) == [users[0]])
        }
    }

    @Test func whoIsErasedAndWhatIsOldIsMailedToNobody() async throws {
        let october = try month("2026-10")
        try await Harness.run { _, harness in
            let (ada, bob) = (ID<User>.new(), ID<User>.new())
            for user in [ada, bob] {
                try await Self.change(harness, Self.changed(user, [.coo]))
            }
            try await Self.change(harness, UserErased(userID: ada, erasedAt: .now()))
            let old = Instant.now().adding(seconds: -8 * 86_400)
            try await Self.tell(harness, Self.released(october, at: old))
            #expect(try await Self.told(harness).isEmpty)
            let time = Instant.now().adding(seconds: -86_400)
            try await Self.tell(harness, Self.released(october, at: time))
            #expect(try await Self.told(harness) == [bob])
            let message = try #require(try await harness.database.queryOne(Self.kept))
            #expect(message.expiresAt == time.adding(seconds: 7 * 86_400))
        }
    }

    @Test(arguments: [("en", "Oct 1, 2026"), ("it", "1 ott 2026")])
    func theMailSaysWhichMonthAndWhere(_ language: String, _ from: String) {
        let link = "https://w/insights?month=2026-10"
        let text = MessageText(
            .monthlyReport,
            language: language,
            parameters: ["from": "2026-10-01", "to": "2026-10-31", "link": link]
        )
        #expect(text.subject.contains(from) && text.text.contains(from))
        #expect(text.text.contains(link))
    }

    private func month(_ text: String) throws -> Month { try #require(Month(text)) }
}
