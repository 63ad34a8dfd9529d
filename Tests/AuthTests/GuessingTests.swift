import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Guessing passwords, codes and names, one by one and all at once.
@Suite struct GuessingTests {
    @Test func guessesAtOnceAreNoMoreThanThoseOneByOne() async throws {
        try await Harness.run { actor, harness in
            let email = try await harness.register().email
            // Some have failed before: the next one that fails has everybody wait for minutes.
            _ = try await harness.logIn(email, "wrong-horse-battery-7")
            let many = Statement<Void>("update auth.failed_log_in set failures = 14")
            try await harness.database.execute(many)
            let bound = LoopBound(harness, to: actor)
            let statuses = try await atOnce(40, on: actor) { actor, _ in
                try await bound.on(actor).logIn(email, "wrong-horse-battery-7").status
            }
            #expect(statuses.filter { $0 == 401 }.count == 1)
            #expect(statuses.allSatisfy { $0 == 401 || $0 == 429 })
            let right = try await harness.logIn(email)
            #expect(right.status == 429 && right.code == "locked-out")
            #expect(Int(right.headers["retry-after"] ?? "") ?? 0 > 0)
        }
    }

    @Test func unknownNamesAreCountedAndAnsweredAlike() async throws {
        try await Harness.run { _, harness in
            let email = try await harness.register().email
            var answers: [[String]] = []
            for name in [email, "nobody@example.org"] {
                var told: [String] = []
                for _ in 0..<7 {
                    let answer = try await harness.logIn(name, "wrong-horse-battery-7")
                    told.append("\(answer.status) \(answer.code ?? "")")
                    try await harness.prolongWaits()
                }
                answers.append(told)
            }
            #expect(answers[0] == answers[1])
            #expect(answers[0].first == "401 wrong-credentials")
            #expect(answers[0].last == "429 locked-out")
        }
    }

    @Test func everySpellingOfANameIsCountedAsOneAndTheRightPasswordForgetsAll() async throws {
        try await Harness.run { _, harness in
            let email = try await harness.register(username: "Ada Lovelace").email
            let names = [email, "ada lovelace", email.uppercased(), "ＡＤＡ Lovelace", "Ada Lovelace"]
            for name in names {
                let wrong = try await harness.logIn(name, "wrong-horse-battery-7")
                #expect(wrong.status == 401, "\(name)")
            }
            let right = try await harness.logIn(email)
            #expect(right.status == 201)
            for name in names + [email] {
                let wrong = try await harness.logIn(name, "wrong-horse-battery-7")
                #expect(wrong.status == 401, "\(name)")
            }
            // The next one that fails has every spelling of it wait for minutes.
            let many = Statement<Void>(
                "update auth.failed_log_in set failures = 14, blocked_until = now()"
            )
            try await harness.database.execute(many)
            let last = try await harness.logIn(email, "wrong-horse-battery-7")
            #expect(last.status == 401)
            for name in [email, email.uppercased()] {
                let late = try await harness.logIn(name, "wrong-horse-battery-7")
                #expect(late.status == 429, "\(name)")
            }
        }
    }

    @Test func theOwnerIsToldOnce() async throws {
        try await Harness.run { _, harness in
            let email = try await harness.register().email
            for _ in 0..<12 { _ = try await harness.logIn(email, "wrong-horse-battery-7") }
            let told = try await harness.messages(to: email).filter { $0.0 == .lockout }
            let noted = try await harness.database.query(lockOuts)
            #expect(noted == ["anyone password"])
            #expect(told.count == 1)
        }
    }

    @Test func whatIsTypedIntoANameIsNotKept() async throws {
        try await Harness.run { _, harness in
            _ = try await harness.logIn("my-secret-password", "wrong-horse-battery-7")
            let all = Statement(
                "select string_agg(subject, ' ') from auth.failed_log_in"
            ) { row in try row.string(0) }
            let kept = try #require(try await harness.database.queryOne(all))
            #expect(!kept.contains("secret") && !kept.contains("127.0.0.1"))
        }
    }

    @Test func codesAreGuessedAsSlowlyAsPasswords() async throws {
        try await Harness.run { _, harness in
            let email = try await harness.register().email
            let begun = try await harness.logIn(email, method: .otp)
            #expect(begun.status == 202)
            let counted = Statement("select sum(failures) from auth.failed_log_in") { row in
                try row.value(0, as: Int64?.self)
            }
            // The right password alone forgets nothing.
            var failures = try await harness.database.queryOne(counted) ?? 0
            #expect(failures == 1, "from here alone: they are at home on this line")
            let challenge = try JSON.read(PendingLogIn.self, from: begun.body).challenge
            let answer = try await harness.post(
                "/v1/challenges/\(challenge.id.text)/answers",
                ChallengeAnswer(code: try await harness.code(for: email))
            )
            #expect(answer.status == 201, "\(answer.text)")
            failures = try await harness.database.queryOne(counted) ?? 0
            #expect(failures == 0 || failures == nil)
        }
    }

    @Test func aPhoneGetsAFewCodesHoweverManyAskAtOnce() async throws {
        try await Harness.run { actor, harness in
            let bound = LoopBound(harness, to: actor)
            let phone = "+393331234567"
            let statuses = try await atOnce(30, on: actor) { actor, _ in
                try await bound.on(actor).post(
                    "/v1/challenges",
                    NewChallenge(purpose: .phoneVerification, phone: phone)
                ).status
            }
            #expect(statuses.filter { $0 == 202 }.count == ChallengeStore.recentMax)
            #expect(statuses.allSatisfy { $0 == 202 || $0 == 429 })
            let sent = try await harness.messages(to: phone).count
            #expect(sent == ChallengeStore.recentMax)
        }
    }

    @Test func oneAddressHasCodesSentToAFewPhones() async throws {
        try await Harness.run { _, harness in
            var accepted = 0
            for number in 0..<30 {
                let answer = try await harness.post(
                    "/v1/challenges",
                    NewChallenge(purpose: .phoneVerification, phone: "+3933312345\(10 + number)")
                )
                if answer.status == 202 { accepted += 1 }
            }
            #expect(accepted == 20)
        }
    }

    @Test func wrongAnswersAtOnceBurnOneCode() async throws {
        try await Harness.run { actor, harness in
            let phone = "+393331234567"
            let made = try await harness.post(
                "/v1/challenges",
                NewChallenge(purpose: .phoneVerification, phone: phone)
            )
            let challenge = try JSON.read(ChallengeView.self, from: made.body)
            let path = "/v1/challenges/\(challenge.id.text)/answers"
            let right = try await harness.code(for: phone)
            let wrong = right == "000000" ? "000001" : "000000"
            let bound = LoopBound(harness, to: actor)
            let codes = try await atOnce(30, on: actor) { actor, _ in
                try await bound.on(actor).post(path, ChallengeAnswer(code: wrong)).code
            }
            #expect(codes.allSatisfy { $0 == "wrong-code" || $0 == "challenge-exhausted" })
            // Each code sent was looked at once: what 30 guesses had are three codes at most.
            let sent = try await harness.messages(to: phone).count
            #expect((2...3).contains(sent))
            let late = try await harness.post(path, ChallengeAnswer(code: right))
            #expect(late.status == 422 || late.status == 409)
        }
    }

    @Test func aRightAnswerAtOnceIsConsumedOnce() async throws {
        try await Harness.run { actor, harness in
            let email = try await harness.register().email
            let begun = try await harness.logIn(email, method: .otp)
            let challenge = try JSON.read(PendingLogIn.self, from: begun.body).challenge
            let code = try await harness.code(for: email)
            let bound = LoopBound(harness, to: actor)
            let statuses = try await atOnce(10, on: actor) { actor, _ in
                try await bound.on(actor).post(
                    "/v1/challenges/\(challenge.id.text)/answers",
                    ChallengeAnswer(code: code)
                ).status
            }
            #expect(statuses.filter { $0 == 201 }.count == 1)
            #expect(statuses.allSatisfy { $0 < 500 })
        }
    }

    @Test func aFloodOfAnswersOverflowsNothing() async throws {
        try await Harness.run { _, harness in
            let made = try await harness.post(
                "/v1/challenges",
                NewChallenge(purpose: .phoneVerification, phone: "+393331234567")
            )
            let challenge = try JSON.read(ChallengeView.self, from: made.body)
            let most = Statement<Void>("update auth.challenge set attempts = 32767")
            try await harness.database.execute(most)
            let answer = try await harness.post(
                "/v1/challenges/\(challenge.id.text)/answers",
                ChallengeAnswer(code: "123456")
            )
            #expect(answer.status == 422, "\(answer.text)")
        }
    }

    @Test func oneAddressLearnsOfAFewNamesOnly() async throws {
        try await Harness.run { _, harness in
            let email = try await harness.register().email
            // At each of these strokes of the clock one is forgotten.
            func threeMinutes() -> Int64 { Instant.now().secondsSince1970 / 180 }
            let began = threeMinutes()
            var told: Int64 = 0
            var last: ServiceRig.Answer?
            for _ in 0..<23 {
                let answer = try await harness.post(
                    "/v1/users",
                    NewUser(email: email, password: Harness.password)
                )
                if answer.code == "email-taken" { told += 1 }
                last = answer
                try await harness.prolongWaits()
            }
            #expect((21...21 + threeMinutes() - began).contains(told))
            #expect(last?.status == 429 && last?.code == "too-many-requests")
        }
    }
}

extension Harness {
    /// Waits that have begun last on: those of seconds may be over before the next guess has been
    /// hashed, where many tests share the processors.
    func prolongWaits() async throws { try await database.execute(lengthenWaits) }
}

private let lengthenWaits = Statement<Void>(
    """
    update auth.failed_log_in
    set blocked_until = blocked_until + interval '1 hour'
    where blocked_until > last_failed_at
    """
)

private let lockOuts = Statement(
    by: "audit_entry_action_idx",
    """
    select actor || ' ' || (detail::json ->> 'factor') from auth.audit_entry
    where action = 'locked-out' order by id limit 10
    """
) { row in try row.string(0) }
