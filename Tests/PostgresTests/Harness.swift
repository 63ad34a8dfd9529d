import Loops
import Postgres
import TestKit

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

/// Runs `body` on a fresh loop.
func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (isolated LoopActor) async throws -> Value
) async throws -> Value {
    let group = LoopGroup(count: 1)
    group.startAll()
    defer { group.stop() }
    return try await group.loops[0].actor.run(body)
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
