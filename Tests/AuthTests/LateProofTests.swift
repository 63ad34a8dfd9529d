import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What a proof is worth to whoever holds something of before it.
@Suite struct LateProofTests {
    @Test func aCopiedRefreshTokenNeverGivesWhatWasProved() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let challenge = try harness.view(
                try await harness.challenge(
                    NewChallenge(purpose: .stepUp),
                    as: person.session.accessToken
                )
            )
            let proved = try harness.tokens(
                try await harness.answer(
                    challenge.id,
                    try await harness.code(for: person.email),
                    as: person.session.accessToken
                )
            )
            let next = try harness.tokens(try await harness.refresh(proved.refreshToken))
            // Within what would be a lost answer's grace.
            let again = try harness.tokens(try await harness.refresh(proved.refreshToken))
            #expect(again.refreshToken == next.refreshToken)
            let copied = try await harness.refresh(person.session.refreshToken)
            #expect(copied.code == "refresh-token-reused", "\(copied.text)")
        }
    }

    @Test func aCopiedRefreshTokenDiesWithTheFirstSecondFactor() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let (_, enabled) = try await harness.switchTotpOn(person.session.accessToken)
            let before = try harness.holder(person.session)
            let after = try harness.holder(enabled.session)
            #expect(before == after, "the session goes on")
            let kept = try await harness.refresh(enabled.session.refreshToken)
            #expect(kept.status == 201, "\(kept.text)")
            let copied = try await harness.refresh(person.session.refreshToken)
            #expect(copied.code == "refresh-token-reused", "\(copied.text)")
        }
    }

    /// A log-in and the confirmation of an app at once, in the order in which both come to the
    /// person's row.
    @Test(arguments: [true, false])
    func noPasswordAloneOpensASessionBesideTheFirstSecondFactor(
        _ opensFirst: Bool
    ) async throws {
        try await Harness.run { actor, harness in
            let person = try await harness.register()
            let holder = try harness.holder(person.session)
            let secret = try await harness.parts.totp.begin(by: holder)
            let credential = try #require(
                try await harness.database.queryOne(UserStatements.credentialByID, person.id)
            )
            let key = try await harness.parts.sessions.signingKey()
            let bound = LoopBound(harness, to: actor)
            let done = try await atOnce(3, on: actor) { actor, index in
                let harness = bound.on(actor)
                if index == 0 {
                    try await harness.database.transaction { transaction in
                        try await SessionHolder.lock(person.id, in: transaction)
                        try await IdentityLogInTests.wait(transaction, until: 2)
                    }
                    return "held"
                }
                let isFirst = (index == 1) == opensFirst
                try await IdentityLogInTests.wait(harness.database, until: isFirst ? 0 : 1)
                if index == 1 {
                    // As a log-in does whose password was right when there was no app yet.
                    do {
                        _ = try await harness.database.transaction { transaction in
                            try await harness.parts.sessions.open(
                                for: credential,
                                on: Device.test,
                                methods: ["pwd"],
                                signedWith: key,
                                in: transaction
                            )
                        }
                        return "opened"
                    } catch let error as APIError { return error.code.text }
                }
                let code = harness.appCode(secret)
                _ = try await harness.parts.totp.confirm(code, for: credential, by: holder)
                return "confirmed"
            }
            let opened = opensFirst ? "opened" : "wrong-credentials"
            #expect(done.sorted() == ["confirmed", "held", opened].sorted())
            let left = try await harness.parts.sessions.list(of: person.id)
            #expect(left.map(\.id) == [holder.session], "nothing that it did not open")
        }
    }

    @Test func whereTheAppIsOnOnlyItOrAPasskeyOpens() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            _ = try await harness.enableTotp(person.session.accessToken)
            let credential = try #require(
                try await harness.database.queryOne(UserStatements.credentialByID, person.id)
            )
            let key = try await harness.parts.sessions.signingKey()
            let ways: [([String], Bool)] = [
                (["pwd"], false), (["pwd", "otp"], false), (["pwd", "otp", "sms", "mfa"], false),
                (["fed"], false), (["pwd", "otp", "mfa"], true), (["fed", "otp", "mfa"], true),
                (["hwk", "user", "mfa"], true), (["swk", "user", "mfa"], true),
            ]
            for (methods, isGood) in ways {
                let isOpened: Bool
                do {
                    _ = try await harness.database.transaction { transaction in
                        try await harness.parts.sessions.open(
                            for: credential,
                            on: Device.test,
                            methods: methods,
                            signedWith: key,
                            in: transaction
                        )
                    }
                    isOpened = true
                } catch is APIError { isOpened = false }
                #expect(isOpened == isGood, "\(methods)")
            }
        }
    }

    // MARK: Administrators

    @Test func aStaleAdministratorMakesNoOtherAndMovesNobody() async throws {
        try await Harness.run { _, harness in
            let fresh = try await AdminTests.admin(harness)
            let stale = AdminTests.Admin(
                id: fresh.id,
                token: try await harness.staleToken(of: fresh.id)
            )
            let person = try await harness.register()
            let path = "/v1/users/\(person.id.text)"
            func access(_ roles: [Role], _ enabled: Bool = true) async throws -> String {
                let answer = try await AdminTests.setAccess(
                    harness,
                    of: person.id,
                    roles: roles,
                    enabled: enabled,
                    by: stale
                )
                return answer.code ?? String(answer.status)
            }
            func patch(_ body: String, by admin: AdminTests.Admin) async throws -> String {
                let answer = try await harness.call(
                    .patch,
                    path,
                    Array(body.utf8),
                    as: admin.token
                )
                return answer.code ?? String(answer.status)
            }
            func invite(_ roles: [Role], by admin: AdminTests.Admin) async throws -> String {
                let email = "i\(ID<User>.new().text.suffix(12))@example.org"
                let roles = roles.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
                let answer = try await harness.call(
                    .post,
                    "/v1/admin/users",
                    Array(#"{"email":"\#(email)","roles":[\#(roles)]}"#.utf8),
                    as: admin.token
                )
                return answer.code ?? String(answer.status)
            }
            let email = #"{"email":"new\#(person.id.text.suffix(8))@example.org"}"#
            let phone = #"{"phone":"+41791112233"}"#
            for roles: [Role] in [[.user, .admin], [.user, .coo], [.coo]] {
                let told = try await (access(roles), invite(roles, by: stale))
                #expect(told == ("step-up-required", "step-up-required"))
            }
            for body in [email, phone, #"{"phone":null}"#] {
                let told = try await patch(body, by: stale)
                #expect(told == "step-up-required")
            }
            // What gives nobody anything goes on.
            let harmless = try await [
                invite([.user], by: stale), patch(#"{"firstName":"Ada"}"#, by: stale),
                access([.user], false), access([.user]),
            ]
            #expect(harmless == ["201", "200", "200", "200"])
            let fine = try await [
                invite([.coo], by: fresh), patch(email, by: fresh), patch(phone, by: fresh),
            ]
            #expect(fine == ["201", "200", "200"])
            let given = try await AdminTests.setAccess(
                harness,
                of: person.id,
                roles: [.admin],
                by: fresh
            )
            #expect(given.status == 200)
            // Who has it keeps it, and loses it; who had it is not let in again by a stale one.
            let had = try await [
                access([.user, .admin]), access([.user, .admin], false), access([.user, .admin]),
                access([.user]),
            ]
            #expect(had == ["200", "200", "step-up-required", "200"])
            let told = try await AdminTests.log(harness, "action=request-refused", by: fresh)
            #expect(told.count == 7, "but for invitations")
        }
    }

    @Test func anAdministratorWhoseSessionHasEndedDoesNothing() async throws {
        try await Harness.run { _, harness in
            let admin = try await AdminTests.admin(harness)
            let person = try await harness.register()
            let end = Statement<Void>(
                "update auth.session set revoked_at = now() where user_id = $1"
            )
            try await harness.database.execute(end, admin.id)
            let path = "/v1/users/\(person.id.text)"
            let calls: [(HTTPMethod, String, String?)] = [
                (.patch, path, #"{"firstName":"Ada"}"#),
                (.put, path + "/access", #"{"roles":["admin"],"enabled":true}"#),
                (.delete, path, nil),
                (.post, "/v1/admin/users", #"{"email":"late@example.org","roles":["admin"]}"#),
            ]
            for (method, path, body) in calls {
                let answer = try await harness.call(
                    method,
                    path,
                    body.map { Array($0.utf8) },
                    as: admin.token
                )
                #expect(answer.code == "unauthenticated", "\(method) \(answer.text)")
            }
        }
    }
}

extension Harness {
    /// An access token of the only session of somebody who proved who they are an hour ago.
    fileprivate func staleToken(of user: ID<User>) async throws -> String {
        let credential = try #require(
            try await database.queryOne(UserStatements.credentialByID, user)
        )
        let tokens = try tokens(try await logIn(credential.email))
        let session = try holder(tokens).session
        let back = Statement<Void>(
            "update auth.session set authenticated_at = now() - interval '1 hour' where id = $1"
        )
        try await database.execute(back, session)
        return try #require(try self.tokens(try await refresh(tokens.refreshToken)).accessToken)
    }
}
