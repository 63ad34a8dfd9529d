public import Loops

/// Runs `body` on a fresh loop of one thread, which ends with it.
public func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (isolated LoopActor) async throws -> Value
) async throws -> Value {
    let group = LoopGroup(count: 1)
    group.startAll()
    defer { group.stop() }
    return try await group.loops[0].actor.run(body)
}
