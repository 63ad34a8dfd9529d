import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Changing and recovering passwords.
@Suite struct PasswordTests {
    static let next = "another-battery-staple-9"

    private func change(
        _ harness: Harness,
        _ current: String?,
        _ new: String,
        as token: String?
    ) async throws -> ServiceRig.Answer {
        try await harness.call(
            .put,
            "/v1/users/me/password",
            JSON.write(PasswordChange(currentPassword: current, newPassword: new)),
            as: token
        )
    }

    private static let composed = "Gr\u{FC}n-K\u{E4}se-Ma\u{F1}ana Fu\u{DF}-77"
    private static let decomposed =
        "Gru\u{308}n-Ka\u{308}se-Man\u{303}ana\u{A0}Fu\u{DF}-77"

    private func register(_ harness: Harness, _ password: String) async throws -> String {
        let email = "p\(ID<User>.new().text.suffix(12))@example.org"
        let body = NewUser(email: email, password: password, confirmPassword: Self.composed)
        let answer = try await harness.post("/v1/users", body)
        try #require(answer.status == 201, "\(answer.text)")
        return email
    }

    @Test func everySpellingOfAPasswordLogsIn() async throws {
        try await Harness.run { _, harness in
            for password in [Self.composed, Self.decomposed] {
                let email = try await self.register(harness, password)
                for spelling in [Self.composed, Self.decomposed] {
                    let answer = try await harness.logIn(" \(email)\u{3000}", spelling)
                    #expect(answer.status == 201, "\(answer.text)")
                }
                for other in [Self.composed + " ", Self.composed.lowercased()] {
                    let refused = try await harness.logIn(email, other)
                    #expect(refused.status == 401)
                }
            }
        }
    }

    /// A hash from before passwords were normalised.
    @Test func aHashOfAnotherSpellingIsMadeAnew() async throws {
        try await Harness.run { _, harness in
            let email = try await self.register(harness, Self.composed)
            let old = PasswordHash.make(Self.decomposed)
            try await harness.database.execute(setHash, email, old)
            let refused = try await harness.logIn(email, Self.composed)
            #expect(refused.status == 401)
            let answer = try await harness.logIn(email, Self.decomposed)
            #expect(answer.status == 201, "\(answer.text)")
            let hash = try #require(try await harness.database.queryOne(findHash, email))
            #expect(PasswordHash.verify(Self.composed, against: hash))
            for spelling in [Self.composed, Self.decomposed] {
                let again = try await harness.logIn(email, spelling)
                #expect(again.status == 201)
            }
            // Under a session: the current one by its old form, and another in its place.
            try await harness.database.execute(setHash, email, old)
            let token = try harness.tokens(answer).accessToken
            let changed = try await self.change(harness, Self.decomposed, Self.next, as: token)
            #expect(changed.status == 200, "\(changed.text)")
            let same = try JSON.read(SessionTokens.self, from: changed.body).accessToken
            try await harness.database.execute(setHash, email, old)
            let unchanged = try await self.change(
                harness,
                Self.decomposed,
                Self.composed,
                as: same
            )
            #expect(unchanged.code == "same-password")
        }
    }

    /// Both forms of a wrong password are one try.
    @Test func twoFormsAreOneGuess() async throws {
        try await Harness.run { _, harness in
            let email = try await self.register(harness, Self.composed)
            let nobody = "nobody\(ID<User>.new().text.suffix(8))@example.org"
            for name in [email, nobody] {
                // As many as are free; counted twice, the fourth would have to wait.
                for number in 0..<5 {
                    let answer = try await harness.logIn(name, "Gru\u{308}n-\(number)-other")
                    #expect(answer.status == 401, "\(name): \(number)")
                }
            }
        }
    }

    @Test func aChangeEndsOtherSessionsAndWhatIsUnderWay() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await harness.prove(person.id)
            let token = person.session.accessToken
            let other = try harness.tokens(try await harness.logIn(person.email))
            let pending = try harness.view(
                try await harness.logIn(person.email, method: .otp)
            )
            let code = try await harness.code(for: person.email)
            for (current, new, expected) in [
                ("wrong-horse-battery-7", Self.next, "wrong-password"),
                (Harness.password, Harness.password, "same-password"),
                (Harness.password, "12345678", "invalid-body"),
                (Harness.password, person.email + "x", "invalid-body"),
            ] {
                let answer = try await self.change(harness, current, new, as: token)
                #expect(answer.status == 422 && answer.code == expected, "\(answer.text)")
            }
            let missing = try await self.change(harness, nil, Self.next, as: token)
            #expect(missing.status == 422 && missing.text.contains("/currentPassword"))
            let done = try await self.change(harness, Harness.password, Self.next, as: token)
            #expect(done.status == 200, "\(done.text)")
            let ended = try await harness.refresh(other.refreshToken)
            #expect(ended.status == 401)
            let renewed = try JSON.read(SessionTokens.self, from: done.body)
            let kept = try await harness.refresh(renewed.refreshToken)
            #expect(kept.status == 201)
            let late = try await harness.answer(pending.id, code)
            #expect(late.status == 409, "\(late.text)")
            let old = try await harness.logIn(person.email)
            #expect(old.status == 401)
            let new = try await harness.logIn(person.email, Self.next)
            #expect(new.status == 201)
            let notices = try await harness.messages(to: person.email)
            #expect(notices.contains { $0.1["change"] == "password" })
        }
    }

    @Test func changesAtOnceGiveOnePassword() async throws {
        try await Harness.run { actor, harness in
            let person = try await harness.register()
            let bound = LoopBound(harness, to: actor)
            let token = person.session.accessToken
            let statuses = try await atOnce(4, on: actor) { actor, index in
                try await self.change(
                    bound.on(actor),
                    Harness.password,
                    "\(Self.next)-\(index)",
                    as: token
                ).status
            }
            #expect(statuses.filter { $0 == 200 }.count == 1, "\(statuses)")
            var good = 0
            for index in 0..<4 {
                let answer = try await harness.logIn(person.email, "\(Self.next)-\(index)")
                if answer.status == 201 { good += 1 }
            }
            #expect(good == 1)
        }
    }

    @Test func whoHasNoneSetsOneByAFreshProof() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let none = Statement<Void>("update auth.user_account set password_hash = null")
            try await harness.database.execute(none)
            let stale = try await harness.makeStale(person.session)
            let refused = try await self.change(harness, nil, Self.next, as: stale.accessToken)
            #expect(refused.code == "step-up-required")
            let set = try await self.change(
                harness,
                nil,
                Self.next,
                as: person.session.accessToken
            )
            #expect(set.status == 200, "\(set.text)")
            let session = try await harness.logIn(person.email, Self.next)
            #expect(session.status == 201)
        }
    }

    @Test func guessingOnesOwnPasswordIsSlowedDownInItsSession() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register(username: "ada")
            func guess() async throws -> String? {
                try await self.change(
                    harness,
                    "wrong-horse-battery-7",
                    Self.next,
                    as: person.session.accessToken
                ).code
            }
            let first = try await guess()
            #expect(first == "wrong-password")
            // The next one that fails has everybody wait for minutes.
            let many = Statement<Void>("update auth.failed_log_in set failures = 14")
            try await harness.database.execute(many)
            let last = try await guess()
            #expect(last == "wrong-password")
            let late = try await guess()
            #expect(late == "locked-out")
            // Whoever has taken a device keeps its owner from nothing elsewhere.
            let door = try await harness.logIn("ada")
            #expect(door.status == 201)
        }
    }

    @Test func strangersElsewhereKeepNoOwnerOut() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let first = try await harness.logIn(person.email)
            #expect(first.status == 201)
            let guards = AttemptGuard(
                database: harness.database,
                configuration: harness.parts.configuration,
                refusingBy: .lockedOut
            )
            var refused = 0
            for index in 0..<60 {
                do {
                    _ = try await guards.countGuess(
                        at: .user(person.id),
                        named: SignInName(person.email),
                        from: "192.0.2.\(index)",
                        isKnown: false
                    )
                } catch is APIError { refused += 1 }
            }
            #expect(refused >= 8, "from everywhere at once it is slow")
            let owner = try await harness.logIn(person.email)
            #expect(owner.status == 201, "\(owner.text)")
        }
    }

    @Test func aBurstOfLogInsIsTurnedAwayAndRefreshesGoOn() async throws {
        // Who is in the queue is answered, however many tests share the processors.
        try await Harness.run(["EZWALLET_REQUEST_SECONDS": "120"]) { actor, harness in
            let person = try await harness.register()
            let names = try await crowd(harness, 100)
            let bound = LoopBound(harness, to: actor)
            // More at once than the pool has room for, again and again.
            let statuses = try await atOnce(100, on: actor) { actor, index in
                var seen: [Int] = []
                var token = person.session.refreshToken
                for _ in 0..<5 {
                    seen.append(try await bound.on(actor).logIn(names[index]).status)
                    guard index == 99 else { continue }
                    let again = try await bound.on(actor).refresh(token)
                    seen.append(again.status == 201 ? 0 : again.status)
                    token = try JSON.read(SessionTokens.self, from: again.body).refreshToken
                }
                return seen
            }.flatMap(\.self)
            #expect(statuses.filter { $0 == 0 }.count == 5)
            let turned = statuses.filter { $0 == 503 }.count
            #expect(turned > 30, "\(turned)")
            let others = statuses.filter { ![0, 201, 503].contains($0) }
            #expect(others.isEmpty, "\(others)")
        }
    }

    /// So many people of one password who are at home on the tests' line.
    private func crowd(_ harness: Harness, _ count: Int) async throws -> [String] {
        let guards = AttemptGuard(
            database: harness.database,
            configuration: harness.parts.configuration,
            refusingBy: .lockedOut
        )
        let hash = PasswordHash.make(Harness.password)
        var names: [String] = []
        for number in 0..<count {
            let name = "crowd\(number)"
            let registration = Registration(
                id: .new(),
                email: try #require(EmailAddress("\(name)@example.org")),
                username: try #require(Username(name)),
                passwordHash: hash,
                firstName: nil,
                lastName: nil,
                dateOfBirth: nil,
                phone: nil,
                area: nil,
                currency: .eur,
                language: "en",
                timeZone: "UTC",
                roles: [.user]
            )
            try await harness.parts.effects.run { transaction in
                _ = try await harness.parts.users.create(
                    registration,
                    isVerified: true,
                    in: transaction
                )
            }
            try await guards.know(registration.id, at: "127.0.0.1")
            names.append(name)
        }
        return names
    }
}

private let setHash = Statement<Void>(
    "update auth.user_account set password_hash = $2 where email = $1"
)
private let findHash = Statement(
    "select password_hash from auth.user_account where email = $1"
) { row in try row.string(0) }
