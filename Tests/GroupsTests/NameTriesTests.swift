import Testing
import WalletProtocol

@testable import GroupsService

/// How often somebody asks for usernames that are nobody's, on a real server.
@Suite struct NameTriesTests {
    private func ask(
        _ tries: NameTries,
        by user: ID<User>,
        from address: String,
        finding person: Person? = nil
    ) async throws -> ErrorCode? {
        do {
            _ = try await tries.counting(by: user, from: address) { person }
            return nil
        } catch let error as APIError {
            #expect((error.retryAfterSeconds ?? 0) > 0)
            return error.code
        }
    }

    /// The same, held against what is expected.
    private func expect(
        _ code: ErrorCode?,
        of tries: NameTries,
        by user: ID<User>,
        from address: String
    ) async throws {
        let found = try await ask(tries, by: user, from: address)
        #expect(found == code)
    }

    @Test func callerIsSlowedDownWhereverTheyAsk() async throws {
        try await Harness.run { _, harness in
            let tries = harness.parts.nameTries
            let (ada, bob) = (ID<User>.new(), ID<User>.new())
            for number in 0..<Int(NameTries.freeOfCaller) {
                try await expect(nil, of: tries, by: ada, from: "192.0.2.\(number)")
            }
            try await expect(.tooManyRequests, of: tries, by: ada, from: "198.51.100.1")
            try await expect(nil, of: tries, by: bob, from: "192.0.2.1")
        }
    }

    @Test func networkIsSlowedDownWhoeverAsks() async throws {
        try await Harness.run { _, harness in
            let tries = harness.parts.nameTries
            // One line has a /64 of addresses.
            for number in 0..<Int(NameTries.freeOfNetwork) {
                let address = "2001:db8::\(number + 1)"
                try await expect(nil, of: tries, by: .new(), from: address)
            }
            try await expect(.tooManyRequests, of: tries, by: .new(), from: "2001:db8::ffff")
            try await expect(nil, of: tries, by: .new(), from: "2001:db8:1::1")
        }
    }

    @Test func foundNameCostsNothing() async throws {
        try await Harness.run { _, harness in
            let tries = harness.parts.nameTries
            let ada = try await SharedRig.person("ada", harness)
            for _ in 0..<Int(NameTries.freeOfCaller) * 2 {
                let code = try await ask(tries, by: ada.id, from: "192.0.2.1", finding: ada)
                #expect(code == nil)
            }
        }
    }
}
