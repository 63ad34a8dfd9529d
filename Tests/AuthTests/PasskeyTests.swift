import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Passkeys: registered, used, guessed at, replayed and taken away.
@Suite struct PasskeyTests {
    @Test func aPasskeyLogsInAndProvesTwoFactors() async throws {
        try await Harness.run { _, harness in
            let (email, session, id, first) = try await harness.registerWithPasskey()
            var passkey = first
            passkey.signCount = 1
            let answer = try await harness.logIn(passkey.assert(harness.challenge()))
            try #require(answer.status == 201, "\(answer.text)")
            let tokens = try JSON.read(SessionTokens.self, from: answer.body)
            let token = try CompactJWS((tokens.accessToken ?? "").utf8)
            let claims = try JSON.read(
                AccessClaims.self,
                from: token.payload,
                ignoringUnknownFields: true
            )
            #expect(claims.subject == id.text)
            #expect(claims.methods == ["hwk", "user", "mfa"])
            #expect(tokens.deviceToken != nil)
            let list = try await harness.rig.call(
                .get,
                "/v1/passkeys",
                token: session.accessToken
            )
            let items = try JSON.read(Page<PasskeyView>.self, from: list.body).items
            #expect(items.count == 1 && items[0].lastUsedAt != nil)
            #expect(items[0].transports == ["internal"] && !items[0].backedUp)
            let mails = try await harness.messages(to: email).filter {
                $0.1["change"] == "passkey-added"
            }
            #expect(mails.count == 1)
        }
    }

    @Test func twentyRightAnswersAtOnceGiveOneSession() async throws {
        try await Harness.run { actor, harness in
            let passkey = try await harness.registerWithPasskey().passkey
            let assertion = try await passkey.assert(harness.challenge())
            let bound = LoopBound(harness, to: actor)
            let statuses = try await atOnce(20, on: actor) { actor, _ in
                try await bound.on(actor).logIn(assertion).status
            }
            #expect(statuses.filter { $0 == 201 }.count == 1)
            #expect(statuses.filter { $0 == 409 }.count == 19)
            let opened = Statement("select count(*) from auth.session") { row in
                try row.int64(0)
            }
            // One by the registration, one by the passkey.
            let count = try await harness.database.queryOne(opened)
            #expect(count == 2)
        }
    }

    @Test func fiveAssertionsACeremonyAreLookedAt() async throws {
        try await Harness.run { _, harness in
            let passkey = try await harness.registerWithPasskey().passkey
            let challenge = try await harness.challenge()
            var wrong = passkey
            wrong.origin = "https://wallet.example.evil"
            for _ in 0..<5 {
                let answer = try await harness.logIn(wrong.assert(challenge))
                #expect(answer.status == 401 && answer.code == "wrong-credentials")
            }
            for authenticator in [wrong, passkey] {
                let answer = try await harness.logIn(authenticator.assert(challenge))
                #expect(answer.status == 409 && answer.code == "challenge-exhausted")
            }
            let fresh = try await harness.logIn(passkey.assert(harness.challenge()))
            #expect(fresh.status == 201)
        }
    }

    @Test func wrongAssertionsAtOnceAreFiveAtMost() async throws {
        try await Harness.run { actor, harness in
            var passkey = try await harness.registerWithPasskey().passkey
            passkey.flags = 0x01
            let assertion = try await passkey.assert(harness.challenge())
            let bound = LoopBound(harness, to: actor)
            let statuses = try await atOnce(20, on: actor) { actor, _ in
                try await bound.on(actor).logIn(assertion).status
            }
            #expect(statuses.filter { $0 == 401 }.count == 5)
            #expect(statuses.filter { $0 == 409 }.count == 15)
        }
    }

    @Test func bentAssertionsAreRefusedAlike() async throws {
        try await Harness.run { _, harness in
            let passkey = try await harness.registerWithPasskey().passkey
            let stranger = try await harness.registerWithPasskey()
            let bends: [(String, (inout SoftAuthenticator) -> Void)] = [
                ("origin", { $0.origin = "https://evil.example" }),
                ("port", { $0.origin = "https://wallet.example:8443" }),
                ("frame", { $0.isCrossOrigin = true }),
                ("party", { $0.party = "evil.example" }),
                ("not present", { $0.flags = 0x04 }),
                ("not verified", { $0.flags = 0x01 }),
                ("backed up, not eligible", { $0.flags = 0x15 }),
                ("eligible all at once", { $0.flags = 0x0D }),
                ("another user's handle", { $0.user = stranger.id }),
                ("no handle", { $0.tellsUser = false }),
                ("another's credential", { $0.id = stranger.passkey.id }),
                ("unknown credential", { $0.id = randomBytes(32) }),
            ]
            var told: Set<String> = []
            for (what, bend) in bends {
                var bent = passkey
                bend(&bent)
                let answer = try await harness.logIn(bent.assert(harness.challenge()))
                #expect(answer.status == 401, "\(what): \(answer.text)")
                told.insert(answer.code ?? "")
            }
            #expect(told == ["wrong-credentials"])
            let replayed = try await harness.challenge()
            let assertion = passkey.assert(replayed)
            let other = try await harness.challenge()
            let moved = PasskeyAssertion(
                challengeID: other.challengeID,
                credential: assertion.credential
            )
            let answer = try await harness.logIn(moved)
            #expect(answer.status == 401)
            let unknown = PasskeyAssertion(
                challengeID: .new(),
                credential: assertion.credential
            )
            let lost = try await harness.logIn(unknown)
            #expect(lost.status == 409 && lost.code == "challenge-expired")
        }
    }

    @Test func aNamedChallengeTakesThatUsersPasskeysOnly() async throws {
        try await Harness.run { _, harness in
            let anna = try await harness.registerWithPasskey()
            let bruno = try await harness.registerWithPasskey()
            let challenge = try await harness.challenge(PasskeyRequest(identifier: anna.email))
            let wrong = try await harness.logIn(bruno.passkey.assert(challenge))
            #expect(wrong.status == 401)
            // Who was named need not be told by the authenticator.
            var silent = anna.passkey
            silent.tellsUser = false
            let right = try await harness.logIn(silent.assert(challenge))
            #expect(right.status == 201)
        }
    }

    @Test func unknownNamesAnswerAlikeAndTheSameEachTime() async throws {
        try await Harness.run { _, harness in
            let email = try await harness.registerWithPasskey().email
            let without = try await harness.register().email
            var shapes: Set<[String]> = []
            for name in [email, without, "nobody@example.org", "nobody"] {
                let first = try await harness.challenge(PasskeyRequest(identifier: name))
                let again = try await harness.challenge(
                    PasskeyRequest(identifier: name.uppercased())
                )
                #expect(first.publicKey.allowCredentials.isEmpty)
                #expect(again.publicKey.allowCredentials.isEmpty)
                #expect(first.publicKey.challenge != again.publicKey.challenge)
                let tree = try JSON.read(
                    [String: RawJSON].self,
                    from: JSON.write(first)
                )
                shapes.insert(tree.keys.sorted())
            }
            #expect(shapes.count == 1)
            let rows = Statement(
                "select count(*) from auth.passkey_ceremony where user_id is null"
            ) { row in try row.int64(0) }
            let unnamed = try await harness.database.queryOne(rows)
            #expect(unnamed == 0)
        }
    }

    @Test func aSignCountThatGoesBackIsRefusedMailedAndKept() async throws {
        try await Harness.run { _, harness in
            let (email, _, _, first) = try await harness.registerWithPasskey()
            var passkey = first
            passkey.signCount = 7
            let right = try await harness.logIn(passkey.assert(harness.challenge()))
            #expect(right.status == 201)
            for count: UInt32 in [7, 6, 0] {
                passkey.signCount = count
                let challenge = try await harness.challenge()
                let answer = try await harness.logIn(passkey.assert(challenge))
                #expect(answer.status == 401 && answer.code == "wrong-credentials")
                // The challenge is used up: the copy does not get to try another count.
                passkey.signCount = 9
                let again = try await harness.logIn(passkey.assert(challenge))
                #expect(again.status == 409)
            }
            let mails = try await harness.messages(to: email).filter {
                $0.1["change"] == "passkey-copied"
            }
            #expect(mails.count == 3)
            let audited = Statement(
                "select count(*) from auth.audit_entry where action = 'passkey-copied'"
            ) { row in try row.int64(0) }
            let entries = try await harness.database.queryOne(audited)
            #expect(entries == 3)
            passkey.signCount = 8
            let after = try await harness.logIn(passkey.assert(harness.challenge()))
            #expect(after.status == 201)
        }
    }

    @Test func disabledUsersAreToldOnlyAfterTheProof() async throws {
        try await Harness.run { _, harness in
            var passkey = try await harness.registerWithPasskey().passkey
            let disable = Statement<Void>("update auth.user_account set enabled = false")
            try await harness.database.execute(disable)
            let right = try await harness.logIn(passkey.assert(harness.challenge()))
            #expect(right.status == 403 && right.code == "user-disabled")
            passkey.flags = 0x01
            let wrong = try await harness.logIn(passkey.assert(harness.challenge()))
            #expect(wrong.status == 401)
        }
    }

    @Test func oneWayAtATime() async throws {
        try await Harness.run { _, harness in
            let (email, _, _, passkey) = try await harness.registerWithPasskey()
            let assertion = try await passkey.assert(harness.challenge())
            let both = NewSession(
                identifier: email,
                password: Harness.password,
                passkey: assertion
            )
            let answer = try await harness.post("/v1/sessions", both)
            #expect(answer.status == 422)
        }
    }
}
