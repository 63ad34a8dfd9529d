import HTTP
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What tells who is here: answers that differ for known and unknown names.
@Suite struct OracleTests {
    /// Two spellings after another, as 401s and 429s.
    private func told(_ harness: Harness, _ names: [String]) async throws -> [Int] {
        var told: [Int] = []
        for name in names {
            for _ in 0..<4 {
                told.append(try await harness.logIn(name, "wrong-horse-battery-7").status)
                try await harness.prolongWaits()
            }
        }
        return told
    }

    @Test func spellingsOfAnAddressAreCountedAlike() async throws {
        try await Harness.run { _, harness in
            let known = try await harness.register(email: "ada@example.org").email
            var answers: [[Int]] = []
            for name in [known, "eva@example.org"] {
                let wide = name.replacing("a@", with: "ａ@")
                answers.append(try await told(harness, [name, name.uppercased(), wide]))
            }
            #expect(answers[0] == answers[1])
        }
    }

    @Test func answersDoNotTellThatTwoNamesAreOnePersons() async throws {
        try await Harness.run { _, harness in
            let known = try await harness.register(username: "Ada Lovelace").email
            let person = try await told(harness, [known, "ada lovelace"])
            let nobodies = try await told(harness, ["nobody@example.org", "some body"])
            #expect(person == nobodies)
        }
    }

    @Test func aChallengeForANameListsNothing() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.registerWithPasskey()
            let named = Statement("select username from auth.user_account") { row in
                try row.string(0)
            }
            let username = try #require(try await harness.database.queryOne(named))
            for name in [person.email, username, "nobody", "nobody@bücher.example"] {
                let begun = try await harness.challenge(PasskeyRequest(identifier: name))
                #expect(begun.publicKey.allowCredentials.isEmpty, "\(name)")
            }
        }
    }

    @Test func aUnicodeDomainIsFoundForAPasskeyAndForARecovery() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.registerWithPasskey()
            let move = Statement<Void>(
                """
                update auth.user_account
                set email = 'ada@xn--bcher-kva.example', email_folded = 'ada@xn--bcher-kva.example'
                """
            )
            try await harness.database.execute(move)
            _ = try await harness.challenge(PasskeyRequest(identifier: "Ada@Bücher.example"))
            let last = Statement(
                "select user_id from auth.passkey_ceremony order by id desc limit 1"
            ) { row in try row.value(0, as: ID<User>?.self) }
            let user = try await harness.database.queryOne(last) ?? nil
            #expect(user == person.id)
            let begun = try await harness.post(
                "/v1/password-recoveries",
                NewRecovery(email: "ada@bücher.example")
            )
            #expect(begun.status == 202, "\(begun.text)")
            let mails = try await harness.messages(to: "ada@xn--bcher-kva.example")
            #expect(mails.contains { $0.0 == .recoveryCode })
        }
    }
}
