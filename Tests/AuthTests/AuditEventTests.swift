import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What the log tells of keys, sessions and people's own changes; it stays whole with each.
@Suite struct AuditEventTests {
    private struct Told: Equatable, CustomStringConvertible {
        let action: String
        let actor: String
        let detail: String
        var description: String { "\(action) by \(actor): \(detail)" }
    }

    /// Entries, oldest first, of these actions.
    private func told(
        _ harness: Harness,
        _ actions: [AuditAction],
        of subject: ID<User>? = nil
    ) async throws -> [Told] {
        try await harness.database.query(entries, actions.map(\.rawValue), subject)
    }

    /// Seals, verifies, and finds no text that erasure would not.
    private func expectIntact(_ harness: Harness, holding count: Int? = nil) async throws {
        try await AuditChainTests.seal(harness.parts.auditSealer(harness.rig.service), harness)
        let verification = try await AuditChainTests.verifier(harness).verify()
        #expect(verification.isIntact && verification.isComplete)
        if let count { #expect(verification.entries == Int64(count)) }
    }

    @Test func keysAreToldOfByWhomeverTheyAreChanged() async throws {
        try await Harness.run { actor, harness in
            let keys = harness.parts.keys
            let first = try await keys.signingKey().id
            let none = try await told(harness, [.keyRotated, .keyRevoked])
            #expect(none.isEmpty, "the first key took no other's place")
            let second = try await keys.rotation.rotate(now: true)
            try await harness.database.execute(age, Double(86_400 * 3))
            let bound = LoopBound(harness, to: actor)
            let made = try await atOnce(6, on: actor) { actor, _ in
                try await bound.on(actor).parts.keys.rotation.runSchedule(days: 1).made
            }.compactMap(\.self)
            try #require(made.count == 1)
            // The one that is published takes over; behind the last of all, a new one.
            let next = try await keys.rotation.revoke(second)
            #expect(next == made[0])
            let last = try await keys.rotation.revoke(next)
            #expect(last != first && last != second)
            let entries = try await told(harness, [.keyRotated, .keyRevoked])
            try #require(
                entries.map(\.action) == [
                    "key-rotated", "key-rotated", "key-revoked", "key-revoked",
                ]
            )
            #expect(
                entries.map(\.actor) == ["operator", "service:auth", "operator", "operator"]
            )
            #expect(entries[0].detail.hasPrefix(#"{"key":"\#(second)","signsFrom":"20"#))
            #expect(entries[1].detail.hasPrefix(#"{"key":"\#(next)","signsFrom":"20"#))
            #expect(entries[2].detail == #"{"key":"\#(second)","signing":"\#(next)"}"#)
            #expect(entries[3].detail == #"{"key":"\#(next)","signing":"\#(last)"}"#)
            do {
                _ = try await keys.rotation.revoke("nobody")
                Issue.record("revoked what is not there")
            } catch is KeyRotation.UnknownKey {}
            // The head is signed by the key that is left, and those that are gone still count.
            try await expectIntact(harness, holding: 4)
        }
    }

    @Test func aReplayIsToldOnceHoweverManyReplayAtOnce() async throws {
        try await Harness.run { actor, harness in
            let (_, session, id) = try await harness.register()
            let stolen = try #require(session.refreshToken)
            let renewed = try await harness.refresh(stolen)
            #expect(renewed.status == 201)
            let within = try await harness.refresh(stolen)
            #expect(within.status == 201, "a lost answer is no replay")
            var entries = try await told(harness, [.sessionReplayed])
            #expect(entries.isEmpty)
            try await harness.database.execute(endGrace)
            let bound = LoopBound(harness, to: actor)
            let codes = try await atOnce(8, on: actor) { actor, _ in
                try await bound.on(actor).refresh(stolen).code
            }
            #expect(codes.contains("refresh-token-reused"))
            entries = try await told(harness, [.sessionReplayed], of: id)
            let family = try #require(
                RefreshToken(stolen, keys: harness.parts.configuration.refreshKeys)
            ).family
            let expected = Told(
                action: "session-replayed",
                actor: "anyone",
                detail: #"{"session":"\#(family.text)"}"#
            )
            #expect(entries == [expected])
            try await expectIntact(harness, holding: 1)
        }
    }

    @Test func ownChangesAreToldByFieldsAlone() async throws {
        try await Harness.run { _, harness in
            let (_, session, id) = try await harness.register(username: "Before")
            let token = session.accessToken
            func patch(_ body: String) async throws {
                let answer = try await harness.rig.call(
                    .patch,
                    "/v1/users/me",
                    body: Array(body.utf8),
                    token: token
                )
                #expect(answer.status == 200, "\(answer.text)")
            }
            let phone = "+393331234567"
            let proof = PhoneToken.make(phone, keys: harness.parts.configuration.phoneKeys)
                .phoneToken
            try await patch(#"{"theme":"dark","monthStart":5}"#)
            try await patch(#"{"username":"After","firstName":"Ada","lastName":"Lovelace"}"#)
            try await patch(#"{"username":"After","firstName":"Ada","lastName":null}"#)
            try await patch(#"{"phone":"\#(phone)","phoneToken":"\#(proof)"}"#)
            let email = "new\(id.text.suffix(8))@example.org"
            try await patch(#"{"email":"\#(email)"}"#)
            try await patch(#"{"email":"\#(email)"}"#)
            let verified = try await harness.verify(try await harness.links(to: email).last)
            try #require(verified.status == 204, "\(verified.text)")
            try await patch(#"{"phone":null}"#)
            let actions: [AuditAction] = [.userChanged, .emailChanged, .phoneChanged]
            let entries = try await told(harness, actions, of: id)
            #expect(entries.allSatisfy { $0.actor == id.text })
            let lines = entries.map { "\($0.action) \($0.detail)" }
            let expected = [
                #"user-changed {"fields":["username","firstName","lastName"]}"#,
                #"user-changed {"fields":["lastName"]}"#,
                #"phone-changed {}"#,
                #"user-changed {"fields":["email"],"waits":true}"#,
                #"email-changed {}"#,
                #"phone-changed {}"#,
            ]
            #expect(lines == expected)
            // The person's password stands in the log as one, too.
            let change = try await harness.rig.call(
                .put,
                "/v1/users/me/password",
                body: Array(
                    #"{"currentPassword":"\#(Harness.password)","newPassword":"quiet-otter-41-x"}"#
                        .utf8
                ),
                token: token
            )
            #expect(change.status < 300, "\(change.text)")
            let passwords = try await told(harness, [.passwordChanged], of: id)
            #expect(passwords.map(\.actor) == [id.text])
            // Nothing of it is a text, so that nothing of it needs to be erased.
            let rows = try await harness.database.query(everything).joined(separator: " ")
            for secret in ["Ada", "Lovelace", "After", phone, email, "otter"] {
                #expect(!rows.contains(secret))
            }
            try await expectIntact(harness, holding: expected.count + 1)
        }
    }

    @Test func anExportIsToldOnceWhileItIsGathered() async throws {
        try await Harness.run { _, harness in
            let (_, session, id) = try await harness.register()
            for _ in 0..<3 {
                let answer = try await harness.rig.call(
                    .post,
                    "/v1/users/me/exports",
                    token: session.accessToken
                )
                #expect(answer.status == 202, "\(answer.text)")
            }
            let entries = try await told(harness, [.exportMade], of: id)
            #expect(entries == [Told(action: "export-made", actor: id.text, detail: "{}")])
        }
    }

    @Test func whatIsRefusedOrFailsIsNotToldAsDone() async throws {
        try await Harness.run { _, harness in
            let other = try await harness.register(username: "Taken name")
            let (_, session, id) = try await harness.register()
            for body in [
                #"{"username":"Taken name"}"#, #"{"firstName":5}"#, #"{"email":"\#(other.email)"}"#,
            ] {
                let answer = try await harness.rig.call(
                    .patch,
                    "/v1/users/me",
                    body: Array(body.utf8),
                    token: session.accessToken
                )
                #expect(answer.status == 409 || answer.status == 422, "\(answer.text)")
            }
            let entries = try await harness.database.query(everything)
            #expect(entries.isEmpty, "\(id)")
        }
    }

    @Test func whatSettlesAnAdministratorsChangeIsToldByWhomItWas() async throws {
        try await Harness.run { _, harness in
            let (_, session, id) = try await harness.register()
            let holder = try harness.holder(session)
            func ask(_ email: String) async throws -> String {
                let body = try JSON.read(
                    ProfileChanges.self,
                    from: Array(#"{"email":"\#(email)"}"#.utf8)
                )
                _ = try await harness.parts.profiles.committing { transaction in
                    try await harness.parts.profiles.apply(
                        ProfileChange(
                            body,
                            by: .admin,
                            phoneKeys: harness.parts.configuration.phoneKeys
                        ),
                        of: holder,
                        to: id,
                        ifMatch: nil,
                        in: transaction
                    )
                }
                let email = try #require(
                    try await harness.database.queryOne(UserStatements.profile, id)
                ).email
                let link = try #require(
                    try await harness.messages(to: email).compactMap { $0.1["link"] }.last {
                        $0.contains("profile-change")
                    }
                )
                return String(link.split(separator: "=").last ?? "")
            }
            let first = try await ask("a\(id.text.suffix(8))@example.org")
            let rejected = try await harness.rig.call(
                .post,
                "/v1/profile-changes/\(first)/rejection"
            )
            #expect(rejected.status == 204, "\(rejected.text)")
            let second = try await ask("b\(id.text.suffix(8))@example.org")
            let accepted = try await harness.rig.call(
                .post,
                "/v1/profile-changes/\(second)/confirmation"
            )
            #expect(accepted.status == 204, "\(accepted.text)")
            _ = try await ask("c\(id.text.suffix(8))@example.org")
            try await harness.database.execute(letTimePass)
            try await harness.parts.pending.settleDue()
            let entries = try await told(harness, [.requestRefused, .emailChanged], of: id)
            let expected = [
                Told(
                    action: "request-refused",
                    actor: id.text,
                    detail: #"{"action":"user-changed","fields":["email"]}"#
                ),
                Told(action: "email-changed", actor: id.text, detail: "{}"),
                Told(action: "email-changed", actor: "service:auth", detail: "{}"),
            ]
            #expect(entries == expected)
            try await expectIntact(harness)
        }
    }

    private let entries = Statement(
        """
        select action, actor, detail
        from auth.audit_entry
        where action = any($1::text[]) and ($2::uuid is null or subject = $2)
        order by xid, id
        """
    ) { row in try Told(action: row.string(0), actor: row.string(1), detail: row.string(2)) }
}

private let everything = Statement(
    """
    select concat_ws(' ', e.action, e.detail, t.value)
    from auth.audit_entry e
    left join auth.audit_text t on t.entry_id = e.id
    order by e.id
    """
) { row in try row.string(0) }

private let age = Statement<Void>(
    "update auth.signing_key set use_from = use_from - make_interval(secs => $1)"
)
private let endGrace = Statement<Void>(
    "update auth.session set rotated_at = now() - interval '1 minute'"
)
private let letTimePass = Statement<Void>(
    "update auth.pending_change set due_at = now() - interval '1 s'"
)
