import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Registering passkeys, taking them away, proving oneself by them, and devices known again.
@Suite struct PasskeyKeepingTests {
    @Test func aRegistrationIsItsUsersAloneAndUsedOnce() async throws {
        try await Harness.run { _, harness in
            let anna = try await harness.register()
            let bruno = try await harness.register()
            let creation = try await harness.begin(anna.session)
            #expect(creation.publicKey.rp.id == "wallet.example")
            #expect(creation.publicKey.pubKeyCredParams.map(\.alg) == [-8, -7, -257])
            #expect(creation.publicKey.authenticatorSelection.residentKey == "required")
            let passkey = try SoftAuthenticator(user: anna.id)
            let new = passkey.register(creation, name: "My phone")
            let stolen = try await harness.send(new, bruno.session)
            #expect(stolen.status == 409 && stolen.code == "challenge-expired")
            let key = [("idempotency-key", "a key of anna's")] as [(StaticString, String)]
            let right = try await harness.send(new, anna.session, headers: key)
            #expect(right.status == 201, "\(right.text)")
            let repeated = try await harness.send(new, anna.session, headers: key)
            #expect(repeated.status == 201 && repeated.body == right.body)
            let again = try await harness.send(new, anna.session)
            #expect(again.status == 409 && again.code == "challenge-exhausted")
            let taken = try await harness.add(passkey, bruno.session)
            #expect(taken.status == 409 && taken.code == "passkey-taken")
            let excluded = try await harness.begin(anna.session).publicKey.excludeCredentials
            #expect(excluded.map(\.id) == [Base64URL.encode(passkey.id)])
        }
    }

    @Test func bentRegistrationsTellTheRuleThatTheyBreak() async throws {
        try await Harness.run { _, harness in
            let anna = try await harness.register()
            let bends: [(String, (inout SoftAuthenticator) -> Void)] = [
                ("wrong-origin", { $0.origin = "https://evil.example" }),
                ("cross-origin", { $0.isCrossOrigin = true }),
                ("wrong-relying-party", { $0.party = "evil.example" }),
                ("user-not-present", { $0.flags = 0x04 }),
                ("user-not-verified", { $0.flags = 0x01 }),
                ("inconsistent-backup", { $0.flags = 0x15 }),
            ]
            for (reason, bend) in bends {
                var passkey = try SoftAuthenticator(user: anna.id)
                bend(&passkey)
                let answer = try await harness.add(passkey, anna.session)
                #expect(answer.status == 422 && answer.code == "invalid-passkey")
                #expect(answer.text.contains(#""reason":"\#(reason)""#), "\(answer.text)")
            }
        }
    }

    @Test func eightAreTheMostHoweverManyAtOnce() async throws {
        try await Harness.run { actor, harness in
            let anna = try await harness.register()
            var all: [NewPasskey] = []
            for _ in 0..<12 {
                let creation = try await harness.begin(anna.session)
                all.append(try SoftAuthenticator(user: anna.id).register(creation))
            }
            let bound = LoopBound(harness, to: actor)
            let statuses = try await atOnce(12, on: actor) { [all] actor, number in
                try await bound.on(actor).send(all[number], anna.session).status
            }
            #expect(statuses.filter { $0 == 201 }.count == PasskeyRules.countMax)
            #expect(statuses.filter { $0 == 409 }.count == 12 - PasskeyRules.countMax)
            let full = try await harness.rig.call(
                .post,
                "/v1/passkeys/options",
                token: anna.session.accessToken
            )
            #expect(full.status == 409 && full.code == "too-many-passkeys")
        }
    }

    @Test func anOldProofChangesNothingAndAPasskeyRenewsIt() async throws {
        try await Harness.run { _, harness in
            let (_, session, _, passkey) = try await harness.registerWithPasskey()
            let stranger = try await harness.registerWithPasskey()
            let age = Statement<Void>(
                "update auth.session set authenticated_at = now() - interval '11 minutes'"
            )
            try await harness.database.execute(age)
            let refreshed = try await harness.refresh(session.refreshToken)
            let old = try JSON.read(SessionTokens.self, from: refreshed.body)
            let list = try await harness.rig.call(.get, "/v1/passkeys", token: old.accessToken)
            let id = try JSON.read(Page<PasskeyView>.self, from: list.body).items[0].id
            for (method, path) in [
                (HTTPMethod.post, "/v1/passkeys/options"), (.delete, "/v1/passkeys/\(id.text)"),
            ] {
                let answer = try await harness.rig.call(method, path, token: old.accessToken)
                #expect(answer.status == 403 && answer.code == "step-up-required")
            }
            // Another's passkey proves nothing here.
            let wrong = try await prove(harness, stranger.passkey, old)
            #expect(wrong.status == 422 && wrong.code == "invalid-passkey")
            let proved = try await prove(harness, passkey, old)
            try #require(proved.status == 201, "\(proved.text)")
            let fresh = try JSON.read(SessionTokens.self, from: proved.body)
            let again = try await harness.refresh(fresh.refreshToken)
            let kept = try JSON.read(SessionTokens.self, from: again.body)
            let gone = try await harness.rig.call(
                .delete,
                "/v1/passkeys/\(id.text)",
                token: kept.accessToken
            )
            #expect(gone.status == 204)
        }
    }

    private func prove(
        _ harness: Harness,
        _ passkey: SoftAuthenticator,
        _ session: SessionTokens
    ) async throws -> ServiceRig.Answer {
        let challenge = try await harness.challenge(token: session.accessToken)
        return try await harness.rig.call(
            .post,
            "/v1/passkeys/proofs",
            body: JSON.write(passkey.assert(challenge)),
            token: session.accessToken
        )
    }

    @Test func theLastWayInCannotBeTakenAway() async throws {
        try await Harness.run { _, harness in
            let anna = try await harness.registerWithPasskey()
            let stranger = try await harness.registerWithPasskey()
            let noPassword = Statement<Void>("update auth.user_account set password_hash = null")
            try await harness.database.execute(noPassword)
            let second = try await harness.add(
                SoftAuthenticator(user: anna.id),
                anna.session
            )
            let id = try JSON.read(PasskeyView.self, from: second.body).id
            let notHers = try await delete(harness, id, stranger.session)
            #expect(notHers.status == 404)
            let one = try await delete(harness, id, anna.session)
            #expect(one.status == 204)
            let again = try await delete(harness, id, anna.session)
            #expect(again.status == 404)
            let list = try await harness.rig.call(
                .get,
                "/v1/passkeys",
                token: anna.session.accessToken
            )
            let last = try JSON.read(Page<PasskeyView>.self, from: list.body).items[0].id
            let refused = try await delete(harness, last, anna.session)
            #expect(refused.status == 409 && refused.code == "last-credential")
            let still = try await harness.logIn(anna.passkey.assert(harness.challenge()))
            #expect(still.status == 201)
        }
    }

    private func delete(
        _ harness: Harness,
        _ id: ID<Passkey>,
        _ session: SessionTokens
    ) async throws -> ServiceRig.Answer {
        try await harness.rig.call(
            .delete,
            "/v1/passkeys/\(id.text)",
            token: session.accessToken
        )
    }

    @Test func aDeviceIsOfferedItsLastUsersPasskeysFirst() async throws {
        try await Harness.run { _, harness in
            let anna = try await harness.registerWithPasskey()
            let token = anna.session.deviceToken
            let own = Base64URL.encode(anna.passkey.id)
            var told = try await harness.challenge(PasskeyRequest(deviceToken: token))
            #expect(told.publicKey.allowCredentials.map(\.id) == [own])
            #expect(told.suggested?.username.hasSuffix("***") == true)
            let logIn = try await harness.logIn(anna.passkey.assert(told))
            #expect(logIn.status == 201)
            // Our own pages show it as a cookie, others' cookies count for nothing.
            let cookie = ("cookie", "__Host-device=\(token ?? "")") as (StaticString, String)
            let ours = ("origin", "https://wallet.example") as (StaticString, String)
            told = try await harness.challenge(headers: [cookie, ours])
            #expect(told.suggested != nil)
            told = try await harness.challenge(headers: [cookie])
            #expect(told.suggested == nil && told.publicKey.allowCredentials.isEmpty)
            told = try await harness.challenge(
                PasskeyRequest(deviceToken: token, fastForward: false)
            )
            #expect(told.suggested == nil && told.publicKey.allowCredentials.isEmpty)
            told = try await harness.challenge(
                PasskeyRequest(deviceToken: String((token ?? "").dropLast()) + "A")
            )
            #expect(told.suggested == nil || token?.last == "A")
            // Logging out everywhere else, or another password, voids it.
            _ = try await harness.rig.call(
                .delete,
                "/v1/sessions",
                token: anna.session.accessToken
            )
            told = try await harness.challenge(PasskeyRequest(deviceToken: token))
            #expect(told.suggested == nil)
            let new = try JSON.read(SessionTokens.self, from: logIn.body)
            let refreshed = try await harness.logIn(anna.email)
            let later = try JSON.read(SessionTokens.self, from: refreshed.body).deviceToken
            told = try await harness.challenge(PasskeyRequest(deviceToken: later))
            #expect(told.suggested != nil && new.deviceToken != later)
            let other = Statement<Void>("update auth.user_account set password_hash = 'other'")
            try await harness.database.execute(other)
            told = try await harness.challenge(PasskeyRequest(deviceToken: later))
            #expect(told.suggested == nil)
        }
    }

    @Test func aDevicesTokenEndsAfterSevenDays() {
        let keys = [randomBytes(32), randomBytes(32)]
        let token = DeviceToken(user: .new())
        let text = Array(token.text(key: keys[1]).utf8)
        let soon = token.madeAt.adding(seconds: DeviceToken.lifeSeconds - 1)
        let late = token.madeAt.adding(seconds: DeviceToken.lifeSeconds)
        #expect(DeviceToken(text, keys: keys, now: soon) == token)
        #expect(DeviceToken(text, keys: keys, now: late) == nil)
        #expect(DeviceToken(text, keys: [keys[0]], now: soon) == nil)
        for place in text.indices {
            var bent = text
            bent[place] = bent[place] == 0x41 ? 0x42 : 0x41
            #expect(DeviceToken(bent, keys: keys, now: soon) == nil)
        }
    }
}
