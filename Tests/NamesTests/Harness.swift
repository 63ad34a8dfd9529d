import Foundation
import Loops
import Names
import TestKit
import Testing

/// Runs `body` on a fresh loop with a resolver that asks a server of its own.
///
/// It waits longer than any answer takes on a busy machine, if not told to be `impatient`.
func withResolver(
    _ change: @escaping @Sendable (inout ResolverConfiguration) -> Void = { _ in },
    servers: [String] = ["127.0.0.1"],
    file: String? = nil,
    _ body: @escaping @Sendable (NameServer, NameResolver) async throws -> Void
) async throws {
    let server = try NameServer()
    defer { server.stop() }
    let made = try file ?? NameServer.serversFile(servers)
    defer { if file == nil { unlink(made) } }
    var configuration = ResolverConfiguration()
    configuration.serversFile = made
    configuration.serverPort = server.port
    configuration.tryMilliseconds = 5_000
    configuration.tries = 2
    change(&configuration)
    let final = configuration
    let group = LoopGroup(count: 1)
    group.startAll()
    defer { group.stop() }
    try await group.loops[0].actor.run { actor in
        let resolver = NameResolver(on: actor.loop, configuration: final)
        defer { resolver.close() }
        try await body(server, resolver)
    }
}

/// For where no answer comes.
func impatient(_ configuration: inout ResolverConfiguration) { configuration.tryMilliseconds = 200 }

/// A name and an IPv4 address that the machine's hosts file has.
func hostsEntry() throws -> (name: String, address: String) {
    let text = try String(contentsOfFile: "/etc/hosts", encoding: .utf8)
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        if words.count > 1, words[0].contains(".") { return (words[1], words[0]) }
    }
    throw Missing()
}

private struct Missing: Error {}

/// How a look-up failed; nil: it did not.
func problem(_ body: () async throws -> [NumericAddress]) async -> NameError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? NameError
    }
}

/// Whether something becomes true within some seconds.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<1_000 {
        if try await condition() { return true }
        usleep(10_000)
    }
    return false
}

func same<Value: Equatable>(
    _ actual: Value,
    _ expected: Value,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(actual == expected, sourceLocation: sourceLocation)
}
