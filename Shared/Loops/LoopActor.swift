/// The one actor of a loop: what is isolated to it runs on the loop's thread and nowhere else.
public actor LoopActor {
    /// The loop whose thread this actor runs on.
    public nonisolated let loop: EventLoop

    /// The loop is the executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(loop: EventLoop) { self.loop = loop }

    /// Runs `body` on the loop and returns what it makes.
    ///
    /// The task prefers the loop meanwhile: else whatever the compiler takes for concurrent in it
    /// (the closures of `withTaskCancellationHandler`, of a task-local's `withValue`) would run on
    /// another thread.
    public nonisolated func run<Value: Sendable>(
        _ body: @Sendable (isolated LoopActor) async throws -> Value
    ) async rethrows -> Value {
        try await withTaskExecutorPreference(loop) { try await body(self) }
    }

    /// Starts a task that lives on the loop: begun there, resumed there, ended there.
    ///
    /// The one place where tasks are made: everything else is called from such a task.
    @discardableResult
    public nonisolated func spawn(
        _ body: @escaping @Sendable (isolated LoopActor) async -> Void
    ) -> Task<Void, Never> {
        Task(executorPreference: loop) { await body(self) }
    }
}

// Safety: the value is reachable only through `on(_:)`, which needs the actor's isolation and
// traps when it is another loop's.
/// A value that belongs to one loop, carried through `@Sendable` closures to where it is used.
public struct LoopBound<Value>: @unchecked Sendable {
    private let value: Value
    private let owner: LoopActor

    /// Binds a value to the loop on which the caller stands.
    public init(_ value: Value, to owner: LoopActor) {
        // Cannot fire: callers stand on the loop whose actor they give, whatever comes in.
        precondition(owner.loop.isCurrent, "a value is bound on its own loop")
        self.value = value
        self.owner = owner
    }

    /// The value, on its loop.
    public func on(_ actor: isolated LoopActor) -> Value {
        // Cannot fire: closures run on the actor that they were spawned on, whatever comes in.
        precondition(actor === owner, "a value is used on its own loop")
        return value
    }
}
