import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Recovering a forgotten password by a mailed code.
@Suite struct RecoveryTests {
    private func begin(_ harness: Harness, _ email: String) async throws -> RecoveryView {
        let answer = try await harness.post("/v1/password-recoveries", NewRecovery(email: email))
        try #require(answer.status == 202, "\(answer.text)")
        return try JSON.read(RecoveryView.self, from: answer.body)
    }

    private func answer(
        _ harness: Harness,
        _ id: ID<PasswordRecovery>,
        _ code: String
    ) async throws -> ServiceRig.Answer {
        try await harness.post(
            "/v1/password-recoveries/\(id.text)/answers",
            RecoveryAnswer(code: code)
        )
    }

    private func finish(
        _ harness: Harness,
        _ id: ID<PasswordRecovery>,
        _ token: String,
        _ password: String = PasswordTests.next
    ) async throws -> ServiceRig.Answer {
        try await harness.call(
            .put,
            "/v1/password-recoveries/\(id.text)/password",
            JSON.write(RecoveredPassword(recoveryToken: token, newPassword: password)),
            as: nil
        )
    }

    private func token(_ answer: ServiceRig.Answer) throws -> String {
        try #require(answer.status == 200, "\(answer.text)")
        return try JSON.read(RecoveryProof.self, from: answer.body).recoveryToken
    }

    @Test func aRecoveryEndsSessionsLockoutsAndOtherRecoveries() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            for _ in 0..<8 { _ = try await harness.logIn(person.email, "wrong-horse-battery-7") }
            try await harness.prolongWaits()
            let locked = try await harness.logIn(person.email)
            #expect(locked.status == 429)
            let other = try await self.begin(harness, person.email)
            let otherCode = try await harness.code(for: person.email)
            let recovery = try await self.begin(harness, person.email.uppercased())
            let code = try await harness.code(for: person.email)
            #expect(code.count == 8)
            let token = try self.token(try await self.answer(harness, recovery.id, code))
            let weak = try await self.finish(harness, recovery.id, token, "12345678")
            #expect(weak.status == 422 && weak.text.contains("weak-password"))
            let same = try await self.finish(harness, recovery.id, token, Harness.password)
            #expect(same.code == "same-password")
            let strange = try await self.finish(harness, other.id, token)
            #expect(strange.code == "recovery-expired")
            let done = try await self.finish(harness, recovery.id, token)
            #expect(done.status == 204, "\(done.text)")
            let twice = try await self.finish(harness, recovery.id, token, "yet-another-one-11")
            #expect(twice.code == "recovery-expired")
            let void = try await self.answer(harness, other.id, otherCode)
            #expect(void.code == "recovery-expired")
            let ended = try await harness.refresh(person.session.refreshToken)
            #expect(ended.status == 401)
            let session = try await harness.logIn(person.email, PasswordTests.next)
            #expect(session.status == 201, "the lockout is forgotten: \(session.text)")
            let notices = try await harness.messages(to: person.email)
            #expect(notices.contains { $0.1["change"] == "password-recovered" })
        }
    }

    @Test func knownAndUnknownAddressesAreAlike() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let disabled = try await harness.register()
            let disable = Statement<Void>(
                "update auth.user_account set enabled = false where id = $1"
            )
            try await harness.database.execute(disable, disabled.id)
            let rows = Statement(
                """
                select (select count(*) from auth.password_recovery),
                    (select count(*) from auth.message_job),
                    (select count(*) from auth.code_budget)
                """
            ) { row in try [row.int64(0), row.int64(1), row.int64(2)] }
            var answers: [[String]] = []
            for email in [person.email, "nobody@example.org", disabled.email] {
                let before = try #require(try await harness.database.queryOne(rows))
                let view = try await self.begin(harness, email)
                let after = try #require(try await harness.database.queryOne(rows))
                #expect(after[0] == before[0] + 1 && after[1] == before[1] + 1)
                var told: [String] = []
                for _ in 0..<4 {
                    let answer = try await self.answer(harness, view.id, "abcdefgh")
                    told.append("\(answer.status) \(answer.code ?? "")")
                }
                answers.append(told)
            }
            #expect(answers[0] == answers[1] && answers[1] == answers[2])
            #expect(answers[0].first == "422 wrong-code")
            #expect(answers[0].suffix(2).allSatisfy { $0 == "409 recovery-expired" })
            for email in ["nobody@example.org", disabled.email] {
                let sent = try await harness.messages(to: email).filter { $0.0 == .recoveryCode }
                #expect(sent.isEmpty)
            }
        }
    }

    @Test func rightAnswersAtOnceGiveOneTokenAndWrongOnesThreeTries() async throws {
        try await Harness.run { actor, harness in
            let person = try await harness.register()
            let recovery = try await self.begin(harness, person.email)
            let code = try await harness.code(for: person.email)
            let bound = LoopBound(harness, to: actor)
            let right = try await atOnce(20, on: actor) { actor, _ in
                try await self.answer(bound.on(actor), recovery.id, code).status
            }
            #expect(right.filter { $0 == 200 }.count == 1)
            #expect(right.allSatisfy { $0 == 200 || $0 == 409 })
            let next = try await self.begin(harness, person.email)
            let wrong = try await atOnce(20, on: actor) { actor, _ in
                try await self.answer(bound.on(actor), next.id, "abcdefgh").code
            }
            #expect(wrong.filter { $0 == "wrong-code" }.count == 2)
            #expect(wrong.filter { $0 == "recovery-expired" }.count == 18)
            let nextCode = try await harness.code(for: person.email)
            let late = try await self.answer(harness, next.id, nextCode)
            #expect(late.code == "recovery-expired")
        }
    }

    @Test func aMailboxGetsAFewAndAnAddressAsksAFewTimes() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            for _ in 0..<9 { _ = try await self.begin(harness, person.email) }
            let mails = try await harness.messages(to: person.email)
            #expect(mails.filter { $0.0 == .recoveryCode }.count == Int(CodeBudget.lineMax))
            var last: ServiceRig.Answer?
            for index in 0..<12 {
                last = try await harness.post(
                    "/v1/password-recoveries",
                    NewRecovery(email: "nobody\(index)@example.org")
                )
            }
            #expect(last?.code == "too-many-requests")
        }
    }

    @Test func aSecondFactorStaysAndAnExpiredCodeIsNone() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            _ = try await harness.enableTotp(person.session.accessToken)
            try await harness.settle(person.id)
            let recovery = try await self.begin(harness, person.email)
            let code = try await harness.code(for: person.email)
            let token = try self.token(try await self.answer(harness, recovery.id, code))
            let done = try await self.finish(harness, recovery.id, token)
            #expect(done.status == 204)
            let begun = try await harness.logIn(person.email, PasswordTests.next)
            let challenge = try harness.view(begun)
            #expect(challenge.channel == .totp)
            let late = try await self.begin(harness, person.email)
            let lateCode = try await harness.code(for: person.email)
            let age = Statement<Void>(
                "update auth.password_recovery set expires_at = now() - interval '1 second'"
            )
            try await harness.database.execute(age)
            let expired = try await self.answer(harness, late.id, lateCode)
            #expect(expired.code == "recovery-expired")
            let unknown = try await self.answer(harness, .new(), "12345678")
            #expect(unknown.status == 404)
        }
    }

    @Test func anAdministratorsRecoveryMailsThePersonAlone() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let view = try await harness.parts.recoveries.begin(for: person.id)
            let code = try await harness.code(for: person.email)
            let token = try self.token(try await self.answer(harness, view.id, code))
            let done = try await self.finish(harness, view.id, token)
            #expect(done.status == 204)
        }
    }
}
