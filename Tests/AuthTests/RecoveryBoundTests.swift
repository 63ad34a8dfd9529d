import HTTP
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// How far a recovery goes: what it takes away, from whom, and who may ask for one.
@Suite struct RecoveryBoundTests {
    private static let next = PasswordTests.next

    /// What an account has beside its password.
    private func left(_ harness: Harness, _ user: ID<User>) async throws -> String {
        let all = Statement(
            """
            select concat_ws(' ', phone,
                (select 'totp' from auth.totp where user_id = $1 and confirmed_at is not null),
                (select 'codes:' || count(*) from auth.recovery_code where user_id = $1),
                (select 'passkeys:' || count(*) from auth.passkey where user_id = $1),
                (select 'networks:' || count(*) from auth.known_network where user_id = $1))
            from auth.user_account
            where id = $1
            """
        ) { row in try row.string(0) }
        return try await harness.database.queryOne(all, user) ?? ""
    }

    /// Has an administrator's address come into force, a week after it was asked for.
    private func give(_ harness: Harness, _ email: String, to user: ID<User>) async throws {
        let admin = try await AdminTests.admin(harness)
        let asked = try await harness.call(
            .patch,
            "/v1/users/\(user.text)",
            Array(#"{"email":"\#(email)"}"#.utf8),
            as: admin.token
        )
        try #require(asked.status == 200, "\(asked.text)")
        try await harness.database.execute(
            Statement<Void>("update auth.pending_change set due_at = due_at - interval '7 days'")
        )
        try await harness.parts.pending.settleDue()
        let now = try await harness.database.queryOne(UserStatements.credentialByID, user)?.email
        try #require(now == email)
    }

    @Test(arguments: [true, false])
    func anAdministratorsAddressAndARecoveryLeadNowhere(wasProved: Bool) async throws {
        try await Harness.run { _, harness in
            let person = try await harness.registerWithPasskey(isProved: wasProved)
            _ = try await harness.enableTotp(person.session.accessToken)
            try await harness.givePhone("+393331234567", to: person.id)
            if wasProved { try await harness.settle(person.id) }
            // Of today, so that age alone does not keep it.
            let lately = try await harness.add(SoftAuthenticator(user: person.id), person.session)
            #expect(lately.status == 201, "\(lately.text)")
            try await self.give(harness, "boss@evil.example", to: person.id)
            for password in [Self.next, "yet-another-one-11"] {
                let done = try await harness.recover("boss@evil.example", password)
                #expect(done.status == 204, "\(done.text)")
                let left = try await self.left(harness, person.id)
                #expect(left == "+393331234567 totp codes:10 passkeys:2 networks:0")
                let logIn = try await harness.logIn("boss@evil.example", password)
                #expect(logIn.status == 202, "the app is still asked for: \(logIn.text)")
            }
            let owner = try await harness.logIn(person.passkey.assert(harness.challenge()))
            #expect(owner.status == 201, "\(owner.text)")
        }
    }

    @Test func whatCameAfterAnAdministratorsAddressIsTakenBackAsEver() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.registerWithPasskey()
            try await harness.settle(person.id)
            try await self.give(harness, "mine@example.net", to: person.id)
            let added = try await harness.add(SoftAuthenticator(user: person.id), person.session)
            #expect(added.status == 201, "\(added.text)")
            let done = try await harness.recover("mine@example.net", Self.next)
            #expect(done.status == 204)
            let left = try await self.left(harness, person.id)
            #expect(left == "codes:0 passkeys:1 networks:0")
        }
    }

    @Test func whoHasProvedAnAddressOnceIsNobodyWhoTookAnothers() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.registerWithPasskey()
            try await harness.settle(person.id)
            let unproved = Statement<Void>(
                "update auth.user_account set email_verified_at = null where id = $1"
            )
            try await harness.database.execute(unproved, person.id)
            let done = try await harness.recover(person.email, Self.next)
            #expect(done.status == 204)
            let left = try await self.left(harness, person.id)
            #expect(left == "codes:0 passkeys:1 networks:0")
        }
    }

    @Test func aRecoveryLeavesAThiefNoFooting() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let (_, codes) = try await harness.enableTotp(person.session.accessToken)
            let first = try harness.view(try await harness.logIn(person.email))
            let session = try harness.tokens(try await harness.answer(first.id, codes[0]))
            try await harness.settle(person.id)
            // The thief's: codes of today under the owner's app, and a line that is known.
            let made = try await harness.call(
                .post,
                "/v1/users/me/recovery-codes",
                as: session.accessToken
            )
            #expect(made.status == 200 || made.status == 201, "\(made.text)")
            let before = try await self.left(harness, person.id)
            #expect(before == "totp codes:10 passkeys:0 networks:1")
            let done = try await harness.recover(person.email, Self.next)
            #expect(done.status == 204, "\(done.text)")
            let left = try await self.left(harness, person.id)
            #expect(left == "totp codes:0 passkeys:0 networks:0")
            let told = try await harness.messages(to: person.email).compactMap { $0.1["change"] }
            #expect(told.last == "password-recovered-anew")
        }
    }
}
