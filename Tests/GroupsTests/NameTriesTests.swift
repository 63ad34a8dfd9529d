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

    @Test func callerIsSlowedDownWhereverTheyAsk() async throws {
        try await Harness.run { _, harness in
            let tries = harness.parts.nameTries
            let (ada, bob) = (ID<User>.new(), ID<User>.new())
            for number in 0..<Int(NameTries.freeOfCaller) {
                #expect(try await ask(tries, by: ada, from: "192.0.2.\(number)") == nil)
            }
            #expect(try await ask(tries, by: ada, from: "198.51.100.1") == .tooManyRequests)
            #expect(try await ask(tries, by: bob, from: "192.0.2.1") == nil)
        }
    }

    @Test func networkIsSlowedDownWhoeverAsks() async throws {
        try await Harness.run { _, harness in
            let tries = harness.parts.nameTries
            // One line has a /64 of addresses.
            for number in 0..<Int(NameTries.freeOfNetwork) {
                let address = "2001:db8::\(number + 1)"
                #expect(try await ask(tries, by: .new(), from: address) == nil)
            }
            #expect(try await ask(tries, by: .new(), from: "2001:db8::ffff") == .tooManyRequests)
            #expect(try await ask(tries, by: .new(), from: "2001:db8:1::1") == nil)
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
