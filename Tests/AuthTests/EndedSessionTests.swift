import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What whoever was signed out tries in the two seconds until their token is known to be void.
@Suite struct EndedSessionTests {
    typealias Person = (email: String, session: SessionTokens, id: ID<User>)

    /// A call of somebody signed in that changes what gives access, or takes data away.
    struct Call: Sendable {
        let name: String
        var method = HTTPMethod.post
        let path: String
        var body: String?
        /// What it is answered with by an open session.
        let status: Int
    }

    private static func own(_ path: String) -> String { "/v1/users/me" + path }

    private func send(
        _ harness: Harness,
        _ call: Call,
        as session: SessionTokens
    ) async throws -> ServiceRig.Answer {
        try await harness.call(
            call.method,
            call.path,
            call.body.map { Array($0.utf8) },
            as: session.accessToken,
            headers: IdentityTests.cookie
        )
    }

    private func text(_ body: some JSONValue) -> String {
        String(decoding: JSON.write(body), as: UTF8.self)
    }

    private func registration(_ harness: Harness, _ person: Person) async throws -> Call {
        let authenticator = try SoftAuthenticator(user: person.id)
        let made = try await authenticator.register(harness.begin(person.session))
        return Call(name: "passkey", path: "/v1/passkeys", body: text(made), status: 201)
    }

    private func linking(_ harness: Harness, _ person: Person) async throws -> Call {
        let link = try await harness.parts.identities.finish(
            IdentityTests.attempt(linking: person.id),
            IdentityTests.identity("linked \(person.id.text)")
        )
        guard case .code(let code) = link else { throw APIError(.internalError) }
        return Call(
            name: "identity",
            path: Self.own("/identities"),
            body: text(NewIdentity(oidcCode: code)),
            status: 201
        )
    }

    /// A call that confirms an authenticator app by the step before this, or the one before that.
    private func confirmation(_ harness: Harness, _ person: Person) async throws -> Call {
        let holder = try harness.holder(person.session)
        let secret = try await harness.parts.totp.begin(by: holder)
        return Call(
            name: "confirm",
            path: Self.own("/totp/confirmation"),
            body: text(ChallengeAnswer(code: harness.appCode(secret))),
            status: 200
        )
    }

    /// A way in that somebody could be left with, or data taken away.
    private func planting(
        _ name: String,
        _ harness: Harness,
        _ person: Person
    ) async throws -> Call {
        switch name {
        case "passkey": try await registration(harness, person)
        case "identity": try await linking(harness, person)
        case "confirm": try await confirmation(harness, person)
        case "begin": Call(name: name, path: Self.own("/totp"), status: 201)
        case "email":
            Call(
                name: name,
                method: .patch,
                path: Self.own(""),
                body: #"{"email":"thief@evil.example"}"#,
                status: 200
            )
        case "password":
            Call(
                name: name,
                method: .put,
                path: Self.own("/password"),
                body: text(
                    PasswordChange(
                        currentPassword: Harness.password,
                        newPassword: "thief-horse-battery-9"
                    )
                ),
                status: 200
            )
        default: Call(name: name, path: Self.own("/exports"), status: 202)
        }
    }

    @Test func nothingIsChangedByASessionThatHasEnded() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let passkey = try await harness.add(SoftAuthenticator(user: person.id), person.session)
            let key = try JSON.read(PasskeyView.self, from: passkey.body).id.text
            let linked = try await send(
                harness,
                try await linking(harness, person),
                as: person.session
            )
            let identity = try JSON.read(IdentityView.self, from: linked.body).id.text
            let other = try harness.tokens(try await harness.logIn(person.email))
            let otherID = try harness.holder(other).session.text
            var calls: [Call] = []
            for name in ["email", "passkey", "export", "begin", "password"] {
                calls.append(try await planting(name, harness, person))
            }
            calls += [
                Call(
                    name: "names",
                    method: .patch,
                    path: Self.own(""),
                    body: #"{"firstName":"Eve","phone":null}"#,
                    status: 200
                ),
                Call(
                    name: "delete passkey",
                    method: .delete,
                    path: "/v1/passkeys/" + key,
                    status: 204
                ),
                Call(
                    name: "unlink",
                    method: .delete,
                    path: Self.own("/identities/" + identity),
                    status: 204
                ),
                Call(
                    name: "file",
                    method: .get,
                    path: Self.own("/exports/\(ID<Export>.new().text)/file"),
                    status: 404
                ),
                Call(
                    name: "end other",
                    method: .delete,
                    path: "/v1/sessions/" + otherID,
                    status: 404
                ),
                Call(name: "end others", method: .delete, path: "/v1/sessions", status: 204),
            ]
            try await expect(401, of: calls, harness, person)
            let kept = try await harness.refresh(other.refreshToken)
            #expect(kept.status == 201, "signed nobody else out")
            try await expect(nil, of: calls, harness, person)
            // A secret that waits, and what comes once the app is on.
            let confirm = [try await confirmation(harness, person)]
            try await expect(401, of: confirm, harness, person)
            try await expect(nil, of: confirm, harness, person)
            let on = [
                Call(name: "codes", path: Self.own("/recovery-codes"), status: 201),
                Call(name: "off", method: .delete, path: Self.own("/totp"), status: 204),
                // A deletion goes on to the ledger, which is not here.
                Call(
                    name: "deletion",
                    path: Self.own("/deletion"),
                    body: #"{"password":"thief-horse-battery-9"}"#,
                    status: 503
                ),
            ]
            try await expect(401, of: on.prefix(2), harness, person)
            try await expect(nil, of: on.prefix(2), harness, person)
            try await expect(401, of: on.suffix(1), harness, person)
            try await expect(nil, of: on.suffix(1), harness, person)
        }
    }

    /// Calls by a session that has ended where a status is expected, else by an open one.
    private func expect(
        _ status: Int?,
        of calls: some Sequence<Call>,
        _ harness: Harness,
        _ person: Person
    ) async throws {
        let session = try harness.holder(person.session).session
        let end = Statement<Void>("update auth.session set revoked_at = now() where id = $1")
        let open = Statement<Void>("update auth.session set revoked_at = null where id = $1")
        try await harness.database.execute(status == nil ? open : end, session)
        for call in calls {
            let answer = try await send(harness, call, as: person.session)
            #expect(answer.status == status ?? call.status, "\(call.name): \(answer.text)")
            if status != nil { #expect(answer.code == "unauthenticated", "\(call.name)") }
        }
    }

    @Test func aTokenOfBeforeARecoveryPlantsNothing() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await harness.settle(person.id)
            let done = try await harness.recover(person.email, PasswordTests.next)
            #expect(done.status == 204)
            for name in ["email", "passkey", "begin", "export"] {
                let call = try await planting(name, harness, person)
                let answer = try await send(harness, call, as: person.session)
                #expect(answer.code == "unauthenticated", "\(name): \(answer.text)")
            }
            try await nothingIsLeft(harness, person)
        }
    }

    /// A recovery and a call at once, in the order in which both come to the person's row.
    @Test(
        arguments: ["email", "passkey", "identity", "begin", "confirm", "export", "password"],
        [true, false]
    )
    func whatIsPlantedBesideARecoveryDoesNotStay(
        _ name: String,
        _ isPlantedFirst: Bool
    ) async throws {
        try await Harness.run { actor, harness in
            let person = try await harness.register()
            try await harness.settle(person.id)
            let (path, body) = try await recovery(harness, person)
            let call = try await planting(name, harness, person)
            let bound = LoopBound(harness, to: actor)
            let statuses = try await atOnce(3, on: actor) { actor, index in
                let harness = bound.on(actor)
                if index == 0 {
                    try await harness.database.transaction { transaction in
                        try await SessionHolder.lock(person.id, in: transaction)
                        try await IdentityLogInTests.wait(transaction, until: 2)
                    }
                    return 0
                }
                let isFirst = (index == 1) == isPlantedFirst
                try await IdentityLogInTests.wait(harness.database, until: isFirst ? 0 : 1)
                if index == 1 {
                    return try await self.send(harness, call, as: person.session).status
                }
                return try await harness.call(.put, path, body, as: nil).status
            }
            // Another password has ended the recovery.
            let recovered = name == "password" && isPlantedFirst ? 409 : 204
            let planted = isPlantedFirst ? call.status : 401
            #expect(statuses.sorted() == [0, planted, recovered].sorted(), "\(name)")
            if recovered == 204, name != "export" || !isPlantedFirst {
                try await nothingIsLeft(harness, person)
            }
        }
    }

    /// A recovery up to its last step: where to, and with what.
    private func recovery(
        _ harness: Harness,
        _ person: Person
    ) async throws -> (path: String, body: [UInt8]) {
        let begun = try await harness.post(
            "/v1/password-recoveries",
            NewRecovery(email: person.email)
        )
        let path =
            "/v1/password-recoveries/"
            + (try JSON.read(RecoveryView.self, from: begun.body).id.text)
        let mailed = try await harness.code(for: person.email)
        let answered = try await harness.post(path + "/answers", RecoveryAnswer(code: mailed))
        let token = try JSON.read(RecoveryProof.self, from: answered.body).recoveryToken
        let body = RecoveredPassword(recoveryToken: token, newPassword: PasswordTests.next)
        return (path + "/password", JSON.write(body))
    }

    private func nothingIsLeft(_ harness: Harness, _ person: Person) async throws {
        let left = Statement(
            """
            select (select count(*) from auth.passkey) + (select count(*) from auth.totp)
                + (select count(*) from auth.identity) + (select count(*) from auth.pending_change)
                + (select count(*) from auth.export)
            """
        ) { row in try row.int64(0) }
        let count = try await harness.database.queryOne(left)
        #expect(count == 0)
        let credential = try await harness.database.queryOne(
            UserStatements.credentialByID,
            person.id
        )
        #expect(credential?.email == person.email)
        let hash = try #require(credential?.passwordHash)
        #expect(PasswordHash.verify(PasswordTests.next, against: hash))
    }
}
