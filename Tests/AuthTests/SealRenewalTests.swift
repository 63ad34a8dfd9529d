import Crypto
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What outlives a change of secrets is sealed anew, and nothing else is touched.
@Suite struct SealRenewalTests {
    static let (old, new) = (ServiceRig.secret + "t", ServiceRig.secret + "n")

    private func renewal(_ harness: Harness) -> SealRenewal {
        var renewal = SealRenewal(harness.parts.configuration, harness.rig.service)
        renewal.piece = 2
        return renewal
    }

    /// As a service has it that was given these secrets.
    private func configuration(_ secrets: [String]) throws -> AuthConfiguration {
        try AuthConfiguration(
            Settings(
                CommonVariables.all + AuthVariables.all,
                environment: [
                    "EZWALLET_SERVICE_SECRET": ServiceRig.secret,
                    "EZWALLET_SEALING_SECRET": ServiceRig.secret + "s",
                    "EZWALLET_DATABASE_NAME": "x", "EZWALLET_DATABASE_USER": "x",
                    "EZWALLET_TOKEN_SECRET": secrets.joined(separator: ","),
                ]
            )
        )
    }

    /// As though everything had been sealed before there was the new secret.
    private func sealByOld(_ harness: Harness) async throws {
        let (now, before) = (harness.parts.configuration, try configuration([Self.old]))
        for (user, sealed) in try await rows(harness) {
            let secret = try now.totpSeal.open(sealed, context: user.bytes)
            let older = before.totpSeal.seal(secret, context: user.bytes)
            try await harness.database.execute(TotpStatements.sealAnew, user, sealed, older)
        }
        for row in try await harness.database.query(KeyStatements.live) {
            let context = Array(row.id.utf8)
            let key = try now.signingKeySeal.open(row.sealedPrivateKey, context: context)
            try await harness.database.execute(
                KeyStatements.sealAnew,
                row.id,
                row.sealedPrivateKey,
                before.signingKeySeal.seal(key, context: context)
            )
        }
    }

    private func totp(_ harness: Harness, _ configuration: AuthConfiguration) -> TotpStore {
        TotpStore(
            database: harness.database,
            sessions: harness.parts.sessions,
            messages: harness.parts.messages,
            audit: harness.parts.audit,
            configuration: configuration
        )
    }

    private func rows(_ harness: Harness) async throws -> [(ID<User>, [UInt8])] {
        let none = ID<User>(high: 0, low: 0)
        return try await harness.database.query(TotpStatements.sealed, none, Int32(100))
    }

    @Test func theOldSecretCanGoOnceAllIsSealedAnew() async throws {
        let both = [Self.new, Self.old].joined(separator: ",")
        try await Harness.run(["EZWALLET_TOKEN_SECRET": both]) { _, harness in
            var people: [(email: String, id: ID<User>, secret: [UInt8])] = []
            for _ in 0..<5 {
                let person = try await harness.register()
                let (secret, _) = try await harness.enableTotp(person.session.accessToken)
                people.append((person.email, person.id, secret))
            }
            try await sealByOld(harness)
            let onlyNew = try configuration([Self.new])
            for (user, sealed) in try await rows(harness) {
                #expect(throws: SealBroken.self) {
                    try onlyNew.totpSeal.open(sealed, context: user.bytes)
                }
            }
            let first = try await renewal(harness).run()
            #expect(first == SealRenewal.Outcome(renewed: 6))
            let before = try await rows(harness)
            let second = try await renewal(harness).run()
            #expect(second == SealRenewal.Outcome())
            let after = try await rows(harness)
            #expect(before.map(\.1) == after.map(\.1), "what is new is left alone")
            // Each secret is still its owner's, and the old one opens none of them.
            for (user, sealed) in after {
                let opened = try onlyNew.totpSeal.open(sealed, context: user.bytes)
                #expect(opened == people.first { $0.id == user }?.secret)
                #expect(throws: SealBroken.self) {
                    try configuration([Self.old]).totpSeal.open(sealed, context: user.bytes)
                }
            }
            for row in try await harness.database.query(KeyStatements.live) {
                let key = try onlyNew.signingKeySeal.open(
                    row.sealedPrivateKey,
                    context: Array(row.id.utf8)
                )
                let id = try ES256Key(der: key).id
                #expect(id == row.id)
            }
            // Who knows the new secret alone takes their codes, here and by log-in.
            let alone = totp(harness, onlyNew)
            let (last, code) = (people[1].id, harness.appCode(people[1].secret))
            let isTaken = try await harness.database.transaction { transaction in
                try await alone.take(code, of: last, in: transaction)
            }
            #expect(isTaken)
            let person = people[0]
            let challenge = try harness.view(try await harness.logIn(person.email))
            let answer = try await harness.answer(challenge.id, harness.appCode(person.secret))
            #expect(answer.status == 201, "\(answer.text)")
        }
    }

    @Test func whoeverChangesASecretMeanwhileWins() async throws {
        let both = [Self.new, Self.old].joined(separator: ",")
        try await Harness.run(["EZWALLET_TOKEN_SECRET": both]) { _, harness in
            let person = try await harness.register()
            _ = try await harness.enableTotp(person.session.accessToken)
            let (user, sealed) = try #require(try await rows(harness).first)
            let other = harness.parts.configuration.totpSeal.seal([1], context: user.bytes)
            let set = Statement<Void>("update auth.totp set sealed_secret = $1")
            try await harness.database.execute(set, other)
            let changed = try await harness.database.execute(
                TotpStatements.sealAnew,
                user,
                sealed,
                [2] as [UInt8]
            )
            #expect(changed == 0)
            let kept = try await rows(harness).map(\.1)
            #expect(kept == [other])
        }
    }

    @Test func whatNoSecretOpensIsCountedAndLeftAsItIs() async throws {
        let both = [Self.new, Self.old].joined(separator: ",")
        try await Harness.run(["EZWALLET_TOKEN_SECRET": both]) { _, harness in
            let person = try await harness.register()
            _ = try await harness.enableTotp(person.session.accessToken)
            try await sealByOld(harness)
            let stranger = try configuration([ServiceRig.secret + "x"])
            let sealed = stranger.totpSeal.seal([1], context: person.id.bytes)
            let set = Statement<Void>("update auth.totp set sealed_secret = $1")
            try await harness.database.execute(set, sealed)
            let outcome = try await renewal(harness).run()
            #expect(outcome == SealRenewal.Outcome(renewed: 1, broken: 1))
            let kept = try await rows(harness).map(\.1)
            #expect(kept == [sealed])
        }
    }

    @Test func oneSecretAloneNeedsNone() async throws {
        try await Harness.run { _, harness in
            let isNeeded = renewal(harness).isNeeded
            #expect(!isNeeded)
        }
    }
}
