import HTTP
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What one person's failures, codes and rows take from the others.
@Suite struct BoundsTests {
    private static let wrong = "wrong-horse-battery-7"

    @Test func aFailingNeighbourShutsNobodyOutWhoIsKnownThere() async throws {
        try await Harness.run { _, harness in
            let owner = try await harness.registerWithPasskey()
            let stranger = try await harness.register().email
            let forget = Statement<Void>("delete from auth.known_network")
            try await harness.database.execute(forget)
            let first = try await harness.logIn(owner.email)
            #expect(first.status == 201)
            for number in 0..<22 {
                _ = try await harness.logIn("nobody\(number)", Self.wrong)
            }
            try await blockAddress(harness)
            let known = try await harness.logIn(owner.email)
            #expect(known.status == 201)
            let unknown = try await harness.logIn(stranger)
            #expect(unknown.status == 429)
            let passkey = try await harness.logIn(owner.passkey.assert(harness.challenge()))
            #expect(passkey.status == 201, "\(passkey.text)")
        }
    }

    /// Has the line, the count with most failures, wait for a minute.
    private func blockAddress(_ harness: Harness) async throws {
        let block = Statement<Void>(
            """
            update auth.failed_log_in
            set blocked_until = now() + interval '1 minute'
            where failures = (select max(failures) from auth.failed_log_in)
            """
        )
        try await harness.database.execute(block)
    }

    @Test func whatALineFailedIsForgottenByTheHour() async throws {
        try await Harness.run { _, harness in
            for number in 0..<18 { _ = try await harness.logIn("nobody\(number)", Self.wrong) }
            let most = Statement("select max(failures) from auth.failed_log_in") { row in
                try row.int32(0)
            }
            let before = try #require(try await harness.database.queryOne(most))
            #expect(before >= 17)
            let back = Statement<Void>(
                "update auth.failed_log_in set last_failed_at = now() - interval '30 minutes'"
            )
            try await harness.database.execute(back)
            _ = try await harness.logIn("another", Self.wrong)
            let after = try #require(try await harness.database.queryOne(most))
            #expect((before - 10...before - 8).contains(after), "\(before) \(after)")
            // Guesses at one account are remembered for the whole day.
            let one = Statement<Void>(
                "update auth.failed_log_in set failures = 3 where failures < 5"
            )
            try await harness.database.execute(one)
            try await harness.database.execute(back)
            _ = try await harness.logIn("another", Self.wrong)
            let kept = Statement("select count(*) from auth.failed_log_in where failures = 4") {
                row in try row.int64(0)
            }
            let accounts = try await harness.database.queryOne(kept)
            #expect(accounts == 2)
        }
    }

    @Test func passwordsAreBoundedAlikeWhereverTheyAreTold() async throws {
        try await Harness.run { _, harness in
            let long = String(repeating: "correct-horse-7!", count: 16)
            let refused = try await harness.post(
                "/v1/users",
                NewUser(email: "long@example.org", password: long + "x")
            )
            #expect(refused.status == 422)
            let made = try await harness.post(
                "/v1/users",
                NewUser(email: "long@example.org", password: long)
            )
            #expect(made.status == 201, "\(made.text)")
            let answer = try await harness.logIn("long@example.org", long)
            #expect(answer.status == 201)
        }
    }

    @Test func registrationsAreBoundedByLineBeforeAnythingThatCosts() async throws {
        let most = ["EZWALLET_REGISTRATIONS_PER_ADDRESS_MAX": "3"]
        try await Harness.run(most) { _, harness in
            _ = try await harness.register()
            let weak = NewUser(email: "weak@example.org", password: "password")
            // Who is refused has had us look at what they sent all the same.
            for _ in 0..<2 {
                let refused = try await harness.post("/v1/users", weak)
                #expect(refused.status == 422)
            }
            let next = NewUser(email: "next@example.org", password: Harness.password)
            let late = try await harness.post("/v1/users", next)
            #expect(late.status == 429 && late.code == "too-many-requests", "\(late.text)")
            #expect((1...3_601).contains(Int(late.headers["retry-after"] ?? "") ?? 0))
            let mails = try await harness.messages(to: next.email)
            #expect(mails.isEmpty)
            let hour = Statement<Void>(
                "update auth.code_budget set began_at = began_at - interval '1 hour'"
            )
            try await harness.database.execute(hour)
            let later = try await harness.post("/v1/users", next)
            #expect(later.status == 201, "\(later.text)")
        }
    }

    @Test func challengesThatNothingIsSentForAreBoundedByLine() async throws {
        try await Harness.run(["EZWALLET_CODES_PER_ADDRESS_MAX": "1"]) { _, harness in
            for _ in 0..<CodeBudget.unsentFactor { _ = try await harness.challenge() }
            let late = try await harness.post("/v1/sessions/passkey-options", PasskeyRequest())
            #expect(late.status == 429 && late.code == "locked-out")
            #expect(Int(late.headers["retry-after"] ?? "") ?? 0 > 0)
        }
    }

    @Test func oneTableThatFailsStarvesNoOther() async throws {
        try await Harness.run { _, harness in
            let fill = Statement<Void>(
                """
                insert into auth.passkey_ceremony (id, kind, challenge_hash, expires_at)
                select gen_random_uuid(), 'assertion', sha256(''), now() - interval '2 days'
                from generate_series(1, 12000)
                """
            )
            try await harness.database.execute(fill)
            try await PostgresCluster.shared().administer(
                "alter table auth.failed_log_in rename to elsewhere;",
                in: harness.database.configuration.database
            )
            let service = harness.rig.service
            await CleanUp(database: service.database, logger: service.logger).run()
            let left = Statement("select count(*) from auth.passkey_ceremony") { row in
                try row.int64(0)
            }
            let rows = try await harness.database.queryOne(left)
            #expect(rows == 0)
        }
    }

    @Test func strangersDoNotSpendWhatLogInNeeds() async throws {
        try await Harness.run(["EZWALLET_CODES_PER_ADDRESS_MAX": "0"]) { _, harness in
            let person = try await harness.register()
            let phone = "+393331234567"
            try await harness.givePhone(phone, to: person.id)
            for _ in 0..<CodeBudget.destinationMax {
                let asked = try await harness.challenge(
                    NewChallenge(purpose: .phoneVerification, phone: phone)
                )
                #expect(asked.status == 202)
                try await age(harness)
            }
            let stranger = try await harness.challenge(
                NewChallenge(purpose: .phoneVerification, phone: phone)
            )
            #expect(stranger.status == 429)
            for _ in 0..<ChallengeStore.recentMax {
                let own = try await harness.challenge(
                    NewChallenge(purpose: .phoneVerification, phone: "+393331234568"),
                    as: person.session.accessToken
                )
                #expect(own.status == 202, "\(own.text)")
            }
            let code = try await harness.logIn(person.email, method: .otp)
            #expect(code.status == 202, "\(code.text)")
        }
    }

    /// As though the challenges had been made long ago; the budgets stay.
    private func age(_ harness: Harness) async throws {
        let back = Statement<Void>(
            "update auth.challenge set created_at = created_at - interval '20 minutes'"
        )
        try await harness.database.execute(back)
    }

    @Test func nobodyUsesUpAnothersRecoveries() async throws {
        try await Harness.run { actor, harness in
            let email = try await harness.register().email
            let address = try #require(EmailAddress(email))
            let recoveries = harness.parts.recoveries
            try await harness.database.execute(Statement<Void>("delete from auth.known_network"))
            for _ in 0..<9 { _ = try await recoveries.begin(email: address, from: "192.0.2.7") }
            let flooded = try await mails(harness, email)
            #expect(flooded == Int(CodeBudget.lineMax))
            _ = try await recoveries.begin(email: address, from: "198.51.100.8")
            let own = try await mails(harness, email)
            #expect(own == flooded + 1)
            for line in 1...12 {
                for _ in 0..<5 {
                    _ = try await recoveries.begin(email: address, from: "2001:db8:1:\(line)::1")
                }
            }
            let near = try await mails(harness, email)
            #expect(near == own + Int(CodeBudget.networkMax), "one home has many lines")
            for network in 2...12 {
                for _ in 0..<5 {
                    _ = try await recoveries.begin(email: address, from: "203.0.\(network).1")
                }
            }
            let all = try await mails(harness, email)
            #expect(all == Int(CodeBudget.recoveryMax))
            // Where the owner has signed in, nobody else has used anything up.
            let unknown = try await harness.post(
                "/v1/password-recoveries",
                NewRecovery(email: email)
            )
            let silent = try await mails(harness, email)
            _ = try await harness.logIn(email)
            let known = try await harness.post(
                "/v1/password-recoveries",
                NewRecovery(email: email)
            )
            let last = try await mails(harness, email)
            #expect(unknown.status == 202 && silent == all)
            #expect(known.status == 202 && last == all + 1)
        }
    }

    private func mails(_ harness: Harness, _ email: String) async throws -> Int {
        try await harness.messages(to: email).filter { $0.0 == .recoveryCode }.count
    }

    @Test func anAccessTokenMayNotOutliveItsRefreshToken() async throws {
        let lives = [
            "EZWALLET_ACCESS_TOKEN_SECONDS": "7200", "EZWALLET_REFRESH_TOKEN_SECONDS": "3600",
        ]
        await #expect(throws: (any Error).self) { try await Harness.run(lives) { _, _ in } }
    }
}
