import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// What is left of a person in groups, whatever groups had heard of them.
@Suite struct ErasureTests {
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

    private func changed(_ user: ID<User>, email: String) -> UserChanged {
        UserChanged(
            userID: user,
            username: "bob",
            email: email,
            emailVerified: true,
            firstName: "Bob",
            language: "en",
            timeZone: "UTC",
            currency: .eur,
            enabled: true
        )
    }

    private func order(_ user: ID<User>, sequence: Int = 0, email: String? = nil) -> ErasureOrder {
        ErasureOrder(userID: user, erasedAt: .now(), lastSequence: sequence, email: email)
    }

    /// Asks an address to join a new group.
    private func ask(_ address: String, _ harness: Harness) async throws -> ID<Invitation> {
        let email = try #require(EmailAddress(address))
        let group = try await harness.makeGroup(of: 1)
        let inviter = Person(UserRegistered.of(group.users[0], "p0"))
        return try await harness.database.transaction { transaction in
            try await harness.parts.invitations.insert(
                Invited(name: .email(email), person: nil),
                to: .group(group.id, name: "Flat"),
                by: inviter,
                in: transaction
            ).id
        }
    }

    @Test func whatWasAnsweredGoesThoughTheAddressIsAnotherSince() async throws {
        try await Harness.run { _, harness in
            let bob = ID<User>.new()
            try await apply(changed(bob, email: "old@example.org"), harness)
            let person = try #require(
                try await harness.database.queryOne(PeopleStatements.find, bob)
            )
            for isAccepted in [true, false] {
                let asked = try await ask("old@example.org", harness)
                try await harness.answer(asked, isAccepted: isAccepted, by: person)
            }
            try await apply(changed(bob, email: "new@example.org"), harness)
            _ = try await ask("new@example.org", harness)
            _ = try await ask("somebody@example.org", harness)
            try await harness.parts.people.erase(order(bob))
            let left = try await harness.database.query(addresses)
            #expect(left == ["somebody@example.org"])
        }
    }

    @Test func anAddressGoesThatOnlyAuthKnowsOf() async throws {
        try await Harness.run { _, harness in
            let bob = ID<User>.new()
            try await apply(changed(bob, email: "old@example.org"), harness)
            _ = try await ask("new@example.org", harness)
            _ = try await ask("somebody@example.org", harness)
            try await harness.parts.people.erase(order(bob, email: "new@example.org"))
            let left = try await harness.database.query(addresses)
            #expect(left == ["somebody@example.org"])
        }
    }

    @Test func theLastEventTakesDeadLettersAlong() async throws {
        try await Harness.run { _, harness in
            let (ada, bob) = (ID<User>.new(), ID<User>.new())
            for user in [ada, bob] {
                try await harness.database.execute(bury, "user:" + user.text)
            }
            try await apply(UserErased(userID: ada, erasedAt: .now()), harness)
            let left = try await harness.database.query(deadLetters)
            #expect(left == ["user:" + bob.text])
        }
    }

    /// A consumer holds the sequence while it buries an event: what it buries is found.
    @Test func aLetterThatDiesMeanwhileGoes() async throws {
        try await Harness.run { actor, harness in
            let ada = ID<User>.new()
            let aggregate = "user:" + ada.text
            let bound = LoopBound(harness, to: actor)
            let told = order(ada, sequence: 7)
            let task = try await harness.database.transaction { transaction in
                try await transaction.execute(moveOn, aggregate)
                let task = actor.spawn { actor in
                    do {
                        try await bound.on(actor).parts.people.erase(told)
                    } catch { Issue.record("\(error)") }
                }
                try await untilOneWaits(for: transaction, on: actor)
                try await transaction.execute(bury, aggregate)
                return task
            }
            await task.value
            let left = try await harness.database.query(deadLetters)
            #expect(left.isEmpty)
        }
    }

    /// Whoever holds a group may commit a key while the erasure waits for it.
    @Test func aKeyThatIsAnsweredMeanwhileGoes() async throws {
        try await Harness.run { actor, harness in
            let group = try await harness.makeGroup(of: 2)
            let (ada, bob) = (group.users[0], group.users[1])
            let bound = LoopBound(harness, to: actor)
            let told = order(ada)
            let task = try await harness.database.transaction { transaction in
                _ = try await transaction.queryOne(GroupStatements.lock, group.id)
                let task = actor.spawn { actor in
                    do {
                        try await bound.on(actor).parts.people.erase(told)
                    } catch { Issue.record("\(error)") }
                }
                try await untilOneWaits(for: transaction, on: actor)
                for (user, body) in [(ada, "Ada's rent"), (bob, "by \(ada.text)")] {
                    try await transaction.execute(
                        keep,
                        user.text + " POST /v1/x",
                        "{\"status\":201,\"body\":\"\(body)\"}",
                        [ada.text]
                    )
                }
                return task
            }
            await task.value
            let left = try await harness.database.query(keys)
            #expect(left.map(\.scope) == [bob.text + " POST /v1/x"])
            #expect(left.map(\.answer) == [#"{"status": 201}"#])
        }
    }
}

private let keep = Statement<Void>(
    """
    insert into groups.idempotency_key (scope, key, request_hash, answer, people)
    values ($1, 'k', '\\x00', $2, $3)
    """
)
private let keys = Statement("select scope, answer from groups.idempotency_key") { row in
    try (scope: row.string(0), answer: row.string(1))
}

private let addresses = Statement(
    """
    select coalesce(email_folded, invitee) from groups.invitation
    order by 1
    """
) { row in try row.string(0) }
private let bury = Statement<Void>(
    """
    insert into groups.dead_letter (producer, aggregate, sequence, event, error)
    values ('auth', $1, 6, '{"email": "ada@example.org"}', 'bad')
    """
)
private let moveOn = Statement<Void>(
    "insert into groups.inbox (producer, aggregate, sequence) values ('auth', $1, 6)"
)
private let deadLetters = Statement("select aggregate from groups.dead_letter") { row in
    try row.string(0)
}
