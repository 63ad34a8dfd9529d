import HTTP
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What administrators are refused, and that the audit log tells of it.
@Suite struct AdminRefusalTests {
    private static func change(
        _ harness: Harness,
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        ifMatch: String? = nil,
        by token: String
    ) async throws -> ServiceRig.Answer {
        try await harness.rig.call(
            method,
            "/v1/users/\(path)",
            headers: ifMatch.map { [("if-match", "\"\($0)\"")] } ?? [],
            body: body.map { Array($0.utf8) },
            token: token
        )
    }

    @Test func whatIsRefusedIsTold() async throws {
        try await Harness.run { _, harness in
            let admin = try await AdminTests.admin(harness)
            _ = try await harness.register(username: "taken-name")
            let person = try await harness.register()
            let (one, own) = (person.id.text, admin.id.text)
            let user = #"{"roles":["user"],"enabled":true}"#
            let calls: [(HTTPMethod, String, String?, String?, String)] = [
                (.patch, one, #"{"firstName":"Eve"}"#, "0", "precondition-failed"),
                (.patch, one, #"{"username":"taken-name"}"#, nil, "username-taken"),
                (.put, one + "/access", user, "0", "precondition-failed"),
                (.put, own + "/access", user, nil, "last-admin"),
                (.delete, one, nil, "0", "precondition-failed"),
                (.delete, own, nil, nil, "last-admin"),
            ]
            for (method, path, body, ifMatch, code) in calls {
                let answer = try await Self.change(
                    harness,
                    method,
                    path,
                    body,
                    ifMatch: ifMatch,
                    by: admin.token
                )
                #expect(answer.code == code, "\(method) \(path): \(answer.text)")
            }
            let told = try await AdminTests.log(harness, "action=request-refused", by: admin)
            let actions = [
                "user-changed", "user-changed", "access-changed", "access-changed",
                "erasure-requested", "erasure-requested",
            ]
            #expect(told.count == calls.count)
            for (entry, (call, action)) in zip(told.reversed(), zip(calls, actions)) {
                #expect(entry.actor == own)
                #expect(entry.subject?.text == String(call.1.prefix(36)))
                #expect(entry.detail["code"] == .string(call.4), "\(call)")
                #expect(entry.detail["action"] == .string(action), "\(call)")
            }
        }
    }

    /// A token that was stolen deletes nobody's account for good, an administrator's neither.
    @Test func themselvesTheyDeleteWithAFreshProofAlone() async throws {
        try await Harness.run { _, harness in
            let admin = try await AdminTests.admin(harness)
            let person = try await harness.register()
            let other = try await harness.register()
            _ = try await AdminTests.setAccess(harness, of: person.id, roles: [.admin], by: admin)
            let aged = try await harness.aged(person.session, of: person.id)
            let token = try #require(aged)
            let refused = try await Self.change(harness, .delete, person.id.text, by: token)
            #expect(refused.status == 403 && refused.code == "step-up-required")
            let none = try await harness.database.query(erasuresOf, person.id)
            #expect(none == [0])
            let told = try await AdminTests.log(harness, "action=request-refused", by: admin)
            #expect(told.map(\.detail["code"]) == ["step-up-required"])
            // Nobody to ask here: what is past the proof waits for the ledger.
            let others = try await Self.change(harness, .delete, other.id.text, by: token)
            #expect(others.status == 503, "\(others.text)")
            let fresh = try await harness.logIn(person.email)
            let tokens = try JSON.read(SessionTokens.self, from: fresh.body)
            let own = try await Self.change(
                harness,
                .delete,
                person.id.text,
                by: try #require(tokens.accessToken)
            )
            #expect(own.status == 503, "\(own.text)")
        }
    }

    @Test func whoWasMadeAndErasedIsNotMadeAgainByTheSameKey() async throws {
        try await Harness.run { _, harness in
            let admin = try await AdminTests.admin(harness)
            let body = #"{"email":"made@example.org","roles":["user"]}"#
            let key = ID<User>.new().text
            func make() async throws -> ServiceRig.Answer {
                try await harness.rig.call(
                    .post,
                    "/v1/admin/users",
                    headers: [("idempotency-key", key)],
                    body: Array(body.utf8),
                    token: admin.token
                )
            }
            let made = try await make()
            let view = try JSON.read(UserView.self, from: made.body)
            let again = try await make()
            #expect(made.status == 201 && again.status == 201)
            try await harness.database.execute(forget, view.id)
            try await harness.database.transaction { transaction in
                try await ErasedUsers.forgetKeys(of: view.id, in: transaction)
            }
            let erased = try await make()
            #expect(erased.status == 201 && erased.body.isEmpty, "\(erased.text)")
        }
    }

    @Test func eachBranchOfASearchHasItsOwnIndex() async throws {
        try await Harness.run { _, harness in
            let admin = try await AdminTests.admin(harness)
            // Found by name and address both, and once in the page.
            let person = try await harness.register(
                email: "double@example.org",
                username: "double"
            )
            for filter in ["query=double", "query=DOUBLE&role=user&role=admin&enabled=true"] {
                let answer = try await harness.rig.call(
                    .get,
                    "/v1/users?limit=1&\(filter)",
                    token: admin.token
                )
                let page = try JSON.read(Page<UserView>.self, from: answer.body)
                #expect(page.items.map(\.id) == [person.id] && page.nextCursor == nil)
            }
            let search = AdministrationStatements.list(
                before: .new(),
                beginning: "double",
                roles: [],
                isEnabled: nil,
                limit: 20
            )
            let branches = search.sql.split(separator: " union ")
            #expect(branches.count == 2)
            #expect(branches.allSatisfy { $0.contains("_folded ~>=~") && !$0.contains(" or ") })
        }
    }
}

private let forget = Statement<Void>("delete from auth.user_account where id = $1")

private let erasuresOf = Statement(
    "select count(*) from auth.erasure where user_id = $1"
) { row in try row.int64(0) }
