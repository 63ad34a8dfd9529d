import Foundation
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import NotificationsService
@testable import ServiceKit

/// The feed: once each, in order, and nobody else's.
@Suite struct FeedTests {
    private func page(
        _ harness: Harness,
        _ token: String,
        _ query: String = ""
    ) async throws -> NotificationPage {
        let answer = try await harness.rig.call(.get, "/v1/notifications" + query, token: token)
        try #require(answer.status == 200, "\(answer.text)")
        return try JSON.read(NotificationPage.self, from: answer.body)
    }

    @Test func anEventMakesOneEntryHoweverOftenItComes() async throws {
        try await Harness.run { _, harness in
            let user = ID<User>.new()
            let event = harness.invitation(of: user)
            for _ in 0..<3 { try await harness.apply(event) }
            let token = harness.rig.token(of: user)
            let mine = try await self.page(harness, token)
            #expect(mine.items.count == 1 && mine.unreadCount == 1)
            let theirs = try await self.page(harness, harness.rig.token(of: .new()))
            #expect(theirs.items.isEmpty && theirs.unreadCount == 0)
        }
    }

    @Test func anExpenseTellsThoseWhomItConcernsAndNotWhoWroteIt() async throws {
        try await Harness.run { _, harness in
            let (ada, bob) = (ID<User>.new(), ID<User>.new())
            let group = ID<Group>.new()
            func money(_ units: Int64) -> Money { Money(minorUnits: units, .eur) }
            func share(_ user: ID<User>?, _ paid: Int64, _ owed: Int64) -> UserShare {
                UserShare(memberID: .new(), userID: user, paid: money(paid), owed: money(owed))
            }
            let event = harness.event(
                GroupExpenseAdded(
                    expenseID: .new(),
                    groupID: group,
                    amount: money(1_000),
                    day: try #require(Day("2026-01-31")),
                    shares: [share(ada, 1_000, 334), share(bob, 0, 333), share(nil, 0, 333)],
                    addedBy: ada
                )
            )
            for _ in 0..<2 { try await harness.apply(event) }
            let told = try await self.page(harness, harness.rig.token(of: bob)).items
            #expect(told.map(\.kind) == [.expenseAdded] && told.map(\.groupID) == [group])
            #expect(told.map(\.amount) == [Total(money(1_000))])
            #expect(told.allSatisfy { $0.text.contains("3.33") })
            let mine = try await self.page(harness, harness.rig.token(of: ada)).items
            #expect(mine.isEmpty)
        }
    }

    @Test func whoIsErasedIsNamedInNobodysFeedByAnEventThatComesLate() async throws {
        try await Harness.run { [self] _, harness in
            let (ada, bob) = (ID<User>.new(), ID<User>.new())
            try await harness.database.transaction { transaction in
                try await ErasedUsers.remember(bob, at: .now(), in: transaction)
            }
            let answered = InvitationAnswered(
                invitationID: .new(),
                groupID: .new(),
                userID: bob,
                invitedBy: ada,
                isAccepted: true
            )
            try await harness.apply(harness.event(answered))
            let told = try await page(harness, harness.rig.token(of: ada)).items
            #expect(told.map(\.kind) == [.invitationAnswered] && told.map(\.userID) == [nil])
        }
    }

    /// The newest first is by when it happened, and ids of postings tell no time.
    @Test func postingsAreToldInTheOrderOfTheirTimes() async throws {
        try await Harness.run { [self] _, harness in
            let user = ID<User>.new()
            let start = Instant.now()
            for cents in 1...20 {
                let posted = try received(
                    Int64(cents),
                    by: user,
                    at: start.adding(seconds: Int64(cents))
                )
                // Alone, and again among others.
                try await harness.follow([posted])
                try await harness.follow([posted, posted])
            }
            let told = try await self.page(harness, harness.rig.token(of: user)).items
            let amounts = (1...20).reversed().map { Total(Money(minorUnits: Int64($0), .eur)) }
            #expect(told.map(\.amount) == amounts)
        }
    }

    /// A posting as the ledger tells of it: of another's money that comes, unless told otherwise.
    private func received(
        _ units: Int64,
        by user: ID<User>,
        at moment: Instant = .now(),
        version: Int = 1,
        kind: PostingKind = .posted,
        isOwn: Bool = false,
        isTransfer: Bool = true
    ) throws -> TransactionPosted {
        TransactionPosted(
            source: JournalLine(entryID: .new(), place: units.magnitude > 0 ? 1 : 2),
            transactionID: .new(),
            version: version,
            kind: kind,
            userID: user,
            accountID: .new(),
            accountKind: .current,
            amount: Money(minorUnits: units, .eur),
            day: try #require(Day("2026-01-31")),
            categoryID: .new(),
            transferID: isTransfer ? .new() : nil,
            isOwnTransfer: isOwn,
            recordedAt: moment
        )
    }

    /// Of all that is posted the payee is told of what somebody else has sent, when it comes.
    @Test func onlyWhatAnotherHasSentIsTold() async throws {
        try await Harness.run { [self] _, harness in
            let user = ID<User>.new()
            try await harness.follow([
                received(-1, by: user), received(2, by: user, version: 2),
                received(3, by: user, kind: .reversed), received(4, by: user, isOwn: true),
                received(5, by: user, isTransfer: false), received(6, by: user),
            ])
            let told = try await self.page(harness, harness.rig.token(of: user)).items
            #expect(told.map(\.amount) == [Total(Money(minorUnits: 6, .eur))])
            #expect(told.map(\.kind) == [.transferReceived])
        }
    }

    @Test func aSettlementTellsTheOtherSide() async throws {
        try await Harness.run { _, harness in
            let (ada, bob) = (ID<User>.new(), ID<User>.new())
            func part(_ currency: Currency) -> SettlementPart {
                SettlementPart(
                    fromMemberID: .new(),
                    toMemberID: .new(),
                    amount: Money(minorUnits: 500, currency)
                )
            }
            for payments in [[part(.eur)], [part(.eur), part(.jpy)]] {
                let body = GroupSettlementRecorded(
                    settlementID: .new(),
                    groupID: .new(),
                    payments: payments,
                    recordedBy: ada,
                    userIDs: [bob]
                )
                try await harness.apply(harness.event(body))
            }
            let told = try await self.page(harness, harness.rig.token(of: bob)).items
            #expect(told.map(\.kind) == [.settlementRecorded, .settlementRecorded])
            #expect(told.map(\.amount) == [nil, Total(minorUnits: 500, .eur)])
            #expect(told.allSatisfy { $0.text.contains("settled") && !$0.text.hasPrefix(" ") })
            let mine = try await self.page(harness, harness.rig.token(of: ada)).items
            #expect(mine.isEmpty)
        }
    }

    @Test func anInvitationSaysWhatItIsTo() async throws {
        try await Harness.run { _, harness in
            let (ada, bob) = (ID<User>.new(), ID<User>.new())
            func sent(
                group: ID<Group>? = nil,
                account: ID<Account>? = nil,
                folder: ID<Folder>? = nil
            ) -> InvitationSent {
                InvitationSent(
                    invitationID: .new(),
                    groupID: group,
                    accountID: account,
                    folderID: folder,
                    userID: bob,
                    invitedBy: ada
                )
            }
            for body in [sent(group: .new()), sent(account: .new()), sent(folder: .new())] {
                try await harness.apply(harness.event(body))
            }
            let told = try await self.page(harness, harness.rig.token(of: bob)).items
            #expect(told.allSatisfy { $0.kind == .invitationReceived } && told.count == 3)
            let texts = Set(told.map(\.text))
            let expected: Set = [
                "You are invited to a group.", "You are invited to a wallet.",
                "You are invited to a folder.",
            ]
            #expect(texts == expected)
            let answered = InvitationAnswered(
                invitationID: .new(),
                folderID: .new(),
                userID: bob,
                invitedBy: ada,
                isAccepted: true
            )
            try await harness.apply(harness.event(answered))
            let answers = try await self.page(harness, harness.rig.token(of: ada)).items
            #expect(answers.map(\.kind) == [.invitationAnswered])
        }
    }

    @Test func readingIsOncesOwnAndStays() async throws {
        try await Harness.run { _, harness in
            let user = ID<User>.new()
            try await harness.apply(harness.invitation(of: user), harness.invitation(of: user))
            let token = harness.rig.token(of: user)
            let id = try #require(try await self.page(harness, token).items.first).id
            let path = "/v1/notifications/\(id.text)/read"
            let stranger = try await harness.rig.call(
                .post,
                path,
                token: harness.rig.token(of: .new())
            )
            #expect(stranger.status == 404)
            let first = try await harness.rig.call(.post, path, token: token)
            let again = try await harness.rig.call(.post, path, token: token)
            #expect(first.status == 200 && first.text == again.text)
            let unread = try await self.page(harness, token, "?unread=true")
            #expect(unread.items.count == 1 && unread.unreadCount == 1)
            let all = try await harness.rig.call(
                .post,
                "/v1/notifications/read-all",
                token: token
            )
            #expect(all.text == #"{"unreadCount":0}"#)
            let after = try await self.page(harness, token)
            #expect(after.items.count == 2 && after.unreadCount == 0)
        }
    }

    @Test func pagesNeitherRepeatNorLose() async throws {
        try await Harness.run { _, harness in
            let user = ID<User>.new()
            for _ in 0..<23 { try await harness.apply(harness.invitation(of: user)) }
            let token = harness.rig.token(of: user)
            for filter in ["", "&unread=true"] {
                var seen: [ID<FeedNotification>] = []
                var cursor = ""
                while true {
                    let page = try await self.page(harness, token, "?limit=5\(filter)\(cursor)")
                    seen += page.items.map(\.id)
                    guard let next = page.nextCursor else { break }
                    cursor = "&cursor=" + JSON.text(next).filter { $0 != "\"" }
                }
                #expect(seen.count == 23 && Set(seen).count == 23)
                #expect(seen == seen.sorted { $0.text > $1.text })
            }
        }
    }
}

/// One open stream, read event by event.
private final class StreamReader {
    private let exchange: HTTPExchange
    private var text = ""
    init(_ exchange: HTTPExchange) { self.exchange = exchange }

    /// The ids of the next so many events; fewer where the stream ends.
    func ids(_ count: Int) async throws -> [String] {
        var ids: [String] = []
        while ids.count < count {
            while let end = text.range(of: "\n\n") {
                for line in text[..<end.lowerBound].split(separator: "\n")
                where line.hasPrefix("id: ") {
                    ids.append(String(line.dropFirst(4)))
                }
                text.removeSubrange(..<end.upperBound)
                if ids.count == count { return ids }
            }
            guard let part = try await exchange.nextBodyPart() else { return ids }
            text += String(decoding: part, as: UTF8.self)
        }
        return ids
    }

    /// Whether it ends, whatever comes before.
    func ends() async -> Bool {
        while true {
            do {
                if try await exchange.nextBodyPart() == nil { return true }
            } catch {
                if case .deadline = error { return false }
                return true
            }
        }
    }
}

@Suite struct StreamTests {
    private func open(
        _ harness: Harness,
        _ token: String,
        after last: String? = nil
    ) async throws -> StreamReader {
        let exchange = try await harness.rig.open(
            .get,
            "/v1/notifications/stream",
            headers: last.map { [("last-event-id" as StaticString, $0)] } ?? [],
            token: token
        )
        try #require(exchange.head.status == 200)
        return StreamReader(exchange)
    }

    private func id(of event: EventEnvelope, for user: ID<User>) -> String {
        FeedLines.id(of: event.id.bytes, at: event.time, for: user).text
    }

    @Test func whatComesIsToldOnce() async throws {
        try await Harness.run { _, harness in
            let user = ID<User>.new()
            try await harness.apply(harness.invitation(of: user))
            let stream = try await self.open(harness, harness.rig.token(of: user))
            let events = (0..<5).map { _ in harness.invitation(of: user) }
            for event in events {
                try await harness.apply(event, event)
                // Somebody else's is not told here.
                try await harness.apply(harness.invitation(of: .new()))
            }
            let told = try await stream.ids(5)
            #expect(told == events.map { self.id(of: $0, for: user) })
        }
    }

    /// Two statements a look and four looks a second; each by itself would come to 320.
    @Test func manyWhoListenCostTheDatabaseAsMuchAsOne() async throws {
        try await Harness.run { actor, harness in
            var streams: [StreamReader] = []
            for _ in 0..<20 {
                streams.append(try await self.open(harness, harness.rig.token(of: .new())))
            }
            try await actor.loop.sleep(nanoseconds: 500_000_000)
            let database = harness.rig.service.database
            let before = database.metrics.statements
            try await actor.loop.sleep(nanoseconds: 2_000_000_000)
            let asked = database.metrics.statements - before
            #expect((2...60).contains(asked))
            streams = []
        }
    }

    @Test func aStreamGoesOnBehindTheLastEvent() async throws {
        try await Harness.run { _, harness in
            let user = ID<User>.new()
            let token = harness.rig.token(of: user)
            let early = harness.invitation(of: user, at: Instant.now().adding(seconds: -30))
            let (first, second) = (harness.invitation(of: user), harness.invitation(of: user))
            try await harness.apply(first, second)
            // Happened before both, and came after them: an event may be held up on its way.
            try await harness.apply(early)
            let stream = try await self.open(
                harness,
                token,
                after: self.id(of: second, for: user)
            )
            let live = harness.invitation(of: user)
            try await harness.apply(live)
            let told = try await stream.ids(2)
            #expect(told == [early, live].map { self.id(of: $0, for: user) })
        }
    }

    @Test func moreThanAPageIsMissedByNobody() async throws {
        try await Harness.run { _, harness in
            let user = ID<User>.new()
            let first = harness.invitation(of: user)
            try await harness.apply(first)
            let many = Statement<Void>(
                """
                insert into notifications.notification (user_id, id, kind, parameters)
                select $1, gen_random_uuid(), 'invitation-received', '{}'
                from generate_series(1, 2500)
                """
            )
            try await harness.database.execute(many, user)
            let stream = try await self.open(
                harness,
                harness.rig.token(of: user),
                after: self.id(of: first, for: user)
            )
            let told = try await stream.ids(2_500)
            #expect(Set(told).count == 2_500)
            // As many at once, while it is open.
            try await harness.database.execute(many, user)
            let more = try await stream.ids(2_500)
            #expect(Set(told + more).count == 5_000)
        }
    }

    @Test(arguments: ["", "x", "0198c0de-0000-7000-8000-000000000000"])
    func anUnknownLastEventIsPassedOver(last: String) async throws {
        try await Harness.run { _, harness in
            let user = ID<User>.new()
            try await harness.apply(harness.invitation(of: user))
            let stream = try await self.open(harness, harness.rig.token(of: user), after: last)
            let live = harness.invitation(of: user)
            try await harness.apply(live)
            let told = try await stream.ids(1)
            #expect(told == [self.id(of: live, for: user)])
        }
    }

    @Test func aRevokedSessionsStreamEnds() async throws {
        try await Harness.run { _, harness in
            let session = ID<Session>.new()
            let stream = try await self.open(
                harness,
                harness.rig.token(of: .new(), session: session)
            )
            harness.rig.service.revocations.add([
                Revocation(
                    kind: .session,
                    sessionID: session,
                    expiresAt: Instant.now().adding(seconds: 60)
                )
            ])
            let ended = await stream.ends()
            #expect(ended)
        }
    }

    /// Nobody revokes a session that ends by itself.
    @Test func aStreamEndsWithItsToken() async throws {
        try await Harness.run { _, harness in
            let stream = try await self.open(
                harness,
                harness.rig.token(of: .new(), lifeSeconds: 3)
            )
            let ended = await stream.ends()
            #expect(ended)
        }
    }

    @Test func aUserHasAFewStreamsOpen() async throws {
        try await Harness.run { actor, harness in
            let token = harness.rig.token(of: .new())
            var streams: [StreamReader] = []
            for _ in 0..<OpenStreams.perUserMax {
                streams.append(try await self.open(harness, token))
            }
            // The last has begun once it says something.
            let refused = try await self.untilRefused(harness, token, on: actor)
            #expect(refused.code == "too-many-requests")
            let other = try await self.open(harness, harness.rig.token(of: .new()))
            streams = []
            // Those that were left make room.
            while true {
                let answer = try await harness.rig.call(
                    .head,
                    "/v1/notifications/stream",
                    token: token
                )
                if answer.status == 200 { break }
                try await actor.loop.sleep(nanoseconds: 50_000_000)
            }
            _ = other
        }
    }

    private func untilRefused(
        _ harness: Harness,
        _ token: String,
        on actor: isolated LoopActor
    ) async throws -> ServiceRig.Answer {
        while true {
            let answer = try await harness.rig.call(
                .head,
                "/v1/notifications/stream",
                token: token
            )
            if answer.status == 429 {
                return try await harness.rig.call(.get, "/v1/notifications/stream", token: token)
            }
            try await actor.loop.sleep(nanoseconds: 20_000_000)
        }
    }
}
