import Loops
import Postgres
import TestKit
import Testing

/// Runs `body` on a fresh loop with a database of its own.
func withDatabase<Value: Sendable>(
    _ change: @escaping @Sendable (inout DatabaseConfiguration) -> Void = { _ in },
    on cluster: PostgresCluster? = nil,
    _ body: @escaping @Sendable (isolated LoopActor, Database) async throws -> Value
) async throws -> Value {
    let server: PostgresCluster
    if let cluster { server = cluster } else { server = try await PostgresCluster.shared() }
    let made = try await server.makeDatabase("pq")
    var configuration = made.owner
    change(&configuration)
    let final = configuration
    return try await onLoop { actor in
        let database = Database(configuration: final, loop: actor.loop)
        defer { database.close() }
        return try await body(actor, database)
    }
}

/// Runs `count` tasks on the loop at once and waits for all of them.
func atOnce(
    _ count: Int,
    on actor: isolated LoopActor,
    _ body: @escaping @Sendable (isolated LoopActor, Int) async -> Void
) async {
    let tasks = (0..<count).map { index in
        actor.spawn { actor in await body(actor, index) }
    }
    for task in tasks { await task.value }
}

/// Two waits by which a test steers a transaction of another task.
final class Exchangeable: @unchecked Sendable {
    let inside: Wait<Void>
    let release: Wait<Void>
    init(on loop: EventLoop) {
        inside = Wait(on: loop)
        release = Wait(on: loop)
    }
}

/// Counts on one loop.
final class Tally: @unchecked Sendable {
    var count = 0
}

/// Runs `body` as a request that ends after some time.
func withDeadline<Value>(
    milliseconds: UInt64,
    _ body: () async throws -> Value
) async throws -> Value {
    let context = RequestContext(
        deadline: monotonicNanoseconds() + milliseconds * 1_000_000,
        requestID: "test",
        traceparent: nil
    )
    return try await RequestContext.with(context) { try await body() }
}

/// Runs `body` and names how it ended: `ok`, `server 23505`, `lost`, `lost at commit` and so on.
func outcome<Value>(_ body: () async throws -> Value) async -> String {
    do {
        _ = try await body()
        return "ok"
    } catch let error as DatabaseError {
        return switch error {
        case .server(let error): "server \(error.sqlState)"
        case .connectionLost(let duringCommit): duringCommit ? "lost at commit" : "lost"
        case .unavailable(.queueFull): "queue full"
        case .unavailable(.cannotConnect): "cannot connect"
        case .unavailable(.closed): "closed"
        case .deadline: "deadline"
        case .cancelled: "cancelled"
        case .decoding(let problem): "decoding \(problem.column): \(problem.problem)"
        case .rolledBack: "rolled back"
        case .misuse(.waitsWhileHoldingLease): "waits while holding lease"
        case .misuse(.needsLease): "needs lease"
        case .misuse(.used): "used"
        case .misuse(.busy): "busy"
        case .misuse(.severalRows): "several rows"
        }
    } catch {
        return "\(error)"
    }
}

/// `#expect` for what holds a `try` or a closure.
///
/// The macro hides a `try` from a closure whose throwing is inferred; and a closure within it takes
/// the name of the next one after it, which then never runs (6.3.1).
func same<Value: Equatable>(
    _ actual: Value,
    _ expected: Value,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(actual == expected, sourceLocation: sourceLocation)
}

/// Waits until nothing is under way: rollbacks and the like are not waited for by their callers.
func untilIdle(_ database: Database) async throws {
    for _ in 0..<30_000 {
        let metrics = database.metrics
        if metrics.leasedInUse == 0, metrics.sharedInFlight == 0 { return }
        try await database.loop.sleep(nanoseconds: 1_000_000)
    }
    Issue.record("still under way: \(database.metrics)")
}
