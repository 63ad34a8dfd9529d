import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What administrators see and change of people, and what they never get.
@Suite struct AdminTests {
    /// An administrator, signed in.
    struct Admin: Sendable {
        let id: ID<User>
        let token: String
    }

    static func admin(_ harness: Harness, _ name: String = "root") async throws -> Admin {
        let email = "\(name)\(ID<User>.new().text.suffix(8))@example.org"
        let username = try #require(Username("\(name)\(ID<User>.new().text.suffix(8))"))
        let registration = Registration(
            id: .new(),
            email: try #require(EmailAddress(canonical: email)),
            username: username,
            passwordHash: PasswordHash.make(Harness.password),
            firstName: nil,
            lastName: nil,
            dateOfBirth: nil,
            phone: nil,
            area: nil,
            currency: .eur,
            language: "en",
            timeZone: "UTC",
            roles: [.user, .admin]
        )
        try await harness.parts.effects.run { transaction in
            _ = try await harness.parts.users.create(
                registration,
                isVerified: true,
                in: transaction
            )
        }
        let answer = try await harness.logIn(email)
        let tokens = try JSON.read(SessionTokens.self, from: answer.body)
        return Admin(id: registration.id, token: try #require(tokens.accessToken))
    }

    static func setAccess(
        _ harness: Harness,
        of id: ID<User>,
        roles: [Role],
        enabled: Bool = true,
        by admin: Admin,
        ifMatch: String? = nil
    ) async throws -> ServiceRig.Answer {
        try await harness.rig.call(
            .put,
            "/v1/users/\(id.text)/access",
            headers: ifMatch.map { [("if-match", "\"\($0)\"")] } ?? [],
            body: JSON.write(UserAccess(roles: roles, isEnabled: enabled)),
            token: admin.token
        )
    }

    static func log(
        _ harness: Harness,
        _ filter: String,
        by admin: Admin
    ) async throws -> [AuditEntryView] {
        let answer = try await harness.rig.call(.get, "/v1/audit?\(filter)", token: admin.token)
        try #require(answer.status == 200, "\(answer.text)")
        return try JSON.read(Page<AuditEntryView>.self, from: answer.body).items
    }

    @Test func peopleAreListedByPagesAndEachReadingIsTold() async throws {
        try await Harness.run { _, harness in
            let admin = try await Self.admin(harness)
            var made: Set<ID<User>> = [admin.id]
            for number in 0..<7 {
                let email = "person\(number)@example.org"
                let user = try await harness.register(email: email, username: "name\(number)x")
                made.insert(user.id)
            }
            var seen: [ID<User>] = []
            var cursor = ""
            while true {
                let answer = try await harness.rig.call(
                    .get,
                    "/v1/users?limit=3" + cursor,
                    token: admin.token
                )
                let page = try JSON.read(Page<UserView>.self, from: answer.body)
                seen += page.items.map(\.id)
                guard let next = page.nextCursor else { break }
                cursor = "&cursor=" + next.texts[0]
            }
            #expect(seen.count == made.count && Set(seen) == made)
            #expect(seen == seen.sorted(by: >))
            let filters: [(String, Int)] = [
                ("query=PERSON", 7), ("query=name3", 1), ("query=person3%40", 1),
                ("query=ame3", 0), ("query=%25", 0), ("role=admin", 1), ("role=coo", 0),
                ("role=admin&role=user", 8), ("enabled=false", 0), ("enabled=true", 8),
                ("role=user&enabled=true&query=name", 7),
            ]
            for (filter, count) in filters {
                let answer = try await harness.rig.call(
                    .get,
                    "/v1/users?" + filter,
                    token: admin.token
                )
                let page = try JSON.read(Page<UserView>.self, from: answer.body)
                #expect(page.items.count == count, "\(filter): \(answer.text)")
            }
            let subject = try #require(seen.first { $0 != admin.id })
            let before = try await Self.log(harness, "subject=\(subject.text)", by: admin)
            #expect(before.allSatisfy { $0.action == .userRead && $0.actor == admin.id.text })
            #expect(before.count >= 3)
            // Reading what was read is read of, too.
            let after = try await Self.log(harness, "subject=\(subject.text)", by: admin)
            #expect(after.first?.action == .auditRead && after.count == before.count + 1)
        }
    }

    @Test func readingSomebodyIsToldEvenOfNobody() async throws {
        try await Harness.run { _, harness in
            let admin = try await Self.admin(harness)
            let person = try await harness.register()
            let read = try await harness.rig.call(
                .get,
                "/v1/users/\(person.id.text)",
                token: admin.token
            )
            let view = try JSON.read(UserView.self, from: read.body)
            #expect(view.email == person.email && view.isEnabled == true)
            #expect(read.headers["etag"] != nil)
            let nobody = ID<User>.new()
            for (method, path, body) in [
                (HTTPMethod.get, "", nil), (.patch, "", #"{"firstName":"Eve"}"#),
                (.delete, "", nil), (.put, "/access", #"{"roles":["user"],"enabled":true}"#),
            ] as [(HTTPMethod, String, String?)] {
                let answer = try await harness.rig.call(
                    method,
                    "/v1/users/\(nobody.text)\(path)",
                    body: body.map { Array($0.utf8) },
                    token: admin.token
                )
                #expect(answer.status == 404, "\(method): \(answer.text)")
            }
            let told = try await Self.log(harness, "subject=\(nobody.text)", by: admin)
            #expect(told.count == 4 && told.allSatisfy { $0.action == .userRead })
            #expect(told.allSatisfy { $0.detail["found"] == .bool(false) })
        }
    }

    @Test func onlyAdministratorsAdminister() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let other = try await harness.register()
            let calls: [(HTTPMethod, String, String?)] = [
                (.get, "/v1/users", nil), (.get, "/v1/users/\(other.id.text)", nil),
                (.patch, "/v1/users/\(other.id.text)", "{}"),
                (.delete, "/v1/users/\(other.id.text)", nil),
                (
                    .put, "/v1/users/\(person.id.text)/access",
                    #"{"roles":["admin"],"enabled":true}"#
                ),
                (.get, "/v1/audit", nil), (.get, "/v1/audit/verification", nil),
            ]
            for (method, path, body) in calls {
                let bytes = body.map { Array($0.utf8) }
                let mine = try await harness.rig.call(
                    method,
                    path,
                    body: bytes,
                    token: person.session.accessToken
                )
                #expect(mine.status == 403, "\(method) \(path): \(mine.text)")
                let anyones = try await harness.rig.call(method, path, body: bytes)
                #expect(anyones.status == 401, "\(method) \(path): \(anyones.text)")
            }
        }
    }

    @Test func whatIsWithdrawnEndsAndCanBeGivenAgain() async throws {
        try await Harness.run { _, harness in
            let admin = try await Self.admin(harness)
            let person = try await harness.register()
            let first = try await Self.setAccess(
                harness,
                of: person.id,
                roles: [.admin],
                by: admin
            )
            let view = try JSON.read(UserView.self, from: first.body)
            #expect(Set(view.roles) == [.user, .admin])
            let stale = try await Self.setAccess(
                harness,
                of: person.id,
                roles: [.user],
                by: admin,
                ifMatch: "0"
            )
            #expect(stale.code == "precondition-failed")
            let refreshed = try JSON.read(
                SessionTokens.self,
                from: try await harness.refresh(person.session.refreshToken).body
            )
            func list(_ token: String?) async throws -> Int {
                try await harness.rig.call(.get, "/v1/users", token: token).status
            }
            let asAdmin = try await list(refreshed.accessToken)
            #expect(asAdmin == 200)
            let withdrawn = try await Self.setAccess(
                harness,
                of: person.id,
                roles: [.user],
                by: admin
            )
            #expect(withdrawn.status == 200)
            harness.rig.service.revocations.add(
                try await harness.parts.revocations.list(after: nil).items
            )
            let ended = try await list(refreshed.accessToken)
            #expect(ended == 401)
            let again = try JSON.read(
                SessionTokens.self,
                from: try await harness.refresh(refreshed.refreshToken).body
            )
            let asUser = try await list(again.accessToken)
            #expect(asUser == 403)
            // Out, and in again: what was signed in before stays out.
            _ = try await Self.setAccess(
                harness,
                of: person.id,
                roles: [.user],
                enabled: false,
                by: admin
            )
            let out = try await harness.logIn(person.email)
            #expect(out.status == 403 && out.code == "user-disabled")
            _ = try await Self.setAccess(harness, of: person.id, roles: [.user], by: admin)
            let old = try await harness.refresh(again.refreshToken)
            #expect(old.status == 401)
            let back = try await harness.logIn(person.email)
            #expect(back.status == 201)
            let told = try await Self.log(
                harness,
                "subject=\(person.id.text)&action=access-changed&action=user-disabled"
                    + "&action=user-enabled",
                by: admin
            )
            let actions = told.map(\.action)
            #expect(actions.filter { $0 == .accessChanged }.count == 4)
            #expect(actions.contains(.userDisabled) && actions.contains(.userEnabled))
            #expect(actions.count == 6)
        }
    }

    @Test func oneAdministratorStaysWhoeverWithdrawsWhomAtOnce() async throws {
        try await Harness.run { actor, harness in
            for _ in 0..<8 {
                let admins = try await [
                    Self.admin(harness, "one"), Self.admin(harness, "two"),
                    Self.admin(harness, "three"),
                ]
                let bound = LoopBound(harness, to: actor)
                let statuses = try await atOnce(12, on: actor) { actor, number in
                    let (by, of) = (admins[number % 3], admins[(number + 1 + number / 6) % 3])
                    let answer = try await Self.setAccess(
                        bound.on(actor),
                        of: of.id,
                        roles: [.user],
                        enabled: number % 2 == 0,
                        by: by
                    )
                    return answer.status == 200 ? "done" : answer.code ?? ""
                }
                // Who was withdrawn meanwhile withdraws nobody, though their token is known still.
                let told: Set = ["done", "last-admin", "unauthenticated"]
                #expect(told.isSuperset(of: statuses))
                #expect(statuses.contains("done"))
                let left = try await harness.database.queryOne(adminCount)
                #expect(left == 1)
                try await harness.database.execute(withdrawAll)
            }
        }
    }

    @Test func anAddressThatAnAdminSetsWaitsAndIsTold() async throws {
        try await Harness.run { _, harness in
            let admin = try await Self.admin(harness)
            let person = try await harness.register()
            let mine = "mine\(person.id.text.suffix(8))@example.org"
            let changed = try await harness.rig.call(
                .patch,
                "/v1/users/\(person.id.text)",
                body: Array(#"{"email":"\#(mine)","firstName":"Anna"}"#.utf8),
                token: admin.token
            )
            let view = try JSON.read(UserView.self, from: changed.body)
            #expect(view.email == person.email && view.pendingEmail == mine)
            #expect(view.firstName == "Anna")
            for address in [person.email, mine] {
                let told = try await harness.messages(to: address)
                #expect(told.contains { $0.0 == .profileChange }, "\(address)")
            }
            // The new address opens nothing while it waits.
            let logIn = try await harness.logIn(mine)
            #expect(logIn.code == "wrong-credentials")
            let told = try await Self.log(
                harness,
                "subject=\(person.id.text)&action=user-changed",
                by: admin
            )
            #expect(told.first?.detail["fields"] == ["email", "firstName"])
            for (field, body) in [
                ("/password", #"{"password":"another-horse-7"}"#),
                ("/phoneToken", #"{"phoneToken":"x"}"#),
                ("/newPassword", #"{"newPassword":"another-horse-7"}"#),
                ("/roles", #"{"roles":["admin"]}"#),
                ("/emailVerified", #"{"emailVerified":true}"#),
            ] {
                let answer = try await harness.rig.call(
                    .patch,
                    "/v1/users/\(person.id.text)",
                    body: Array(body.utf8),
                    token: admin.token
                )
                #expect(answer.status == 422 && answer.text.contains(field), "\(answer.text)")
            }
            let password = try await harness.logIn(person.email)
            #expect(password.status == 201)
        }
    }

    @Test func theLogIsFilteredAndPagedWithoutGaps() async throws {
        try await Harness.run { _, harness in
            let admin = try await Self.admin(harness)
            let subjects = (0..<4).map { _ in ID<User>.new() }
            let start = Instant.now()
            var entries: [AuditEntry] = []
            for number in 0..<60 {
                let action: AuditAction = number % 3 == 0 ? .passkeyAdded : .emailChanged
                entries.append(AuditEntry(action, by: .operator, of: subjects[number % 4]))
            }
            try await harness.parts.audit.append(entries, in: harness.database)
            let queries: [(String, Int)] = [
                ("actor=operator", 60), ("subject=\(subjects[0].text)", 15),
                ("subject=\(subjects[0].text)&subject=\(subjects[1].text)", 30),
                ("subject=\(subjects[0].text)&subject=\(subjects[0].text)", 15),
                ("action=passkey-added", 20), ("actor=operator&action=passkey-added", 20),
                ("subject=\(subjects[2].text)&action=passkey-added&actor=operator", 5),
                ("actor=nobody", 0), ("actor=operator&to=\(start.text)", 0),
                ("actor=operator&from=\(start.text)", 60),
            ]
            for (query, count) in queries {
                var seen: [ID<AuditEntryView>] = []
                var cursor = ""
                while true {
                    let answer = try await harness.rig.call(
                        .get,
                        "/v1/audit?limit=7&\(query)\(cursor)",
                        token: admin.token
                    )
                    try #require(answer.status == 200, "\(query): \(answer.text)")
                    let page = try JSON.read(Page<AuditEntryView>.self, from: answer.body)
                    // Readings of the log itself come between; they are not asked for here.
                    seen += page.items.filter { $0.action != .auditRead }.map(\.id)
                    guard let next = page.nextCursor else { break }
                    cursor = "&cursor=" + next.texts[0]
                }
                #expect(seen.count == count && Set(seen).count == count, "\(query)")
            }
            for bad in ["actor=&foo=1", "action=nothing", "subject=x", "from=yesterday"] {
                let answer = try await harness.rig.call(
                    .get,
                    "/v1/audit?\(bad)",
                    token: admin.token
                )
                #expect(answer.status == 400, "\(bad)")
            }
            let verified = try await harness.rig.call(
                .get,
                "/v1/audit/verification",
                token: admin.token
            )
            let verification = try JSON.read(ChainVerification.self, from: verified.body)
            #expect(verification.isIntact && verification.isComplete)
        }
    }
}

private let adminCount = Statement(
    "select count(*) from auth.user_account where enabled and 'admin' = any (roles)"
) { row in try row.int64(0) }

private let withdrawAll = Statement<Void>("update auth.user_account set roles = '{user}'")
