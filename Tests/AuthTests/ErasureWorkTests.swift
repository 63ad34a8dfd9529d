import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What auth itself does once the others have been told.
@Suite struct ErasureWorkTests {
    private func going(_ user: ID<User>, stage: Int16, _ harness: Harness) async throws {
        let id = ID<Erasure>.new()
        try await harness.database.execute(insertErasure, id, user, stage)
        for part in ErasureWork.parts(ofStage: stage) {
            try await harness.database.execute(insertPart, id, part.rawValue)
        }
    }

    /// Others have been told up to a sequence: none comes behind it but the last.
    @Test func whoIsGoingIsChangedNoMore() async throws {
        try await Harness.run { _, harness in
            let (ada, bob) = (try await harness.register(), try await harness.register())
            let keys = harness.parts.configuration.phoneKeys
            for person in [ada, bob] {
                let email = "new\(person.id.text.suffix(12))@example.org"
                _ = try await harness.parts.profiles.change(
                    by: try ProfileChange(
                        ProfileChanges(email: .set(email)),
                        by: .admin,
                        phoneKeys: keys
                    ),
                    of: harness.holder(person.session),
                    ifMatch: nil
                )
            }
            try await harness.database.execute(makeDue)
            try await going(ada.id, stage: 1, harness)
            let before = try await harness.database.queryOne(told, ada.id.text)
            let change = try ProfileChange(
                ProfileChanges(firstName: .set("Ada")),
                by: .admin,
                phoneKeys: keys
            )
            await #expect(throws: APIError.notFound) {
                _ = try await harness.parts.profiles.change(
                    by: change,
                    of: harness.holder(ada.session),
                    ifMatch: nil
                )
            }
            // What waits for her stays as it is; what waits for others does not wait for her.
            try await harness.parts.pending.settleDue()
            let after = try await harness.database.queryOne(told, ada.id.text)
            #expect(before == after)
            let kept = try await harness.parts.users.profile(ada.id)
            #expect(kept?.email == ada.email)
            let other = try await harness.parts.users.profile(bob.id)
            #expect(other?.email != bob.email)
        }
    }

    @Test func whoIsGoingIsMailedNoCodeByAnAdministrator() async throws {
        try await Harness.run { _, harness in
            let ada = try await harness.register()
            let chief = try await AdminTests.admin(harness)
            try await going(ada.id, stage: 1, harness)
            let answer = try await harness.rig.call(
                .post,
                "/v1/users/\(ada.id)/password-recoveries",
                headers: [("Idempotency-Key", "one-key-of-sixteen")],
                token: chief.token
            )
            #expect(answer.status == 404, "\(answer.text)")
            let mails = try await harness.messages(to: ada.email)
            #expect(!mails.contains { $0.0 == .recoveryCode })
        }
    }

    /// A call that holds the person's row is waited for before anything is cleared.
    @Test func whatIsWrittenMeanwhileGoes() async throws {
        try await Harness.run { actor, harness in
            let ada = try await harness.register()
            try await going(ada.id, stage: 2, harness)
            let bound = LoopBound(harness, to: actor)
            let task = try await harness.database.transaction { transaction in
                try await transaction.execute(ErasedRowStatements.lockUser, ada.id)
                let task = actor.spawn { actor in
                    do {
                        let harness = bound.on(actor)
                        _ = try await harness.parts.erasureWork(harness.rig.service).doOne()
                    } catch { Issue.record("\(error)") }
                }
                try await untilOneWaits(for: transaction, on: actor)
                try await transaction.execute(insertMail, ada.id)
                return task
            }
            await task.value
            let left = try await harness.database.queryOne(mailsOf, ada.id)
            #expect(left == 0)
            let gone = try await harness.parts.users.profile(ada.id)
            #expect(gone == nil)
        }
    }
}

private let insertErasure = Statement<Void>(
    """
    insert into auth.erasure (id, user_id, requested_by, receipt_hash, stage, agreed_at)
    values ($1, $2, $2, decode(md5($1::text) || md5('x'), 'hex'), $3, now())
    """
)
private let insertPart = Statement<Void>(
    "insert into auth.erasure_part (erasure_id, part) values ($1, $2)"
)
private let makeDue = Statement<Void>(
    "update auth.pending_change set due_at = due_at - interval '7 days'"
)
private let told = Statement(
    "select count(*) from auth.outbox where aggregate = 'user:' || $1::text"
) { row in try row.int64(0) }
private let insertMail = Statement<Void>(
    """
    insert into auth.message_job (id, user_id, sealed, expires_at)
    values (gen_random_uuid(), $1, '\\x00', now() + interval '1 day')
    """
)
private let mailsOf = Statement("select count(*) from auth.message_job where user_id = $1") {
    row in try row.int64(0)
}
