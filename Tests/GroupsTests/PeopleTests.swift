import Loops
import Postgres
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// What groups makes of auth's events, on a real server.
@Suite struct PeopleTests {
    private func registered(_ user: ID<User>, _ username: String = "ada") -> UserRegistered {
        UserRegistered(
            userID: user,
            username: username,
            email: "Ada@example.org",
            language: "it",
            timeZone: "Europe/Rome",
            currency: .jpy,
            registeredAt: .now()
        )
    }

    private func changed(_ user: ID<User>, emailVerified: Bool) -> UserChanged {
        UserChanged(
            userID: user,
            username: "ada",
            email: "Ada@example.org",
            emailVerified: emailVerified,
            firstName: "Ada",
            language: "it",
            timeZone: "Europe/Rome",
            currency: .jpy,
            enabled: true
        )
    }

    private func apply(_ body: some EventBody, _ harness: Harness) async throws {
        let event = EventEnvelope(
            id: .new(),
            source: .auth,
            time: .now(),
            aggregate: "user:x",
            sequence: 1,
            body: body
        )
        try await harness.database.transaction { transaction in
            try await harness.parts.people.apply(event, in: transaction)
        }
    }

    private func groups(_ user: ID<User>, _ harness: Harness) async throws -> [GroupView] {
        try await harness.parts.groups.list(GroupQuery(), of: user).items
    }

    @Test func thePersonalGroupIsMadeOnceHoweverOftenSomebodyIsToldOf() async throws {
        try await Harness.run { actor, harness in
            let user = ID<User>.new()
            let bound = LoopBound(harness, to: actor)
            let body = registered(user)
            let tasks = (0..<8).map { _ in
                actor.spawn { actor in
                    do { try await apply(body, bound.on(actor)) } catch { Issue.record("\(error)") }
                }
            }
            for task in tasks { await task.value }
            try await apply(changed(user, emailVerified: true), harness)
            let made = try await groups(user, harness)
            #expect(made.map(\.isPersonal) == [true] && made.map(\.currency) == [.jpy])
            let told = try await harness.told(GroupCreated.eventType)
            #expect(told == 1)
        }
    }

    @Test func aProofOnceHeardOfIsNotTakenBackByALateRegistration() async throws {
        try await Harness.run { _, harness in
            let user = ID<User>.new()
            try await apply(changed(user, emailVerified: true), harness)
            try await apply(registered(user), harness)
            let person = try await harness.database.queryOne(PeopleStatements.find, user)
            #expect(person?.isEmailVerified == true && person?.displayName == "Ada")
            let email = try #require(EmailAddress("ADA@example.org"))
            let found = try await harness.parts.people.known(by: email)
            #expect(found?.id == user)
            let named = try await harness.parts.people.find(username: "ADA")
            #expect(named?.id == user)
        }
    }

    @Test func anAnswerOlderThanTheLastEventChangesNothing() async throws {
        try await Harness.run { _, harness in
            let user = ID<User>.new()
            try await apply(registered(user, "first"), harness)
            let known = try #require(
                try await harness.database.queryOne(PeopleStatements.find, user)
            )
            let answer = InternalUser(
                id: user,
                username: "first",
                email: "ada@example.org",
                emailVerified: false,
                language: "it",
                timeZone: "Europe/Rome",
                currency: .jpy,
                roles: [.user],
                enabled: true
            )
            let people = PeopleStore(
                database: harness.database,
                relayBell: RelayBell()
            ) { _ in
                // Auth has answered; the event of a change comes before its answer does.
                try await apply(changed(user, emailVerified: true), harness)
                return answer
            }
            let told = try await people.refreshed(known)
            #expect(told.username == "first")
            let kept = try await harness.database.queryOne(PeopleStatements.find, user)
            #expect(kept?.isEmailVerified == true && kept?.displayName == "Ada")
        }
    }

    @Test func whatAnErasedUserOwesStaysWithoutTheirName() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            let (ada, bob) = (group.users[0], group.users[1])
            try await apply(registered(ada), harness)
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.expenses.add(
                    NewExpense(
                        name: "Rent",
                        amount: Money(minorUnits: 10, .eur),
                        split: Split(
                            kind: .equal,
                            parts: group.members.map { SplitPart(memberID: $0) }
                        )
                    ),
                    to: group.id,
                    by: ada,
                    today: Period.ever.start,
                    in: transaction
                )
            }
            let before = try await harness.parts.balances.view(of: group.id, for: bob)
            try await apply(UserErased(userID: ada, erasedAt: .now()), harness)
            let after = try await harness.parts.balances.view(of: group.id, for: bob)
            #expect(after == before)
            let left = try await groups(ada, harness)
            #expect(left.isEmpty)
            let query = MemberQuery(hasLeft: true)
            let members = try await harness.parts.members.list(query, of: group.id, for: bob).items
            #expect(members.map(\.userID) == [nil, bob])
            let names = members.map(\.displayName)
            #expect(!names.contains("ada"))
            let told = try await harness.told(GroupMemberLeft.eventType)
            #expect(told == 1)
            let person = try await harness.database.queryOne(PeopleStatements.find, ada)
            #expect(person == nil)
        }
    }

    @Test func aPersonalGroupWithMoneyInItGoesWithItsUser() async throws {
        try await Harness.run { _, harness in
            let ada = ID<User>.new()
            try await apply(registered(ada), harness)
            let personal = try #require(try await groups(ada, harness).first)
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.expenses.add(
                    NewExpense(name: "Rent", amount: Money(minorUnits: 10, .jpy)),
                    to: personal.id,
                    by: ada,
                    today: Period.ever.start,
                    in: transaction
                )
            }
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.thresholds.make(
                    NewThreshold(amount: Money(minorUnits: 1, .jpy)),
                    for: personal.id,
                    by: ada,
                    today: Period.ever.start,
                    in: transaction
                )
            }
            try await apply(UserErased(userID: ada, erasedAt: .now()), harness)
            let rows = try await rowsOfGroups(harness)
            #expect(rows == 0)
            let told = try await harness.told(GroupChanged.eventType)
            #expect(told == 1)
        }
    }

    @Test func aGroupGoesWithTheLastOfItsUsers() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            let parts = group.members.map { SplitPart(memberID: $0) }
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.expenses.add(
                    NewExpense(
                        name: "Rent",
                        amount: Money(minorUnits: 10, .eur),
                        split: Split(kind: .equal, parts: parts)
                    ),
                    to: group.id,
                    by: group.users[0],
                    today: Period.ever.start,
                    in: transaction
                )
            }
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.settlements.settle(
                    NewSettlement(withMemberID: group.members[0]),
                    in: group.id,
                    by: group.users[1],
                    today: Period.ever.start,
                    in: transaction
                )
            }
            try await apply(UserErased(userID: group.users[0], erasedAt: .now()), harness)
            let kept = try await rowsOfGroups(harness)
            #expect(kept > 0)
            try await apply(UserErased(userID: group.users[1], erasedAt: .now()), harness)
            let rows = try await rowsOfGroups(harness)
            #expect(rows == 0)
        }
    }

    /// Rows of whatever hangs on a group.
    private func rowsOfGroups(_ harness: Harness) async throws -> Int64 {
        let count = Statement(
            """
            select (select count(*) from groups.expense_group)
                + (select count(*) from groups.member) + (select count(*) from groups.expense)
                + (select count(*) from groups.expense_share)
                + (select count(*) from groups.settlement_payment)
                + (select count(*) from groups.member_balance)
                + (select count(*) from groups.threshold)
            """
        ) { row in try row.int64(0) }
        return try await harness.database.queryOne(count) ?? -1
    }

    @Test func whoeverNeverProvedAnAddressTakesNoInvitationOfItAway() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 1)
            let address = try #require(EmailAddress("ada@example.org"))
            let inviter = Person(UserRegistered.of(group.users[0], "p0"))
            try await harness.database.transaction { transaction in
                _ = try await harness.parts.invitations.insert(
                    Invited(name: .email(address), person: nil),
                    to: .group(group.id, name: "Flat"),
                    by: inviter,
                    in: transaction
                )
            }
            // Somebody else registers with the address, and goes without having proved it.
            let mallory = ID<User>.new()
            try await apply(registered(mallory, "mallory"), harness)
            try await apply(UserErased(userID: mallory, erasedAt: .now()), harness)
            let ada = ID<User>.new()
            try await apply(changed(ada, emailVerified: true), harness)
            let person = try #require(
                try await harness.database.queryOne(PeopleStatements.find, ada)
            )
            let seen = try await harness.parts.invitations.list(PageQuery(), of: person)
            #expect(seen.items.count == 1)
            // Who has proved it takes them along.
            try await apply(UserErased(userID: ada, erasedAt: .now()), harness)
            let open = try await harness.database.queryOne(
                InvitationStatements.isEmailAsked,
                "ada@example.org"
            )
            #expect(open == false)
        }
    }
}

extension UserRegistered {
    /// Somebody who has just registered.
    static func of(_ user: ID<User>, _ username: String) -> UserRegistered {
        UserRegistered(
            userID: user,
            username: username,
            email: "\(username)@example.org",
            language: "en",
            timeZone: "UTC",
            currency: .eur,
            registeredAt: .now()
        )
    }
}
