import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What those who share a line, or who guess from others, take from each other.
@Suite struct LineTests {
    private static let wrong = "wrong-horse-battery-7"

    /// As though nobody had signed in anywhere yet.
    private func forgetNetworks(_ harness: Harness) async throws {
        try await harness.database.execute(Statement<Void>("delete from auth.known_network"))
    }

    private func patch(
        _ harness: Harness,
        _ body: String,
        as token: String?
    ) async throws -> ServiceRig.Answer {
        try await harness.call(.patch, "/v1/users/me", Array(body.utf8), as: token)
    }

    @Test func aBurstFromALineThatFailsIsOneGuess() async throws {
        try await Harness.run { actor, harness in
            var people: [String] = []
            for _ in 0..<8 { people.append(try await harness.register().email) }
            try await forgetNetworks(harness)
            for number in 0..<21 { _ = try await harness.logIn("nobody\(number)", Self.wrong) }
            // The next one that fails has the line wait for minutes.
            let many = Statement<Void>(
                """
                update auth.failed_log_in
                set failures = 34, blocked_until = now()
                where failures = (select max(failures) from auth.failed_log_in)
                """
            )
            try await harness.database.execute(many)
            let bound = LoopBound(harness, to: actor)
            let known = people
            let answers = try await atOnce(32, on: actor) { actor, number in
                let isRight = number % 4 == 0
                return try await bound.on(actor).logIn(
                    isRight ? known[number / 4] : "stranger\(number)",
                    isRight ? Harness.password : Self.wrong
                ).status
            }
            #expect(answers.count { $0 == 401 } <= 1, "\(answers)")
            #expect(answers.allSatisfy { [201, 401, 429].contains($0) }, "\(answers)")
            let late = try await harness.logIn(people[0])
            // Who got in before is known there; right ones alone may have been looked at.
            let isIn = answers[0] == 201 || !answers.contains(401)
            #expect(late.status == (isIn ? 201 : 429), "\(answers)")
        }
    }

    @Test func strangersGuessesKeepNobodyWhoIsSignedInFromTheirPassword() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register(username: "ada")
            try await forgetNetworks(harness)
            let guards = AttemptGuard(
                database: harness.database,
                configuration: harness.parts.configuration,
                refusingBy: .lockedOut
            )
            for name in [person.email, "ada"] {
                for index in 0..<60 {
                    _ = try? await guards.countGuess(
                        at: .user(person.id),
                        named: SignInName(name),
                        from: "192.0.2.\(index)",
                        isKnown: false
                    )
                }
            }
            try await harness.prolongWaits()
            let door = try await harness.logIn(person.email)
            #expect(door.status == 429, "from a line that is not theirs")
            let body = PasswordChange(
                currentPassword: Harness.password,
                newPassword: "another-horse-battery-8"
            )
            let changed = try await harness.call(
                .put,
                "/v1/users/me/password",
                JSON.write(body),
                as: person.session.accessToken
            )
            #expect(changed.status == 200, "\(changed.text)")
        }
    }

    @Test func guessCountsDoNotTellThatTwoNamesAreOnePersons() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register(email: "alice@example.net", username: "alice")
            let guards = AttemptGuard(
                database: harness.database,
                configuration: harness.parts.configuration,
                refusingBy: .lockedOut
            )
            func isRefused(
                _ accounts: (AttemptGuard.Account, AttemptGuard.Account),
                _ email: String,
                _ username: String
            ) async throws -> Bool {
                for number in 0..<53 {
                    _ = try? await guards.countGuess(
                        at: accounts.0,
                        named: SignInName(email),
                        from: "2001:db8:0:\(number / 4)::1",
                        isKnown: false
                    )
                }
                do {
                    _ = try await guards.countGuess(
                        at: accounts.1,
                        named: SignInName(username),
                        from: "2001:db8:0:ff::1",
                        isKnown: false
                    )
                    return false
                } catch is APIError { return true }
            }
            let known = try await isRefused(
                (.user(person.id), .user(person.id)),
                person.email,
                "alice"
            )
            let unknown = try await isRefused(
                (.nobody(folded: "bob@example.net"), .nobody(folded: "bob")),
                "bob@example.net",
                "bob"
            )
            #expect(!known && !unknown)
        }
    }

    @Test func whoAsksForTakenNamesKeepsNoNeighbourFromAnything() async throws {
        try await Harness.run { _, harness in
            let nosy = try await harness.register()
            let neighbour = try await harness.register()
            _ = try await harness.register(username: "wanted")
            var told: [Int] = []
            for _ in 0..<24 {
                let taken = #"{"username":"wanted"}"#
                told.append(
                    try await patch(harness, taken, as: nosy.session.accessToken).status
                )
            }
            #expect(told.first == 409 && told.last == 429, "\(told)")
            let slow = Statement<Void>(
                """
                update auth.failed_log_in
                set blocked_until = now() + interval '900 s'
                where blocked_until > now()
                """
            )
            try await harness.database.execute(slow)
            let theme = #"{"theme":"dark"}"#
            let own = try await patch(harness, theme, as: nosy.session.accessToken)
            #expect(own.status == 200, "what names nothing goes on")
            let name = try await patch(
                harness,
                #"{"username":"unwanted"}"#,
                as: neighbour.session.accessToken
            )
            #expect(name.status == 200, "\(name.text)")
            _ = try await harness.register()
        }
    }
}
