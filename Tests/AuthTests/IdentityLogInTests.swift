import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// An identity signs in, and is linked, by nothing less than a session that opens.
@Suite struct IdentityLogInTests {
    private typealias Person = (email: String, session: SessionTokens, id: ID<User>)

    /// Somebody whose address is verified, as the provider's is.
    private static func verified(_ harness: Harness) async throws -> Person {
        let person = try await harness.register()
        try await harness.settle(person.id)
        return person
    }

    /// The challenge that follows a provider's word.
    private static func begin(
        _ harness: Harness,
        _ subject: String,
        email: String? = nil
    ) async throws -> ID<Challenge> {
        let code = try await IdentityTests.code(harness, subject, email: email)
        return try harness.view(try await IdentityTests.logIn(harness, code)).id
    }

    /// Whose an identity is, by subject.
    private static func owner(_ harness: Harness, _ subject: String) async throws -> ID<User>? {
        try await harness.database.queryOne(
            IdentityStatements.owner,
            "https://p.example",
            subject
        )
    }

    private static func link(
        _ harness: Harness,
        _ subject: String,
        to user: ID<User>
    ) async throws {
        let email: String? = nil
        try await harness.database.execute(
            IdentityStatements.insert,
            ID<LinkedIdentity>.new(),
            user,
            "p",
            "https://p.example",
            subject,
            email
        )
    }

    private enum Table {
        case session, identity, kept, attempt

        var count: Statement<Int64> {
            switch self {
            case .session:
                Statement("select count(*) from auth.session") { row in try row.int64(0) }
            case .identity:
                Statement("select count(*) from auth.identity") { row in try row.int64(0) }
            case .kept:
                Statement("select count(*) from auth.proved_identity") { row in try row.int64(0) }
            case .attempt:
                Statement("select count(*) from auth.sign_in_attempt") { row in try row.int64(0) }
            }
        }
    }

    private static func count(_ harness: Harness, _ table: Table) async throws -> Int64? {
        try await harness.database.queryOne(table.count)
    }

    private static func isTold(_ harness: Harness, _ email: String) async throws -> Bool {
        try await harness.messages(to: email).contains { $0.1["change"] == "identity-linked" }
    }

    private static let disable = Statement<Void>(
        "update auth.user_account set enabled = false where id = $1"
    )

    // MARK: Two factors

    @Test func nothingIsLinkedBeforeTheSecondFactor() async throws {
        try await Harness.run { _, harness in
            let person = try await Self.verified(harness)
            let (secret, _) = try await harness.enableTotp(person.session.accessToken)
            let before = try await Self.count(harness, .session)
            let challenge = try await Self.begin(harness, "a", email: person.email)
            for code in ["000000", "abcdef"] {
                let wrong = try await harness.answer(challenge, code)
                #expect(wrong.code == "wrong-code", "\(wrong.text)")
            }
            var owner = try await Self.owner(harness, "a")
            let isEarly = try await Self.isTold(harness, person.email)
            #expect(owner == nil && !isEarly)
            let session = try harness.tokens(
                try await harness.answer(challenge, harness.appCode(secret))
            )
            let claims = try harness.claims(session.accessToken)
            #expect(claims.methods == ["fed", "otp", "mfa"] && claims.level == "2")
            owner = try await Self.owner(harness, "a")
            let isTold = try await Self.isTold(harness, person.email)
            #expect(owner == person.id && isTold)
            let after = try await Self.count(harness, .session)
            let kept = try await Self.count(harness, .kept)
            #expect(after == (before ?? 0) + 1 && kept == 0)
        }
    }

    @Test func aMailedCodeIsASecondFactorToo() async throws {
        try await Harness.run { _, harness in
            let person = try await Self.verified(harness)
            let code = try await IdentityTests.code(harness, "a", email: person.email)
            let challenge = try harness.view(
                try await IdentityTests.logIn(harness, code, method: .otp)
            )
            let early = try await Self.owner(harness, "a")
            #expect(early == nil)
            let mailed = try await harness.code(for: person.email)
            let answer = try await harness.answer(challenge.id, mailed)
            let late = try await Self.owner(harness, "a")
            #expect(answer.status == 201 && late == person.id, "\(answer.text)")
        }
    }

    @Test func answersAtOnceLinkOnce() async throws {
        try await Harness.run { actor, harness in
            let person = try await Self.verified(harness)
            let (secret, _) = try await harness.enableTotp(person.session.accessToken)
            let challenge = try await Self.begin(harness, "a", email: person.email)
            let code = harness.appCode(secret)
            let bound = LoopBound(harness, to: actor)
            let answers = try await atOnce(12, on: actor) { actor, _ in
                try await bound.on(actor).answer(challenge, code).status
            }
            #expect(answers.filter { $0 == 201 }.count == 1, "\(answers)")
            let identities = try await Self.count(harness, .identity)
            let told = try await harness.messages(to: person.email)
                .filter { $0.1["change"] == "identity-linked" }
            #expect(identities == 1 && told.count == 1)
        }
    }

    /// What was proved is looked at again where it counts.
    @Test(
        arguments: [
            "unlinked", "another's", "another address", "unproved address", "disabled", "forgotten",
        ]
    )
    func whatChangesBetweenTheFactorsCounts(_ change: String) async throws {
        try await Harness.run { _, harness in
            let (person, other) = (
                try await Self.verified(harness), try await harness.register()
            )
            let (secret, _) = try await harness.enableTotp(person.session.accessToken)
            let isLinked = change == "unlinked"
            if isLinked { try await Self.link(harness, "a", to: person.id) }
            let challenge = try await Self.begin(
                harness,
                "a",
                email: isLinked ? nil : person.email
            )
            switch change {
            case "another's": try await Self.link(harness, "a", to: other.id)
            case "unlinked":
                try await harness.database.execute(
                    Statement<Void>("delete from auth.identity")
                )
            case "forgotten":
                try await harness.database.execute(
                    Statement<Void>("delete from auth.proved_identity")
                )
            case "disabled": try await harness.database.execute(Self.disable, person.id)
            case "unproved address":
                try await harness.database.execute(
                    Statement<Void>(
                        "update auth.user_account set email_verified_at = null where id = $1"
                    ),
                    person.id
                )
            default:
                try await harness.database.execute(
                    Statement<Void>(
                        """
                        update auth.user_account
                        set email = 'x@example.org', email_folded = 'x@example.org'
                        where id = $1
                        """
                    ),
                    person.id
                )
            }
            let sessions = try await Self.count(harness, .session)
            let answer = try await harness.answer(challenge, harness.appCode(secret))
            let isDisabled = change == "disabled"
            #expect(
                answer.code == (isDisabled ? "user-disabled" : "challenge-expired"),
                "\(answer.text)"
            )
            let owner = try await Self.owner(harness, "a")
            #expect(owner == (change == "another's" ? other.id : nil))
            let left = try await Self.count(harness, .session)
            #expect(left == sessions)
        }
    }

    @Test func whoIsDisabledIsLinkedToNothing() async throws {
        try await Harness.run { _, harness in
            let person = try await Self.verified(harness)
            let code = try await IdentityTests.code(harness, "a", email: person.email)
            let link = try await harness.parts.identities.finish(
                IdentityTests.attempt(linking: person.id),
                IdentityTests.identity("b")
            )
            guard case .code(let linking) = link else { throw APIError(.internalError) }
            try await harness.database.execute(Self.disable, person.id)
            let answer = try await IdentityTests.logIn(harness, code)
            #expect(answer.status == 403 && answer.code == "user-disabled")
            // A token that nobody has revoked yet.
            let linked = try await harness.rig.call(
                .post,
                "/v1/users/me/identities",
                headers: IdentityTests.cookie,
                body: JSON.write(NewIdentity(oidcCode: linking)),
                token: person.session.accessToken
            )
            #expect(linked.code == "unauthenticated", "\(linked.text)")
            let identities = try await Self.count(harness, .identity)
            let isTold = try await Self.isTold(harness, person.email)
            #expect(identities == 0 && !isTold)
        }
    }

    // MARK: Take-over

    @Test func aRecoveryEndsAnIntrudersIdentity() async throws {
        try await Harness.run { _, harness in
            let person = try await Self.verified(harness)
            let (secret, _) = try await harness.enableTotp(person.session.accessToken)
            try await harness.settle(person.id)
            try await Self.link(harness, "owner", to: person.id)
            let long = Statement<Void>(
                "update auth.identity set created_at = now() - interval '30 days'"
            )
            try await harness.database.execute(long)
            // The intruder's: one linked, one half shown, one being linked.
            try await Self.link(harness, "thief", to: person.id)
            let half = try await Self.begin(harness, "thief")
            let link = try await harness.parts.identities.finish(
                IdentityTests.attempt(linking: person.id),
                IdentityTests.identity("late")
            )
            guard case .code(let linking) = link else { throw APIError(.internalError) }
            let unused = try await IdentityTests.code(harness, "thief")
            let done = try await harness.recover(person.email, PasswordTests.next)
            #expect(done.status == 204, "\(done.text)")
            let (owner, thief) = (
                try await Self.owner(harness, "owner"), try await Self.owner(harness, "thief")
            )
            #expect(owner == person.id && thief == nil)
            let answered = try await harness.answer(half, harness.appCode(secret))
            #expect(answered.code == "challenge-exhausted", "\(answered.text)")
            let taken = try await IdentityTests.logIn(harness, unused)
            #expect(taken.status == 401)
            let proof = SignInProof(
                code: linking,
                browser: IdentityTests.browser,
                codeVerifier: nil
            )
            await #expect(throws: APIError.self) {
                try await harness.parts.effects.run { transaction in
                    _ = try await harness.parts.identities.link(
                        proof,
                        by: harness.holder(person.session),
                        in: transaction
                    )
                }
            }
            let challenge = try await Self.begin(harness, "owner")
            let own = try await harness.answer(challenge, harness.appCode(secret))
            #expect(own.status == 201, "\(own.text)")
        }
    }

    /// Links and recovers at once, in the order in which both come to the person's row.
    @Test(arguments: [true, false])
    func whatIsLinkedDuringARecoveryDoesNotStay(_ linksFirst: Bool) async throws {
        try await Harness.run { actor, harness in
            let person = try await Self.verified(harness)
            let link = try await harness.parts.identities.finish(
                IdentityTests.attempt(linking: person.id),
                IdentityTests.identity("thief")
            )
            guard case .code(let code) = link else { throw APIError(.internalError) }
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
            let bound = LoopBound(harness, to: actor)
            let statuses = try await atOnce(3, on: actor) { actor, index in
                let harness = bound.on(actor)
                if index == 0 {
                    try await harness.database.transaction { transaction in
                        try await SessionHolder.lock(person.id, in: transaction)
                        try await Self.wait(transaction, until: 2)
                    }
                    return 0
                }
                let isFirst = (index == 1) == linksFirst
                try await Self.wait(harness.database, until: isFirst ? 0 : 1)
                if index == 1 {
                    return try await harness.rig.call(
                        .post,
                        "/v1/users/me/identities",
                        headers: IdentityTests.cookie,
                        body: JSON.write(NewIdentity(oidcCode: code)),
                        token: person.session.accessToken
                    ).status
                }
                return try await harness.call(
                    .put,
                    path + "/password",
                    JSON.write(body),
                    as: nil
                ).status
            }
            #expect(statuses.sorted() == (linksFirst ? [0, 201, 204] : [0, 204, 401]))
            let identities = try await Self.count(harness, .identity)
            #expect(identities == 0)
        }
    }

    /// Waits until so many wait for a lock.
    static func wait(_ database: some Querying, until count: Int64) async throws {
        // A transaction sees what it saw first, but for this.
        let anew = Statement("select pg_stat_clear_snapshot()::text") { row in try row.string(0) }
        let waiting = Statement(
            """
            select count(*)
            from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
            """
        ) { row in try row.int64(0) }
        let deadline = monotonicNanoseconds() + 20_000_000_000
        while true {
            _ = try await database.query(anew)
            if try await database.queryOne(waiting) ?? 0 >= count { return }
            try #require(monotonicNanoseconds() < deadline, "nobody waits")
        }
    }

    // MARK: Bounds

    private static func attempt(_ harness: Harness, from address: String) async throws -> Int? {
        let attempt = IdentityStore.NewAttempt(
            browser: IdentityStore.secret(),
            codeChallenge: nil,
            provider: "p",
            redirectURI: "https://wallet.example/",
            user: nil
        )
        do {
            try await harness.parts.identities.begin(attempt, from: address)
            return nil
        } catch let error as APIError {
            #expect(error.code == .tooManyRequests)
            return error.retryAfterSeconds
        }
    }

    @Test func aLineBeginsSoManySignInsAnHour() async throws {
        try await Harness.run(["EZWALLET_SIGN_INS_PER_ADDRESS_MAX": "3"]) { actor, harness in
            let bound = LoopBound(harness, to: actor)
            let first = try await atOnce(8, on: actor) { actor, index in
                try await Self.attempt(bound.on(actor), from: "2001:db8:1:2::\(index)")
            }
            #expect(first.filter { $0 == nil }.count == 3, "\(first)")
            #expect(first.compactMap(\.self).allSatisfy { (3_590...3_601).contains($0) })
            var rows = try await Self.count(harness, .attempt)
            #expect(rows == 3, "what is refused leaves nothing")
            for (address, isRefused) in [
                ("192.0.2.1", false), ("2001:db8:1:3::1", false), ("2001:db8:1:2:9::1", true),
                ("::ffff:192.0.2.1", false), ("192.0.2.1", false), ("::ffff:192.0.2.1", true),
            ] {
                let refused = try await Self.attempt(harness, from: address)
                #expect((refused != nil) == isRefused, "\(address)")
            }
            // The network has four times as many, whichever lines ask.
            var begun = 0
            for line in 10..<20 {
                let refused = try await Self.attempt(harness, from: "2001:db8:1:\(line)::1")
                begun += refused == nil ? 1 : 0
            }
            #expect(begun == 12 - 4)
            try await harness.pass(seconds: 3_601)
            let later = try await Self.attempt(harness, from: "2001:db8:1:2::1")
            #expect(later == nil)
            // What has ended is deleted.
            try await harness.database.execute(
                Statement<Void>("update auth.sign_in_attempt set expires_at = now()")
            )
            try await harness.database.execute(IdentityStatements.deleteOldAttempts)
            rows = try await Self.count(harness, .attempt)
            #expect(rows == 0)
        }
    }

    @Test func noneIsNoLimit() async throws {
        try await Harness.run(["EZWALLET_SIGN_INS_PER_ADDRESS_MAX": "0"]) { _, harness in
            for _ in 0..<100 {
                let refused = try await Self.attempt(harness, from: "192.0.2.1")
                #expect(refused == nil)
            }
        }
    }
}
