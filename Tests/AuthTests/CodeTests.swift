import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// One-time codes: who gets them, what they prove, and what bounds them.
@Suite struct CodeTests {
    @Test func aStepUpGivesAFreshProofThatRefreshesKeep() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let stale = try await harness.makeStale(person.session)
            let refused = try await harness.call(
                .post,
                "/v1/users/me/totp",
                as: stale.accessToken
            )
            #expect(refused.code == "step-up-required")
            let made = try await harness.challenge(
                NewChallenge(purpose: .stepUp),
                as: stale.accessToken
            )
            let challenge = try harness.view(made)
            #expect(challenge.channel == .email && challenge.to?.contains("***") == true)
            let code = try await harness.code(for: person.email)
            // Nobody else's session answers it, nor nobody's.
            let other = try await harness.register()
            for token in [nil, other.session.accessToken] {
                let answer = try await harness.answer(challenge.id, code, as: token)
                #expect(answer.status == 404)
            }
            let proved = try harness.tokens(
                try await harness.answer(challenge.id, code, as: stale.accessToken)
            )
            let before = try harness.claims(stale.accessToken)
            let claims = try harness.claims(proved.accessToken)
            #expect(claims.session == before.session)
            #expect((claims.authenticatedAt ?? 0) > (before.authenticatedAt ?? 0) + 3_000)
            #expect(claims.methods == ["otp"] && claims.level == "1")
            let refreshed = try harness.tokens(try await harness.refresh(proved.refreshToken))
            let later = try harness.claims(refreshed.accessToken)
            #expect(later.authenticatedAt == claims.authenticatedAt)
            let allowed = try await harness.call(
                .post,
                "/v1/users/me/totp",
                as: proved.accessToken
            )
            #expect(allowed.status == 201, "\(allowed.text)")
        }
    }

    @Test func aStepUpNeedsSomebodyAndGoesToThePhoneWhereThereIsOne() async throws {
        try await Harness.run { _, harness in
            let nobody = try await harness.challenge(NewChallenge(purpose: .stepUp))
            #expect(nobody.status == 401)
            let person = try await harness.register()
            let token = person.session.accessToken
            let none = try await harness.challenge(
                NewChallenge(purpose: .stepUp, channel: .sms),
                as: token
            )
            #expect(none.code == "channel-unavailable")
            let totp = try await harness.challenge(
                NewChallenge(purpose: .stepUp, channel: .totp),
                as: token
            )
            #expect(totp.code == "channel-unavailable")
            try await harness.givePhone("+393331234567", to: person.id)
            let made = try harness.view(
                try await harness.challenge(NewChallenge(purpose: .stepUp), as: token)
            )
            #expect(made.channel == .sms && made.to == "**********567")
            let code = try await harness.code(for: "+393331234567")
            let proved = try harness.tokens(
                try await harness.answer(made.id, code, as: token)
            )
            let claims = try harness.claims(proved.accessToken)
            #expect(claims.methods == ["otp", "sms"])
        }
    }

    @Test func aChangedAccountEndsWhatWasSentBefore() async throws {
        try await Harness.run { _, harness in
            let changes: [Statement<Void>] = [
                Statement("update auth.user_account set phone = '+393337654321' where id = $1"),
                Statement("update auth.user_account set generation = 2 where id = $1"),
                Statement("update auth.user_account set password_hash = 'x' where id = $1"),
                Statement("update auth.user_account set enabled = false where id = $1"),
            ]
            for (index, change) in changes.enumerated() {
                let person = try await harness.register()
                let phone = "+39333555000\(index)"
                try await harness.givePhone(phone, to: person.id)
                let begun = try harness.view(
                    try await harness.logIn(person.email, method: .otp)
                )
                let code = try await harness.code(for: phone)
                try await harness.database.execute(change, person.id)
                let answer = try await harness.answer(begun.id, code)
                let expected = index == 3 ? "user-disabled" : "challenge-expired"
                #expect(answer.code == expected, "\(index): \(answer.text)")
            }
        }
    }

    @Test func threeWrongCodesHaveThePairWait() async throws {
        try await Harness.run { _, harness in
            let phone = "+393331234567"
            let new = NewChallenge(purpose: .phoneVerification, phone: phone)
            let made = try harness.view(try await harness.challenge(new))
            #expect(made.resendsLeft == 2)
            for left in [1, 0] {
                let right = try await harness.code(for: phone)
                let wrong = right == "000000" ? "000001" : "000000"
                let answer = try await harness.answer(made.id, wrong)
                #expect(answer.code == "wrong-code")
                #expect(answer.text.contains("\"resendsLeft\":\(left)"))
            }
            let right = try await harness.code(for: phone)
            let last = try await harness.answer(
                made.id,
                right == "000000" ? "1" + "00000" : "000000"
            )
            #expect(last.code == "challenge-exhausted")
            let late = try await harness.answer(made.id, right)
            #expect(late.code == "challenge-exhausted")
            let sent = try await harness.messages(to: phone).count
            #expect(sent == 3)
            let again = try await harness.challenge(new)
            #expect(again.code == "too-many-requests")
            #expect(Int(again.headers["retry-after"] ?? "") ?? 0 > 300)
            // Of another phone, or by another person, it is another pair.
            let other = try await harness.challenge(
                NewChallenge(purpose: .phoneVerification, phone: "+393331234568")
            )
            #expect(other.status == 202)
            let person = try await harness.register()
            let signedIn = try await harness.challenge(new, as: person.session.accessToken)
            #expect(signedIn.status == 202)
            try await harness.pass(seconds: 920)
            let later = try await harness.challenge(new)
            #expect(later.status == 202, "\(later.text)")
        }
    }

    @Test func twentyRightAnswersGiveOneSession() async throws {
        try await Harness.run { actor, harness in
            let person = try await harness.register()
            let begun = try harness.view(try await harness.logIn(person.email, method: .otp))
            let code = try await harness.code(for: person.email)
            let bound = LoopBound(harness, to: actor)
            let statuses = try await atOnce(20, on: actor) { actor, _ in
                try await bound.on(actor).answer(begun.id, code).status
            }
            #expect(statuses.filter { $0 == 201 }.count == 1)
            #expect(statuses.allSatisfy { [201, 409, 422].contains($0) })
            let messages = try await harness.messages(to: person.email)
            #expect(messages.filter { $0.0 == .logInCode }.count == 1)
        }
    }

    @Test func aPhoneTokenIsUsedOnce() async throws {
        try await Harness.run { _, harness in
            let phone = "+393331234567"
            let made = try harness.view(
                try await harness.challenge(
                    NewChallenge(purpose: .phoneVerification, phone: phone)
                )
            )
            let proved = try await harness.answer(made.id, try await harness.code(for: phone))
            let token = try JSON.read(PhoneProof.self, from: proved.body).phoneToken
            func register() async throws -> ServiceRig.Answer {
                try await harness.post(
                    "/v1/users",
                    NewUser(
                        email: "p\(ID<User>.new().text.suffix(12))@example.org",
                        password: Harness.password,
                        phone: phone,
                        phoneToken: token
                    )
                )
            }
            let first = try await register()
            #expect(first.status == 201, "\(first.text)")
            let free = Statement<Void>("update auth.user_account set phone = null")
            try await harness.database.execute(free)
            let second = try await register()
            #expect(second.status == 422 && second.text.contains("/phoneToken"))
        }
    }

    @Test func anSMSSpeaksTheLanguageThatIsAskedFor() async throws {
        try await Harness.run { _, harness in
            for (phone, header, language) in [
                ("+393331234561", "it-CH, en;q=0.5", "it-CH"), ("+393331234562", "x y", "en"),
                ("+393331234563", "de;q=0.9", "de"),
            ] {
                let made = try await harness.challenge(
                    NewChallenge(purpose: .phoneVerification, phone: phone),
                    headers: [("accept-language", header)]
                )
                #expect(made.status == 202)
                let all = Statement(
                    "select language from auth.challenge where destination = $1"
                ) { row in try row.string(0) }
                let kept = try await harness.database.queryOne(all, phone)
                #expect(kept == language)
            }
        }
    }

    @Test func tollsAreBoundedByCountryAndInAll() async throws {
        try await Harness.run(
            [
                "EZWALLET_SMS_HOURLY_MAX": "5", "EZWALLET_SMS_COUNTRY_HOURLY_MAX": "3",
                "EZWALLET_CODES_PER_ADDRESS_MAX": "0",
            ]
        ) { actor, harness in
            let bound = LoopBound(harness, to: actor)
            func ask(_ prefix: String) async throws -> Int {
                try await atOnce(8, on: actor) { actor, index in
                    try await bound.on(actor).challenge(
                        NewChallenge(
                            purpose: .phoneVerification,
                            phone: "\(prefix)55512\(10 + index)"
                        )
                    ).status
                }.filter { $0 == 202 }.count
            }
            let italian = try await ask("+39333")
            #expect(italian == 3)
            let dominican = try await ask("+1809")
            #expect(dominican == 2, "five in all")
            let german = try await ask("+4917")
            #expect(german == 0)
            try await harness.pass(seconds: 3_700)
            let later = try await ask("+4917")
            #expect(later == 3)
        }
    }

    @Test func networksAreWhatTheyStandFor() {
        for (address, line, network) in [
            ("192.0.2.7", "192.0.2.7", "192.0.2.0/24"),
            ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.0/24"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"),
            ("2001:DB8:1:2::9", "2001:db8:1:2::/64", "2001:db8:1::/48"),
            ("2001:db8::", "2001:db8:0:0::/64", "2001:db8:0::/48"),
            ("::1", "0:0:0:0::/64", "0:0:0::/48"),
            ("fe80::1%eth0", "fe80:0:0:0::/64", "fe80:0:0::/48"), ("here", "here", "here"),
            ("1::2::3", "1::2::3", "1::2::3"), ("1:2:3", "1:2:3", "1:2:3"),
        ] {
            let made = ClientNetwork(address)
            #expect(made.line == line && made.network == network, "\(address)")
        }
        for (phone, code) in [
            ("+393331234567", "39"), ("+18095551234", "1809"), ("+79161234567", "7"),
            ("+35312345678", "353"), ("+882161234567", "882"),
        ] {
            let found = CallingCode.of(phone)
            #expect(found == code)
        }
    }
}
