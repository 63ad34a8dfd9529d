import Loops
import Postgres
import TestKit
import Testing

private let serverAddress = Statement("select host(inet_server_addr())") { row in
    try row.string(0)
}

@Suite struct NamedServerTests {
    @Test func ofSeveralAddressesEachIsTriedInTurn() async throws {
        try await withNamed(["127.0.0.9", "127.0.0.8", "127.0.0.1"]) { _, database in
            let address = try await database.queryOne(serverAddress)
            #expect(address == "127.0.0.1")
        }
    }

    @Test func whatIsRememberedIsAskedForAnewOnceItLedNowhere() async throws {
        try await withNamed(["127.0.0.9"], { $0.sharedConnectionsMax = 1 }) { names, database in
            let first = await outcome { try await database.ping() }
            same(first, "cannot connect")
            same(names.asked.first, false)
            names.addresses = ["127.0.0.1"]
            try await untilReachable(database)
            #expect(names.asked.contains(true))
        }
    }

    @Test func aNameThatIsNotResolvedYetIsWaitedFor() async throws {
        try await withNamed(nil) { names, database in
            let first = await outcome { try await database.ping() }
            same(first, "cannot connect")
            names.addresses = []
            let second = await outcome { try await database.ping() }
            same(second, "cannot connect")
            names.addresses = ["127.0.0.1"]
            try await untilReachable(database)
        }
    }

    @Test func aResolverThatNeverAnswersEndsTheAttemptInTime() async throws {
        try await withNamed(["127.0.0.1"], { $0.connectMillisecondsMax = 200 }) { names, database in
            names.isHeld = true
            let first = await outcome { try await database.ping() }
            same(first, "cannot connect")
            names.isHeld = false
            try await untilReachable(database)
        }
    }

    @Test func anAddressThatSwallowsEverythingHoldsUpOneAttemptAlone() async throws {
        // 192.0.2.0/24 is for documentation: where it is routed at all, nobody answers.
        try await withNamed(
            ["192.0.2.1", "127.0.0.1"],
            { $0.connectMillisecondsMax = 300 }
        ) { _, database in
            try await untilReachable(database)
        }
    }
}

/// What a name stands for, as a test changes it.
private final class Names: @unchecked Sendable {
    var addresses: [String]?
    var asked: [Bool] = []
    var isHeld = false

    struct Unknown: Error {}

    func resolve(_ loop: EventLoop, _ afresh: Bool) async throws -> [String] {
        asked.append(afresh)
        while isHeld { try await loop.sleep(nanoseconds: 5_000_000) }
        guard let addresses else { throw Unknown() }
        return addresses
    }
}

/// Runs `body` with the shared cluster's database behind a name with these addresses.
private func withNamed(
    _ addresses: [String]?,
    _ change: @escaping @Sendable (inout DatabaseConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (Names, Database) async throws -> Void
) async throws {
    let made = try await PostgresCluster.shared().makeDatabase("named")
    var configuration = made.owner
    switch configuration.server {
    case .unixSocket(_, let port), .address(_, let port), .name(_, let port):
        configuration.server = .name("db.test", port: port)
    }
    change(&configuration)
    let final = configuration
    try await onLoop { actor in
        let names = Names()
        names.addresses = addresses
        let loop = actor.loop
        let database = Database(
            configuration: final,
            loop: loop,
            resolve: { name, afresh in
                same(name, "db.test")
                return try await names.resolve(loop, afresh)
            }
        )
        defer { database.close() }
        try await body(names, database)
    }
}

private func untilReachable(_ database: Database) async throws {
    let end = monotonicNanoseconds() + 30_000_000_000
    while monotonicNanoseconds() < end {
        let ended = await outcome { try await database.ping() }
        if ended == "ok" { return }
        try await database.loop.sleep(nanoseconds: 10_000_000)
    }
    Issue.record("never reachable")
}
