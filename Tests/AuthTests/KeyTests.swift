import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Signing keys through their life, and what an emergency ends.
@Suite struct KeyTests {
    /// What another replica, or this one a minute later, has read.
    private func reader(_ harness: Harness) -> SigningKeys {
        SigningKeys(
            rotation: harness.parts.keys.rotation,
            revocations: harness.rig.service.revocations
        )
    }

    private func age(_ harness: Harness, seconds: Int) async throws {
        let back = Statement<Void>(
            """
            update auth.signing_key
            set use_from = use_from - make_interval(secs => $1) where retired_at is null
            """
        )
        try await harness.database.execute(back, Double(seconds))
    }

    @Test func theNextKeyIsPublishedBeforeItSignsAndTheOldOneVerifiesOn() async throws {
        try await Harness.run { _, harness in
            let token = try #require(try await harness.register().session.accessToken)
            let first = try await reader(harness).signingKey().id
            let next = try await harness.parts.keys.rotation.rotate(now: false)
            let early = reader(harness)
            let found1 = try await early.signingKey().id
            #expect(found1 == first)
            let published = try await early.publicKeys().map(\.keyID)
            #expect(Set(published) == [first, next])
            try await age(harness, seconds: Int(KeyRotation.publishedAheadSeconds) + 1)
            let late = reader(harness)
            let found2 = try await late.signingKey().id
            #expect(found2 == next)
            let kept = try await late.key(first)
            #expect(kept != nil, "its tokens live on")
            let me = try await harness.rig.call(.get, "/v1/users/me", token: token)
            #expect(me.status == 200)
        }
    }

    @Test func theScheduleMakesOneKeyHoweverManyReplicasLook() async throws {
        try await Harness.run { actor, harness in
            let first = try await reader(harness).signingKey().id
            let early = try await harness.parts.keys.rotation.runSchedule(days: 1)
            #expect(early.made == nil)
            try await age(harness, seconds: 86_400 * 3)
            let never = try await harness.parts.keys.rotation.runSchedule(days: 0)
            #expect(never.made == nil)
            let bound = LoopBound(harness, to: actor)
            let made = try await atOnce(12, on: actor) { actor, _ in
                try await bound.on(actor).parts.keys.rotation.runSchedule(days: 1).made
            }
            #expect(made.compactMap(\.self).count == 1)
            let found3 = try await reader(harness).signingKey().id
            #expect(found3 == first)
        }
    }

    @Test func aKeyIsRetiredOnlyWhenNoTokenOfItsCanLive() async throws {
        try await Harness.run { _, harness in
            let rotation = harness.parts.keys.rotation
            let first = try await reader(harness).signingKey().id
            let next = try await rotation.rotate(now: true)
            let margin = 60
            try await age(harness, seconds: Int(KeyRotation.tokenSecondsMax) - margin)
            let early = try await rotation.runSchedule(days: 0)
            #expect(early.retired.isEmpty)
            try await age(harness, seconds: margin + 1)
            let late = try await rotation.runSchedule(days: 0)
            #expect(late.retired == [first])
            let published = try await reader(harness).publicKeys().map(\.keyID)
            #expect(published == [next])
        }
    }

    @Test func aRevokedKeyEndsItsTokensAndSessionsGoOn() async throws {
        try await Harness.run { _, harness in
            let session = try await harness.register().session
            let keys = harness.parts.keys
            let stolen = try await keys.signingKey().id
            let signing = try await keys.rotation.revoke(stolen)
            #expect(signing != stolen)
            let told = try await harness.parts.revocations.list(after: nil)
            harness.rig.service.revocations.add(told.items)
            let before = try await harness.rig.call(
                .get,
                "/v1/users/me",
                token: session.accessToken
            )
            #expect(before.status == 401)
            // The one that has read its keys a moment ago signs with the other one at once.
            let found4 = try await keys.signingKey().id
            #expect(found4 == signing)
            let answer = try await harness.refresh(session.refreshToken)
            let renewed = try JSON.read(SessionTokens.self, from: answer.body)
            let after = try await harness.rig.call(
                .get,
                "/v1/users/me",
                token: renewed.accessToken
            )
            #expect(after.status == 200)
            let published = try await keys.publicKeys().map(\.keyID)
            #expect(published == [signing])
            do {
                _ = try await keys.rotation.revoke(stolen)
                Issue.record("revoked twice")
            } catch is KeyRotation.UnknownKey {}
        }
    }

    @Test func aKeyPublishedForLaterTakesOverFromARevokedOne() async throws {
        try await Harness.run { _, harness in
            let rotation = harness.parts.keys.rotation
            let first = try await reader(harness).signingKey().id
            let next = try await rotation.rotate(now: false)
            let found5 = try await rotation.revoke(first)
            #expect(found5 == next)
            let found6 = try await reader(harness).signingKey().id
            #expect(found6 == next)
            // One that does not sign yet may be revoked, too.
            let third = try await rotation.rotate(now: false)
            let found7 = try await rotation.revoke(third)
            #expect(found7 == next)
        }
    }

    @Test func aServicesOldAndNewCredentialsCountWhileOneReplacesTheOther() async throws {
        let (old, new) = (ServiceRig.secret + "old", ServiceRig.secret + "new")
        try await Harness.run(["EZWALLET_CLIENT_LEDGER_SECRET": new + "," + old]) { _, harness in
            func ask(_ secret: String, as service: ServiceName = .ledger) async throws -> Int {
                let body = ServiceTokenRequest(service: service, secret: secret)
                return try await harness.post("/internal/service-tokens", body).status
            }
            let found8 = try await ask(old)
            #expect(found8 == 200)
            let found9 = try await ask(new)
            #expect(found9 == 200)
            let found10 = try await ask(ServiceRig.secret + "other")
            #expect(found10 == 401)
            let found11 = try await ask(new + "," + old)
            #expect(found11 == 401)
            let found12 = try await ask(new, as: .groups)
            #expect(found12 == 401)
        }
    }

    @Test func whatTheOldSecretMadeIsReadWhileTheNewOneMakes() throws {
        let names = AuthVariables.all
        func configuration(_ secrets: String) throws -> AuthConfiguration {
            try AuthConfiguration(
                Settings(
                    CommonVariables.all + names,
                    environment: [
                        "EZWALLET_SERVICE_SECRET": ServiceRig.secret,
                        "EZWALLET_SEALING_SECRET": ServiceRig.secret,
                        "EZWALLET_DATABASE_NAME": "x", "EZWALLET_DATABASE_USER": "x",
                        "EZWALLET_TOKEN_SECRET": secrets,
                    ]
                )
            )
        }
        let (one, two) = (ServiceRig.secret + "1", ServiceRig.secret + "2")
        let before = try configuration(one)
        let between = try configuration(two + ", " + one)
        let after = try configuration(two)
        let token = RefreshToken(family: .new(), number: 7)
        let old = token.text(key: before.refreshKeys[0])
        #expect(RefreshToken(old, keys: between.refreshKeys) == token)
        #expect(RefreshToken(old, keys: after.refreshKeys) == nil)
        let new = token.text(key: between.refreshKeys[0])
        #expect(RefreshToken(new, keys: after.refreshKeys) == token)
        let sealed = before.signingKeySeal.seal([1, 2, 3], context: [9])
        let found13 = try between.signingKeySeal.open(sealed, context: [9])
        #expect(found13 == [1, 2, 3])
        #expect(throws: SealBroken.self) {
            try between.signingKeySeal.open(sealed, context: [8])
        }
        #expect(throws: SealBroken.self) { try after.signingKeySeal.open(sealed, context: [9]) }
    }
}
