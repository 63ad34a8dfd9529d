import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What somebody who holds a part of an account tries, so as to have all of it or to keep it.
@Suite struct TakeOverTests {
    private static let next = PasswordTests.next

    private func guardOf(_ harness: Harness) -> AttemptGuard {
        AttemptGuard(
            database: harness.database,
            configuration: harness.parts.configuration,
            refusingBy: .lockedOut
        )
    }

    private func patch(
        _ harness: Harness,
        _ body: String,
        as token: String?
    ) async throws -> ServiceRig.Answer {
        try await harness.call(.patch, "/v1/users/me", Array(body.utf8), as: token)
    }

    private func verify(_ harness: Harness, _ email: String) async throws -> ServiceRig.Answer {
        let mails = try await harness.messages(to: email)
        let link = try #require(mails.last { $0.0 == .emailConfirmation }?.1["link"])
        let token = try #require(link.split(separator: "=").last)
        return try await harness.call(.post, "/v1/email-verifications/\(token)", as: nil)
    }

    private func email(_ harness: Harness, _ user: ID<User>) async throws -> String? {
        try await harness.database.queryOne(UserStatements.credentialByID, user)?.email
    }

    private func notices(_ harness: Harness, _ email: String) async throws -> [String] {
        try await harness.messages(to: email).compactMap { $0.1["change"] }
    }

    /// As though there had been so many failures that the next one has everybody wait for minutes.
    private func haveFailed(_ harness: Harness, until seconds: Int32 = 0) async throws {
        let many = Statement<Void>(
            """
            update auth.failed_log_in
            set failures = 14, blocked_until = now() + make_interval(secs => $1::int)
            """
        )
        try await harness.database.execute(many, seconds)
    }

    // MARK: Guessing the second factor

    @Test func thePasswordForgetsNoGuessesAtTheApp() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await harness.prove(person.id)
            let (_, enabled) = try await harness.switchTotpOn(person.session.accessToken)
            let stale = try await harness.makeStale(enabled.session)
            let credential = try #require(
                try await harness.database.queryOne(UserStatements.credentialByID, person.id)
            )
            func guess(_ times: Int) async throws -> [String] {
                let challenge = try harness.view(
                    try await harness.challenge(
                        NewChallenge(purpose: .stepUp),
                        as: stale.accessToken
                    )
                )
                var codes: [String] = []
                for _ in 0..<times {
                    let answer = try await harness.answer(
                        challenge.id,
                        "abcdef",
                        as: stale.accessToken
                    )
                    codes.append(answer.code ?? "")
                }
                // A right password after it, in every way there is.
                try await harness.parts.passwordCheck.require(
                    Harness.password,
                    of: credential,
                    in: .new(),
                    from: "127.0.0.1"
                )
                let change = PasswordChange(
                    currentPassword: Harness.password,
                    newPassword: "12345678"
                )
                let weak = try await harness.call(
                    .put,
                    "/v1/users/me/password",
                    JSON.write(change),
                    as: stale.accessToken
                )
                #expect(weak.code == "step-up-required")
                return codes
            }
            for _ in 0..<3 {
                let free = try await guess(2)
                #expect(free == ["wrong-code", "wrong-code"])
            }
            try await self.haveFailed(harness)
            let last = try await guess(1)
            #expect(last == ["wrong-code"])
            let locked = try await guess(1)
            #expect(locked == ["locked-out"])
            let told = try await self.notices(harness, person.email)
            #expect(told.filter { $0 == "second-factor-guessed" }.count == 1)
        }
    }

    @Test func aRecoveryForgetsNoGuessesAtTheApp() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            _ = try await harness.enableTotp(person.session.accessToken)
            try await harness.settle(person.id)
            let guards = self.guardOf(harness)
            _ = try await guards.countSecondFactor(of: person.id, from: "here")
            try await self.haveFailed(harness, until: 600)
            let done = try await harness.recover(person.email, Self.next)
            #expect(done.status == 204, "\(done.text)")
            try await harness.database.execute(Statement<Void>("delete from auth.known_network"))
            let challenge = try harness.view(try await harness.logIn(person.email, Self.next))
            let answer = try await harness.answer(challenge.id, "abcdef")
            #expect(answer.code == "locked-out", "\(answer.text)")
        }
    }

    @Test func guessesElsewhereKeepNoOwnerFromTheApp() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let (secret, codes) = try await harness.enableTotp(person.session.accessToken)
            let first = try harness.view(try await harness.logIn(person.email))
            let session = try await harness.answer(first.id, codes[0])
            #expect(session.status == 201)
            let guards = self.guardOf(harness)
            var refused = 0
            for index in 0..<20 {
                do {
                    _ = try await guards.countSecondFactor(
                        of: person.id,
                        from: "192.0.2.\(index)"
                    )
                } catch is APIError { refused += 1 }
            }
            #expect(refused >= 8)
            try await self.haveFailed(harness, until: 600)
            let challenge = try harness.view(try await harness.logIn(person.email))
            let right = try await harness.answer(challenge.id, harness.appCode(secret))
            #expect(right.status == 201, "\(right.text)")
            // The owner's being right gives the others no more guesses.
            await #expect(throws: APIError.self) {
                _ = try await guards.countSecondFactor(of: person.id, from: "192.0.2.77")
            }
        }
    }

    @Test func confirmingTheAppIsCountedAndWantsAFreshProof() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let begun = try await harness.call(
                .post,
                "/v1/users/me/totp",
                as: person.session.accessToken
            )
            #expect(begun.status == 201)
            let body = JSON.write(ChallengeAnswer(code: "abcdef"))
            let path = "/v1/users/me/totp/confirmation"
            var isFirst = true
            for expected in ["wrong-code", "wrong-code", "locked-out"] {
                let answer = try await harness.call(
                    .post,
                    path,
                    body,
                    as: person.session.accessToken
                )
                #expect(answer.code == expected, "\(answer.text)")
                if isFirst { try await self.haveFailed(harness) }
                isFirst = false
            }
            let stale = try await harness.makeStale(person.session)
            let old = try await harness.call(.post, path, body, as: stale.accessToken)
            #expect(old.code == "step-up-required")
        }
    }

    // MARK: Outliving a new password

    @Test func aThiefsAddressDoesNotOutliveTheOwnersPassword() async throws {
        try await Harness.run { _, harness in
            for isRecovered in [true, false] {
                let person = try await harness.register()
                try await harness.settle(person.id)
                let thief = "thief-\(isRecovered)@evil.example"
                let asked = try await self.patch(
                    harness,
                    #"{"email":"\#(thief)","password":"\#(Harness.password)"}"#,
                    as: person.session.accessToken
                )
                #expect(asked.status == 200 && asked.text.contains(thief), "\(asked.text)")
                if isRecovered {
                    let done = try await harness.recover(person.email, Self.next)
                    #expect(done.status == 204)
                } else {
                    let change = PasswordChange(
                        currentPassword: Harness.password,
                        newPassword: Self.next
                    )
                    let done = try await harness.call(
                        .put,
                        "/v1/users/me/password",
                        JSON.write(change),
                        as: person.session.accessToken
                    )
                    #expect(done.status == 200, "\(done.text)")
                }
                let late = try await self.verify(harness, thief)
                #expect(late.code == "link-expired", "\(late.text)")
                let kept = try await self.email(harness, person.id)
                #expect(kept == person.email)
                let session = try harness.tokens(
                    try await harness.logIn(person.email, Self.next)
                )
                let me = try await harness.call(.get, "/v1/users/me", as: session.accessToken)
                #expect(me.status == 200 && !me.text.contains(thief), "\(me.text)")
            }
        }
    }

    @Test func whoeverReadsTheOldMailboxRecoversNothing() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let begun = try await harness.post(
                "/v1/password-recoveries",
                NewRecovery(email: person.email)
            )
            let id = try JSON.read(RecoveryView.self, from: begun.body).id
            let code = try await harness.code(for: person.email)
            let new = "new-\(person.email)"
            let asked = try await self.patch(
                harness,
                #"{"email":"\#(new)","password":"\#(Harness.password)"}"#,
                as: person.session.accessToken
            )
            #expect(asked.status == 200, "\(asked.text)")
            let moved = try await self.verify(harness, new)
            #expect(moved.status == 204, "\(moved.text)")
            let answer = try await harness.post(
                "/v1/password-recoveries/\(id.text)/answers",
                RecoveryAnswer(code: code)
            )
            #expect(answer.code == "recovery-expired", "\(answer.text)")
        }
    }

    /// Everything that signs somebody in, or proves them, but the password.
    private func waysIn(_ harness: Harness, _ user: ID<User>) async throws -> [String] {
        let all = Statement(
            """
            select concat_ws(' ', case when phone is not null then 'phone' end,
                case when exists (select from auth.totp where user_id = $1) then 'totp' end,
                case when exists (select from auth.recovery_code where user_id = $1)
                    then 'codes' end,
                (select string_agg('passkey', ' ') from auth.passkey where user_id = $1))
            from auth.user_account
            where id = $1
            """
        ) { row in try row.string(0) }
        let text = try await harness.database.queryOne(all, user) ?? ""
        return text.split(separator: " ").map { String($0) }
    }

    @Test func whoRegistersAnothersAddressKeepsNoWayIn() async throws {
        try await Harness.run { _, harness in
            let victim = try await harness.registerWithPasskey()
            _ = try await harness.enableTotp(victim.session.accessToken)
            try await harness.givePhone("+393331234567", to: victim.id)
            // Long before: age is no excuse where the address was never proved.
            try await harness.settle(victim.id)
            let unproved = Statement<Void>(
                """
                update auth.user_account
                set email_verified_at = null, email_first_verified_at = null
                where id = $1
                """
            )
            try await harness.database.execute(unproved, victim.id)
            let done = try await harness.recover(victim.email, Self.next)
            #expect(done.status == 204, "\(done.text)")
            let left = try await self.waysIn(harness, victim.id)
            #expect(left.isEmpty, "\(left)")
            let thief = try await harness.logIn(victim.passkey.assert(harness.challenge()))
            #expect(thief.status == 401)
            let session = try harness.tokens(try await harness.logIn(victim.email, Self.next))
            let me = try await harness.call(.get, "/v1/users/me", as: session.accessToken)
            let view = try JSON.read(UserView.self, from: me.body)
            #expect(view.emailVerified && view.phone == nil)
            let told = try await self.notices(harness, victim.email)
            #expect(told.contains("password-recovered-anew"))
        }
    }

    @Test func aRecoveryTakesBackWhatWasAddedLately() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.registerWithPasskey()
            _ = try await harness.enableTotp(person.session.accessToken)
            try await harness.givePhone("+393331234568", to: person.id)
            try await harness.settle(person.id, days: 8)
            let all = try await self.waysIn(harness, person.id)
            #expect(all == ["phone", "totp", "codes", "passkey"])
            // The thief's: a passkey and a phone of today.
            let added = try await harness.add(SoftAuthenticator(user: person.id), person.session)
            #expect(added.status == 201, "\(added.text)")
            try await harness.givePhone("+393331234569", to: person.id)
            let done = try await harness.recover(person.email, Self.next)
            #expect(done.status == 204, "\(done.text)")
            let left = try await self.waysIn(harness, person.id)
            #expect(left == ["totp", "codes", "passkey"])
            let owner = try await harness.logIn(person.passkey.assert(harness.challenge()))
            #expect(owner.status == 201, "\(owner.text)")
            let again = try await harness.recover(person.email, "yet-another-one-11")
            #expect(again.status == 204)
            let told = try await self.notices(harness, person.email).suffix(1)
            #expect(told == ["password-recovered"], "nothing was left to take")
        }
    }

    // MARK: Less than a second factor

    @Test func thePasswordAloneProvesNobodyWhoHasTheApp() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let (secret, enabled) = try await harness.switchTotpOn(person.session.accessToken)
            let stale = try await harness.makeStale(enabled.session)
            let change = JSON.write(
                PasswordChange(currentPassword: Harness.password, newPassword: Self.next)
            )
            let calls: [(HTTPMethod, String, String)] = [
                (.patch, "", #"{"email":"thief@evil.example","password":"\#(Harness.password)"}"#),
                (.patch, "", #"{"phone":null,"password":"\#(Harness.password)"}"#),
                (.put, "/password", String(decoding: change, as: UTF8.self)),
                (.post, "/deletion", #"{"password":"\#(Harness.password)"}"#),
            ]
            // Neither long after nor at once: the session was opened by the password alone.
            let renew = Statement<Void>("update auth.session set authenticated_at = now()")
            for isFresh in [false, true] {
                var token = stale.accessToken
                if isFresh {
                    try await harness.database.execute(renew)
                    token = try harness.tokens(
                        try await harness.refresh(stale.refreshToken)
                    ).accessToken
                }
                for (method, path, body) in calls {
                    let refused = try await harness.call(
                        method,
                        "/v1/users/me" + path,
                        Array(body.utf8),
                        as: token
                    )
                    #expect(refused.code == "step-up-required", "\(method) \(refused.text)")
                }
            }
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
            for (method, path, body) in calls.dropFirst() {
                let done = try await harness.call(
                    method,
                    "/v1/users/me" + path,
                    // The password has changed by then.
                    method == .post ? Array("{}".utf8) : Array(body.utf8),
                    as: proved.accessToken
                )
                // A deletion goes on to the ledger, which is not here.
                let isDone = method == .post ? done.status == 503 : done.status == 200
                #expect(isDone, "\(method) \(done.text)")
            }
        }
    }

    @Test func switchingTheAppOnEndsWhatItDidNotOpen() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let thief = try harness.tokens(try await harness.logIn(person.email))
            let pending = try harness.view(
                try await harness.logIn(person.email, method: .otp)
            )
            let code = try await harness.code(for: person.email)
            let (_, enabled) = try await harness.switchTotpOn(person.session.accessToken)
            let ended = try await harness.refresh(thief.refreshToken)
            #expect(ended.status == 401, "\(ended.text)")
            let kept = try await harness.refresh(enabled.session.refreshToken)
            #expect(kept.status == 201)
            let late = try await harness.answer(pending.id, code)
            #expect(late.code == "challenge-exhausted", "\(late.text)")
            // Even one that was made beside it opens nothing.
            let open = Statement<Void>("update auth.challenge set used_at = null, attempts = 0")
            try await harness.database.execute(open)
            let beside = try await harness.answer(pending.id, code)
            #expect(beside.code == "challenge-expired", "\(beside.text)")
        }
    }

    @Test func aWeakProofIsNoStrongOneLater() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await harness.givePhone("+393331234567", to: person.id)
            let begun = try harness.view(try await harness.logIn(person.email, method: .otp))
            let code = try await harness.code(for: "+393331234567")
            let session = try harness.tokens(try await harness.answer(begun.id, code))
            let before = try harness.claims(session.accessToken)
            #expect(before.level == "2")
            let challenge = try harness.view(
                try await harness.challenge(
                    NewChallenge(purpose: .stepUp, channel: .email),
                    as: session.accessToken
                )
            )
            let mailed = try await harness.code(for: person.email)
            let proved = try harness.tokens(
                try await harness.answer(challenge.id, mailed, as: session.accessToken)
            )
            let after = try harness.claims(proved.accessToken)
            #expect(after.methods == ["otp"] && after.level == "1")
        }
    }

    @Test func aCopiedRefreshTokenDiesWithThePassword() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let change = PasswordChange(
                currentPassword: Harness.password,
                newPassword: Self.next
            )
            let done = try await harness.call(
                .put,
                "/v1/users/me/password",
                JSON.write(change),
                as: person.session.accessToken
            )
            #expect(done.status == 200, "\(done.text)")
            #expect(done.headers["cache-control"] == "no-store")
            let renewed = try JSON.read(SessionTokens.self, from: done.body)
            let good = try harness.tokens(try await harness.refresh(renewed.refreshToken))
            // At once, within what would be a lost answer's grace.
            let copied = try await harness.refresh(person.session.refreshToken)
            #expect(copied.code == "refresh-token-reused", "\(copied.text)")
            let family = try await harness.refresh(good.refreshToken)
            #expect(family.status == 401)
        }
    }

    // MARK: Interrupted

    @Test func aCodeThatNobodyLookedAtIsReplaced() async throws {
        try await Harness.run { _, harness in
            let phone = "+393331234567"
            let challenge = try harness.view(
                try await harness.challenge(
                    NewChallenge(purpose: .phoneVerification, phone: phone)
                )
            )
            let code = try await harness.code(for: phone)
            // Counted by a replica that ended before it had compared.
            let counted = Statement<Void>(
                "update auth.challenge set attempts = 1, counted_at = now() - $1 * interval '1 s'"
            )
            try await harness.database.execute(counted, Int32(2))
            let early = try await harness.answer(challenge.id, code)
            #expect(early.code == "wrong-code", "it may be being looked at")
            let sent = try await harness.messages(to: phone).count
            #expect(sent == 1)
            try await harness.database.execute(counted, Int32(60))
            let stuck = try await harness.answer(challenge.id, code)
            #expect(stuck.code == "wrong-code" && stuck.text.contains(#""resendsLeft":1"#))
            let next = try await harness.code(for: phone)
            let right = try await harness.answer(challenge.id, next)
            #expect(right.status == 200, "\(right.text)")
        }
    }
}
