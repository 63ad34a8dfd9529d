import HTTP
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import AuthService

/// What is decided before anybody else is asked; the rest takes the whole suite (test_erasure.py).
@Suite struct ErasureTests {
    @Test func withoutPasswordTheLogInMustBeFresh() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let stale = try await harness.staleToken(of: person)
            let answer = try await harness.delete(by: stale)
            #expect(answer.status == 403 && answer.text.contains("step-up-required"))
            let wrong = try await harness.delete(by: stale, password: "another-horse-1")
            #expect(wrong.status == 422 && wrong.text.contains("wrong-password"))
            // Nobody to ask here: what was proved is past the proof and waits for the ledger.
            let right = try await harness.delete(by: stale, password: Harness.password)
            #expect(right.status == 503)
            let rows = try await harness.database.query(erasures, person.id)
            #expect(rows == [0])
        }
    }

    @Test func wrongPasswordsAreSlowedDown() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let token = try await harness.staleToken(of: person)
            var statuses: Set<Int> = []
            for _ in 0..<9 {
                let answer = try await harness.delete(by: token, password: "another-horse-1")
                statuses.insert(answer.status)
                try await harness.prolongWaits()
            }
            #expect(statuses == [422, 429])
        }
    }

    @Test func theLastAdministratorStays() async throws {
        try await Harness.run { _, harness in
            let first = try await harness.register()
            let second = try await harness.register()
            try await harness.database.execute(makeAdmin, [first.id])
            let store = harness.parts.erasures
            let holder = try harness.holder(first.session)
            await #expect(throws: APIError(.lastAdmin)) {
                _ = try await store.begin(first.id, by: holder)
            }
            try await harness.database.execute(makeAdmin, [second.id])
            // Of two, one may go, and the other is the last from then on.
            await #expect(throws: APIError.self) {
                _ = try await store.begin(first.id, by: holder)
            }
            let rows = try await harness.database.query(erasures, first.id)
            #expect(rows == [0])
            await #expect(throws: APIError(.lastAdmin)) {
                _ = try await store.begin(second.id, by: holder)
            }
        }
    }

    @Test func manyCallsMakeOneErasure() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let store = harness.parts.erasures
            let holder = try harness.holder(person.session)
            for _ in 0..<4 {
                await #expect(throws: APIError.self) {
                    _ = try await store.begin(person.id, by: holder)
                }
            }
            let rows = try await harness.database.query(erasures, person.id)
            #expect(rows == [0])
            let parts = try await harness.database.query(partsOf, person.id)
            #expect(parts == ["accounts"])
        }
    }

    @Test func aReceiptOpensByItsSecretAlone() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let holder = try harness.holder(person.session)
            _ = try? await harness.parts.erasures.begin(person.id, by: holder)
            for token in ["", "x", String(repeating: "A", count: 43), person.id.text] {
                let answer = try await harness.rig.call(.get, "/v1/deletion-receipts/" + token)
                #expect(answer.status == 404)
            }
        }
    }
}

extension Harness {
    /// A token of somebody who proved who they are more than ten minutes ago.
    fileprivate func staleToken(
        of person: (email: String, session: SessionTokens, id: ID<User>)
    ) async throws -> String {
        try await database.execute(age, person.id)
        let answer = try await refresh(person.session.refreshToken)
        let tokens = try JSON.read(SessionTokens.self, from: answer.body)
        return try #require(tokens.accessToken)
    }

    fileprivate func delete(
        by token: String,
        password: String? = nil
    ) async throws -> ServiceRig.Answer {
        try await rig.call(
            .post,
            "/v1/users/me/deletion",
            body: JSON.write(DeletionRequest(password: password)),
            token: token
        )
    }
}

private let age = Statement<Void>(
    """
    update auth.session set authenticated_at = now() - interval '601 seconds'
    where user_id = $1
    """
)

private let erasures = Statement("select stage from auth.erasure where user_id = $1") { row in
    Int(try row.int16(0))
}

private let partsOf = Statement(
    """
    select part from auth.erasure_part
    join auth.erasure on erasure.id = erasure_id
    where user_id = $1
    """
) { row in try row.string(0) }

private let makeAdmin = Statement<Void>(
    "update auth.user_account set roles = array['admin', 'user'] where id = any ($1)"
)
