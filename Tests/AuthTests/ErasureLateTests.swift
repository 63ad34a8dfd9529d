import HTTP
import Loops
import Messaging
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What comes late of somebody who is erased goes, too, and nobody waits for it.
@Suite struct ErasureLateTests {
    /// What a purge was asked to do elsewhere; one loop's own.
    private final class Calls {
        var told: [ID<User>] = []
        var purged: [ID<User>] = []
        var refuses = false
    }

    private func latePurge(_ harness: Harness, _ calls: Calls) -> LatePurge {
        LatePurge(
            database: harness.database,
            logger: harness.rig.service.logger,
            begun: BegunWork(database: harness.database)
        ) { erasure in
            if calls.refuses { throw APIError(.unavailable) }
            calls.told.append(erasure.user)
        } purgeStream: { erasure in
            calls.purged.append(erasure.user)
        }
    }

    /// Somebody of whom all but the stream's part is done, with the last event in the outbox.
    private func erased(
        _ harness: Harness
    ) async throws -> (user: ID<User>, turn: ErasureTurn, event: ID<Event>) {
        let (user, erasure, event) = (ID<User>.new(), ID<Erasure>.new(), ID<Event>.new())
        try await harness.database.transaction { transaction in
            try await Outbox.append(
                UserErased(userID: user, erasedAt: .now()),
                of: "user:" + user.text,
                id: event,
                in: transaction
            )
        }
        try await harness.database.execute(insertErasure, erasure, user, event)
        try await harness.database.execute(insertPart, erasure)
        return (user, ErasureTurn(erasure: erasure, part: .history, number: 0), event)
    }

    private func end(_ turn: ErasureTurn, _ harness: Harness) async throws {
        try await harness.database.transaction { transaction in
            try await ErasureWork.finish(turn, in: transaction)
        }
    }

    @Test func theReceiptDoesNotWaitForIt() async throws {
        try await Harness.run { _, harness in
            let (user, turn, _) = try await erased(harness)
            let calls = Calls()
            let none = try await latePurge(harness, calls).doOne()
            #expect(!none)
            try await end(turn, harness)
            let row = try await harness.database.queryOne(ErasureStatements.find, turn.erasure)
            #expect(row?.stage == 4 && row?.completedAt != nil)
            // Ten minutes later, not at once; once, however often the end is reached.
            try await end(turn, harness)
            let seconds = try await harness.database.query(dueIn)
            #expect(seconds.count == 1 && (590...600).contains(seconds[0]))
            let early = try await latePurge(harness, calls).doOne()
            #expect(!early && calls.told.isEmpty)
            try await harness.database.execute(makeDue)
            let late = try await latePurge(harness, calls).doOne()
            #expect(late && calls.told == [user] && calls.purged == [user])
            let left = try await harness.database.query(dueIn)
            #expect(left.isEmpty)
        }
    }

    @Test func whatWasToldLateGoesAndTheLastEventStays() async throws {
        try await Harness.run { _, harness in
            let (user, turn, event) = try await erased(harness)
            try await end(turn, harness)
            try await harness.database.transaction { transaction in
                try await Outbox.append(
                    UserErased(userID: user, erasedAt: .now()),
                    of: "user:" + user.text,
                    in: transaction
                )
            }
            try await harness.database.execute(insertMail, user)
            try await harness.database.execute(insertMail, ID<User>.new())
            try await harness.database.execute(makeDue)
            let calls = Calls()
            let isDone = try await latePurge(harness, calls).doOne()
            #expect(isDone)
            let events = try await harness.database.query(eventsOf, "user:" + user.text)
            #expect(events == [event.text])
            let mails = try await harness.database.queryOne(mailCount)
            #expect(mails == 1)
        }
    }

    @Test func itIsTriedAgainUntilEverybodyHasBeenTold() async throws {
        try await Harness.run { _, harness in
            let (user, turn, _) = try await erased(harness)
            try await end(turn, harness)
            try await harness.database.execute(makeDue)
            let calls = Calls()
            calls.refuses = true
            let tried = try await latePurge(harness, calls).doOne()
            #expect(tried && calls.purged.isEmpty)
            let wait = try await harness.database.query(dueIn)
            #expect(wait.count == 1 && wait[0] < 60)
            calls.refuses = false
            try await harness.database.execute(makeDue)
            let again = try await latePurge(harness, calls).doOne()
            #expect(again && calls.purged == [user])
            let none = try await latePurge(harness, calls).doOne()
            #expect(!none)
        }
    }

    /// A replica that is killed leaves the row, and one that was only slow has no say any more.
    @Test func aTurnThatWasLeftIsTakenByTheNext() async throws {
        try await Harness.run { _, harness in
            let (user, turn, _) = try await erased(harness)
            try await end(turn, harness)
            try await harness.database.execute(makeDue)
            let claim = LatePurgeStatements.claim
            let lost = try #require(
                try await harness.database.queryOne(claim, ErasureStatements.turnSeconds)
            )
            let taken = try await harness.database.queryOne(claim, ErasureStatements.turnSeconds)
            #expect(taken == nil)
            try await harness.database.execute(makeDue)
            let calls = Calls()
            calls.refuses = true
            _ = try await latePurge(harness, calls).doOne()
            try await harness.database.execute(
                LatePurgeStatements.delete,
                lost.erasure,
                lost.number
            )
            calls.refuses = false
            try await harness.database.execute(makeDue)
            let next = try await latePurge(harness, calls).doOne()
            #expect(next && calls.told == [user] && calls.purged == [user])
        }
    }
}

private let insertErasure = Statement<Void>(
    """
    insert into auth.erasure
        (id, user_id, requested_by, receipt_hash, stage, agreed_at, event_id)
    values ($1, $2, $2, decode(md5($1::text) || md5('x'), 'hex'), 3, now(), $3)
    """
)
private let insertPart = Statement<Void>(
    "insert into auth.erasure_part (erasure_id, part) values ($1, 'history')"
)
private let dueIn = Statement(
    "select ceil(extract(epoch from due_at - now()))::bigint from auth.late_purge"
) { row in try row.int64(0) }
private let makeDue = Statement<Void>("update auth.late_purge set due_at = now()")
private let insertMail = Statement<Void>(
    """
    insert into auth.message_job (id, user_id, sealed, expires_at)
    values (gen_random_uuid(), $1, '\\x00', now() + interval '1 day')
    """
)
private let eventsOf = Statement(
    "select event_id::text from auth.outbox where aggregate = $1"
) { row in try row.string(0) }
private let mailCount = Statement("select count(*) from auth.message_job") { row in
    try row.int64(0)
}
