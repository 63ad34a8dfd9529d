import HTTP
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Whatever an administrator can call about a person leaves an entry about that person.
@Suite struct AdminReadingTests {
    /// What is called, with which body, and what tells of it.
    private struct Call {
        let body: String?
        let statuses: Set<Int>
        let actions: Set<AuditAction>

        init(_ body: String? = nil, _ statuses: Set<Int> = [200], _ actions: AuditAction...) {
            self.body = body
            self.statuses = statuses
            self.actions = Set(actions)
        }
    }

    /// Each endpoint for administrators that names a person, by its name: a new one has to be told
    /// of here, and so in the log.
    private static let calls: [String: Call] = [
        "getUser": Call(nil, [200], .userRead),
        "changeUser": Call(#"{"firstName":"Eve"}"#, [200], .userChanged),
        // Nobody is there to ask for money on accounts.
        "deleteUser": Call(nil, [503], .userRead, .erasureRequested),
        "recoverUser": Call(nil, [204], .recoveryBegun),
        "setUserAccess": Call(#"{"roles":["user","coo"],"enabled":true}"#, [200], .accessChanged),
    ]

    private static let administration = Catalogue.public.filter {
        $0.service == .auth && $0.right == .role(.admin)
    }

    private static let methods: [Method: HTTPMethod] = [
        .get: .get, .post: .post, .put: .put, .patch: .patch, .delete: .delete,
    ]

    @Test func everyCallAboutAPersonIsTold() async throws {
        let named = Self.administration.filter { $0.path.text.contains("{") }
        #expect(Set(named.map(\.name)) == Set(Self.calls.keys))
        try await Harness.run { _, harness in
            let admin = try await AdminTests.admin(harness)
            for endpoint in named {
                let call = try #require(Self.calls[endpoint.name])
                let person = try await harness.register().id
                let path = endpoint.path.segments.map { segment in
                    switch segment {
                    case .literal(let text): "/" + text
                    case .parameter: "/" + person.text
                    }
                }
                let answer = try await harness.rig.call(
                    Self.methods[endpoint.method] ?? .other,
                    path.joined(),
                    body: call.body.map { Array($0.utf8) },
                    token: admin.token
                )
                #expect(call.statuses.contains(answer.status), "\(endpoint.name): \(answer.text)")
                let told = try await AdminTests.log(
                    harness,
                    "subject=\(person.text)&actor=\(admin.id.text)",
                    by: admin
                )
                let missing = call.actions.subtracting(told.map(\.action))
                #expect(missing.isEmpty, "\(endpoint.name)")
                #expect(told.allSatisfy { $0.requestID != nil && $0.addressFamily == "IPv4" })
            }
        }
    }

    @Test func everybodyOnAPageIsTold() async throws {
        try await Harness.run { _, harness in
            let admin = try await AdminTests.admin(harness)
            var people: [ID<User>] = []
            for _ in 0..<3 { people.append(try await harness.register().id) }
            let page = try await harness.rig.call(.get, "/v1/users?limit=2", token: admin.token)
            let shown = try JSON.read(Page<UserView>.self, from: page.body).items.map(\.id)
            #expect(shown == Array(people.reversed().prefix(2)))
            for person in people {
                let told = try await AdminTests.log(
                    harness,
                    "subject=\(person.text)&action=user-read",
                    by: admin
                )
                #expect(told.count == (shown.contains(person) ? 1 : 0))
            }
            let looked = try await AdminTests.log(harness, "action=users-listed", by: admin)
            #expect(looked.map(\.actor) == [admin.id.text])
        }
    }
}
