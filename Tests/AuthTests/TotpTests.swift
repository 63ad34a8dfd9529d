import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// The second factor: an authenticator app and recovery codes.
@Suite struct TotpTests {
    @Test func aLogInNeedsTheAppOnceItIsOn() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await harness.prove(person.id)
            let token = person.session.accessToken
            let (secret, codes) = try await harness.enableTotp(token)
            #expect(codes.count == 10 && Set(codes).count == 10)
            let again = try await harness.call(.post, "/v1/users/me/totp", as: token)
            #expect(again.code == "totp-enabled")
            for channel in [nil, ChallengeChannel.sms, .email] {
                let begun = try await harness.post(
                    "/v1/sessions",
                    NewSession(
                        identifier: person.email,
                        password: Harness.password,
                        method: channel == nil ? .password : .otp,
                        channel: channel
                    )
                )
                let challenge = try harness.view(begun)
                #expect(challenge.channel == .totp && challenge.to == nil)
            }
            let challenge = try harness.view(try await harness.logIn(person.email))
            let code = harness.appCode(secret)
            let session = try harness.tokens(try await harness.answer(challenge.id, code))
            let claims = try harness.claims(session.accessToken)
            #expect(claims.methods == ["pwd", "otp", "mfa"] && claims.level == "2")
            // The same code again is none.
            let next = try harness.view(try await harness.logIn(person.email))
            let replayed = try await harness.answer(next.id, code)
            #expect(replayed.code == "wrong-code")
            #expect(replayed.text.contains("the newest code of your authenticator"))
            // As the app shows it.
            let shown = harness.appCode(secret, 1)
            let ahead = try await harness.answer(
                next.id,
                "\u{A0}\(shown.prefix(3)) \(shown.suffix(3))\n"
            )
            #expect(ahead.status == 201, "\(ahead.text)")
            let behind = try harness.view(try await harness.logIn(person.email))
            let old = try await harness.answer(behind.id, harness.appCode(secret))
            #expect(old.code == "wrong-code", "a step before one that was taken")
            let notices = try await harness.messages(to: person.email)
            #expect(notices.contains { $0.1["change"] == "totp-enabled" })
        }
    }

    @Test func aCodeIsTakenOnceHoweverManyBringIt() async throws {
        try await Harness.run { actor, harness in
            let person = try await harness.register()
            let (secret, recovery) = try await harness.enableTotp(person.session.accessToken)
            for code in [harness.appCode(secret), recovery[0]] {
                var challenges: [ID<Challenge>] = []
                for _ in 0..<5 {
                    challenges.append(
                        try harness.view(try await harness.logIn(person.email)).id
                    )
                }
                let bound = LoopBound(harness, to: actor)
                let all = challenges
                let statuses = try await atOnce(20, on: actor) { actor, index in
                    try await bound.on(actor).answer(all[index % 5], code).status
                }
                #expect(statuses.filter { $0 == 201 }.count == 1, "\(statuses)")
                #expect(statuses.allSatisfy { $0 < 500 })
                try await harness.pass(seconds: 1_000)
            }
        }
    }

    @Test func guessesAreCountedForTheAccountAcrossChallenges() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let (secret, _) = try await harness.enableTotp(person.session.accessToken)
            var (wrong, locked, exhausted) = (0, 0, 0)
            for _ in 0..<6 {
                let begun = try await harness.logIn(person.email)
                guard begun.status == 202 else {
                    locked += 1
                    continue
                }
                let challenge = try harness.view(begun)
                for _ in 0..<4 {
                    let answer = try await harness.answer(challenge.id, "abcdef")
                    switch answer.code {
                    case "wrong-code": wrong += 1
                    case "challenge-exhausted": exhausted += 1
                    case "locked-out": locked += 1
                    default: Issue.record("\(answer.text)")
                    }
                }
            }
            // Six, and a few more where the first waits, of seconds, ended meanwhile.
            #expect((3...12).contains(wrong) && locked > 0)
            try await harness.pass(seconds: 1_000)
            let challenge = try harness.view(try await harness.logIn(person.email))
            let right = try await harness.answer(challenge.id, harness.appCode(secret))
            #expect(right.status == 201, "nobody is shut out for good: \(right.text)")
        }
    }

    @Test func recoveryCodesWorkOnceAndNewOnesVoidThem() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await harness.prove(person.id)
            let token = person.session.accessToken
            let (_, codes) = try await harness.enableTotp(token)
            func logIn(_ code: String) async throws -> ServiceRig.Answer {
                let challenge = try harness.view(try await harness.logIn(person.email))
                return try await harness.answer(challenge.id, code)
            }
            let first = try await logIn(codes[0].uppercased())
            #expect(first.status == 201, "\(first.text)")
            let replayed = try await logIn(codes[0])
            #expect(replayed.code == "wrong-code")
            let state = try await harness.call(.get, "/v1/users/me/totp", as: token)
            let view = try JSON.read(TotpView.self, from: state.body)
            #expect(view.enabled && view.recoveryCodesLeft == 9)
            let made = try await harness.call(.post, "/v1/users/me/recovery-codes", as: token)
            #expect(made.status == 201)
            let fresh = try JSON.read(RecoveryCodesView.self, from: made.body).codes
            let void = try await logIn(codes[1])
            #expect(void.code == "wrong-code")
            let good = try await logIn(fresh[3].filter { $0 != "-" })
            #expect(good.status == 201, "\(good.text)")
            let kept = Statement(
                "select string_agg(encode(code_hmac, 'escape'), ' ') from auth.recovery_code"
            ) { row in try row.string(0) }
            let table = try await harness.database.queryOne(kept) ?? ""
            #expect(!table.contains(fresh[0]))
            let notices = try await harness.messages(to: person.email).compactMap { $0.1["change"] }
            #expect(notices.contains("recovery-codes") && notices.contains("recovery-code-used"))
        }
    }

    @Test func offIsOffAndWantsAFreshProof() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let (secret, enabled) = try await harness.switchTotpOn(person.session.accessToken)
            let codes = enabled.codes
            let stale = try await harness.makeStale(enabled.session)
            for (method, path) in [
                (HTTPMethod.delete, "/v1/users/me/totp"), (.post, "/v1/users/me/totp"),
                (.post, "/v1/users/me/recovery-codes"),
            ] {
                let refused = try await harness.call(method, path, as: stale.accessToken)
                #expect(refused.code == "step-up-required", "\(path)")
            }
            // A step-up is by the app, and by nothing that is weaker.
            let weak = try await harness.challenge(
                NewChallenge(purpose: .stepUp, channel: .email),
                as: stale.accessToken
            )
            #expect(weak.code == "channel-unavailable")
            let challenge = try harness.view(
                try await harness.challenge(
                    NewChallenge(purpose: .stepUp),
                    as: stale.accessToken
                )
            )
            let proved = try harness.tokens(
                try await harness.answer(
                    challenge.id,
                    harness.appCode(secret),
                    as: stale.accessToken
                )
            )
            let removed = try await harness.call(
                .delete,
                "/v1/users/me/totp",
                as: proved.accessToken
            )
            #expect(removed.status == 204, "\(removed.text)")
            let twice = try await harness.call(
                .delete,
                "/v1/users/me/totp",
                as: proved.accessToken
            )
            #expect(twice.code == "totp-not-enabled")
            let session = try await harness.logIn(person.email)
            #expect(session.status == 201)
            let none = try await harness.call(
                .post,
                "/v1/users/me/recovery-codes",
                as: proved.accessToken
            )
            #expect(none.code == "totp-not-enabled")
            #expect(!codes.isEmpty)
        }
    }

    @Test func aSecretIsSealedAndConfirmedByItsOwnCode() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let token = person.session.accessToken
            let early = try await harness.call(
                .post,
                "/v1/users/me/totp/confirmation",
                JSON.write(ChallengeAnswer(code: "123456")),
                as: token
            )
            #expect(early.code == "totp-not-enabled")
            let begun = try await harness.call(.post, "/v1/users/me/totp", as: token)
            #expect(begun.headers["cache-control"] == "no-store")
            #expect(begun.text.contains("otpauth://totp/EZWallet:p"))
            let wrong = try await harness.call(
                .post,
                "/v1/users/me/totp/confirmation",
                JSON.write(ChallengeAnswer(code: "abcdef")),
                as: token
            )
            #expect(wrong.code == "wrong-code")
            // Until then nothing has changed.
            let session = try await harness.logIn(person.email)
            #expect(session.status == 201)
            let first = try JSON.read(TotpSecret.self, from: begun.body).secret
            let second = try await harness.call(.post, "/v1/users/me/totp", as: token)
            let other = try JSON.read(TotpSecret.self, from: second.body).secret
            #expect(first != other)
        }
    }
}
