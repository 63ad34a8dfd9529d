import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// How devices are called, and how many a person may have.
@Suite struct DeviceTests {
    @Test(arguments: [
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
            "Firefox on Linux"
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                + "Chrome/125.0.0.0 Safari/537.36 Edg/125.0.0.0",
            "Edge on Windows"
        ),
        (
            "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) "
                + "Chrome/125.0.0.0 Mobile Safari/537.36",
            "Chrome on Android"
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, "
                + "like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
            "Safari on iPhone"
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like "
                + "Gecko) Version/17.4.1 Safari/605.1.15",
            "Safari on macOS"
        ),
        ("curl/8.5.0", "curl"), ("EZWallet/3 CFNetwork Darwin/23", "EZWallet on macOS"),
        ("", "Unknown device"), ("Mozilla/5.0", "Unknown device"), ("<script>", "Unknown device"),
        (String(repeating: "a", count: 9_000), String(repeating: "a", count: 40)),
    ])
    func aDeviceIsCalledByProgramAndSystem(agent: String, name: String) {
        #expect(Device.name(of: agent) == name)
    }

    private func list(_ harness: Harness, _ token: String?) async throws -> [SessionView] {
        let answer = try await harness.rig.call(.get, "/v1/sessions", token: token)
        return try JSON.read(Page<SessionView>.self, from: answer.body).items
    }

    @Test func aSessionTellsWhereItWasLastUsedByTheFamilyOfItsAddressAlone() async throws {
        try await Harness.run { _, harness in
            let session = try await harness.register().session
            let listed = try await list(harness, session.accessToken)
            #expect(listed.map(\.addressFamily) == ["IPv4"])
            #expect(listed.map(\.methods) == [["pwd"]])
            _ = try await harness.parts.sessions.refresh(
                try #require(session.refreshToken),
                from: AuditOrigin(address: "2001:db8::1")
            )
            let after = try await list(harness, session.accessToken)
            #expect(after.map(\.addressFamily) == ["IPv6"])
        }
    }

    @Test func nobodyIsThereBeforeSomebodyRegisters() async throws {
        try await Harness.run { _, harness in
            let all = Statement("select count(*) from auth.user_account") { row in
                try row.int64(0)
            }
            let count = try await harness.database.queryOne(all)
            #expect(count == 0, "the migrations make no account")
        }
    }

    @Test func oneSessionTooManyEndsTheOldestAndItsTokens() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let credential = try #require(
                try await harness.database.queryOne(UserStatements.credentialByID, person.id)
            )
            let answer = try await harness.rig.call(
                .get,
                "/v1/sessions",
                token: person.session.accessToken
            )
            #expect(answer.status == 200)
            let key = try await harness.parts.sessions.signingKey()
            for _ in 1..<SessionStore.perUserMax {
                _ = try await harness.database.transaction { transaction in
                    try await harness.parts.sessions.open(
                        for: credential,
                        on: Device.test,
                        methods: ["pwd"],
                        signedWith: key,
                        in: transaction
                    )
                }
            }
            let full = try await harness.parts.revocations.list(after: nil)
            #expect(full.items.isEmpty)
            let newest = try await harness.logIn(person.email)
            #expect(newest.status == 201)
            let told = try await harness.parts.revocations.list(after: nil)
            #expect(told.items.count == 1)
            harness.rig.service.revocations.add(told.items)
            let oldest = try await harness.rig.call(
                .get,
                "/v1/sessions",
                token: person.session.accessToken
            )
            #expect(oldest.status == 401)
            let tokens = try JSON.read(SessionTokens.self, from: newest.body)
            let left = try await list(harness, tokens.accessToken)
            #expect(left.count == Int(SessionStore.perUserMax))
        }
    }
}

extension Device {
    static var test: Device { Device(name: "test", address: "127.0.0.1") }
}
