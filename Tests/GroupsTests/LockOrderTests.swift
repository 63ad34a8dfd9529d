import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// A person's lock comes before any row that their erasure takes: none waits in a circle.
@Suite struct LockOrderTests {
    /// What takes a person's lock while the erasure has it.
    private enum Work: CaseIterable {
        case sendByInviter, sendToInvitee, accept, reject
    }

    private func person(_ user: ID<User>, _ name: String) -> Person {
        Person(UserRegistered.of(user, name))
    }

    /// Whoever waits for the erasure holds no row of the group or of its invitations.
    @Test(arguments: Work.allCases)
    private func whoWaitsForAnErasureHoldsNothingThatItTakes(_ work: Work) async throws {
        try await Harness.run { actor, harness in
            let group = try await harness.makeGroup(of: 2)
            let bob = ID<User>.new()
            try await harness.database.transaction { transaction in
                let event = UserRegistered.of(bob, "bob")
                try await harness.parts.people.apply(
                    EventEnvelope(
                        id: .new(),
                        source: .auth,
                        time: .now(),
                        aggregate: "user:x",
                        sequence: 1,
                        body: event
                    ),
                    in: transaction
                )
            }
            let (ada, invited) = (person(group.users[0], "p0"), person(bob, "bob"))
            var asked: ID<Invitation>?
            if work == .accept || work == .reject {
                asked = try await harness.database.transaction { transaction in
                    try await harness.parts.invitations.insert(
                        Invited(name: .username("bob"), person: invited),
                        to: .group(group.id, name: "Flat"),
                        by: ada,
                        in: transaction
                    ).id
                }
            }
            let (bound, invitation) = (LoopBound(harness, to: actor), asked)
            let erased = work == .sendByInviter ? ada.id : bob
            let task = try await harness.database.transaction { transaction in
                try await transaction.execute(ErasedUserStatements.lock, erased.text)
                let task = actor.spawn { actor in
                    do {
                        if let invitation {
                            try await bound.on(actor).answer(
                                invitation,
                                isAccepted: work == .accept,
                                by: invited
                            )
                        } else {
                            _ = try await bound.on(actor).send(
                                Invitee(username: "bob"),
                                to: group.id,
                                by: ada
                            )
                        }
                    } catch { Issue.record("\(work): \(error)") }
                }
                try await untilOneWaits(for: transaction, on: actor)
                let isFree = try await transaction.queryOne(lockGroup, group.id)
                #expect(isFree == true)
                let invitations = try await transaction.query(lockInvitations, group.id)
                #expect(invitations.count == (invitation == nil ? 0 : 1))
                return task
            }
            await task.value
        }
    }

    /// A consumer holds the place of somebody's events when it takes their lock: an erasure does
    /// so, too, or the two wait for each other.
    @Test func anErasureWaitsForTheConsumerBeforeItLocks() async throws {
        try await Harness.run { actor, harness in
            let ada = ID<User>.new()
            let bound = LoopBound(harness, to: actor)
            let task = try await harness.database.transaction { transaction in
                try await transaction.execute(moveOn, "user:" + ada.text)
                let task = actor.spawn { actor in
                    do {
                        try await bound.on(actor).parts.people.erase(
                            ErasureOrder(userID: ada, erasedAt: .now(), lastSequence: 7)
                        )
                    } catch { Issue.record("\(error)") }
                }
                try await untilOneWaits(for: transaction, on: actor)
                let isFree = try await transaction.queryOne(tryShare, ada.text)
                #expect(isFree == true)
                return task
            }
            await task.value
            let isErased = try await harness.database.transaction { transaction in
                try await ErasedUsers.contain(ada, in: transaction)
            }
            #expect(isErased)
        }
    }
}

private let lockGroup = Statement(
    "select true from groups.expense_group where id = $1 for no key update skip locked"
) { row in try row.bool(0) }
private let lockInvitations = Statement(
    "select true from groups.invitation where group_id = $1 for update skip locked"
) { row in try row.bool(0) }
private let tryShare = Statement(
    "select pg_try_advisory_xact_lock_shared(hashtextextended($1::text, 4997))"
) { row in try row.bool(0) }
private let moveOn = Statement<Void>(
    "insert into groups.inbox (producer, aggregate, sequence) values ('auth', $1, 6)"
)
