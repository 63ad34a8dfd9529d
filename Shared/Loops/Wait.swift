/// A wait ended before what it waited for came.
public struct WaitCancelled: Error {
    /// Ended.
    public init() {}
}

// Safety: all state is touched on the loop's thread only; a canceller on another thread posts.
/// One suspension on a loop: suspended at most once, resumed at most once, in either order.
///
/// Cancellation of the task (by a request's deadline) resumes it with `CancellationError`; who
/// resumes it later finds it over (`resume` answers false) and cleans up by itself.
public final class Wait<Value>: @unchecked Sendable {
    @safe private enum State {
        case idle
        case suspended(UnsafeContinuation<Void, Never>)
        case ended
    }
    private let loop: EventLoop
    private var state: State = .idle
    private var result: Result<Value, any Error>?

    /// A wait on this loop.
    public init(on loop: EventLoop) { self.loop = loop }

    /// Whether a result, or the cancellation, is in.
    public var isOver: Bool { result != nil }

    /// Ends the wait with a value.
    ///
    /// False: it was over already. On-loop only.
    @discardableResult
    public func resume(returning value: sending Value) -> Bool { end(.success(value)) }

    /// Ends the wait with an error.
    ///
    /// False: it was over already. On-loop only.
    @discardableResult
    public func resume(throwing error: any Error) -> Bool { end(.failure(error)) }

    private func end(_ outcome: Result<Value, any Error>) -> Bool {
        guard result == nil else { return false }
        result = outcome
        if case .suspended(let continuation) = state { unsafe continuation.resume() }
        state = .ended
        return true
    }

    /// Waits for the result.
    ///
    /// On-loop only, once.
    /// - Throws: what `resume(throwing:)` was given, or `CancellationError`.
    ///
    /// Isolated by parameter, not by `nonisolated(nonsending)`: so the closure stays on the loop,
    /// where otherwise it would be taken for concurrent, and hop away and back.
    public func value(isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        if result == nil {
            await withTaskCancellationHandler {
                _ = isolation
                await unsafe withUnsafeContinuation { continuation in
                    if result != nil {
                        unsafe continuation.resume()
                    } else {
                        state = unsafe .suspended(continuation)
                    }
                }
            } onCancel: { [self] in
                if loop.isCurrent { cancel() } else { loop.post { self.cancel() } }
            }
        }
        // Cannot fire: `end` alone resumes, and sets the result first.
        guard let result else { preconditionFailure("resumed without a result") }
        self.result = .failure(WaitCancelled())
        return try result.get()
    }

    private func cancel() { _ = end(.failure(CancellationError())) }
}

extension EventLoop {
    /// Waits on the loop's own clock; the task stays on the loop.
    /// - Throws: `CancellationError` when the task is cancelled, or the loop ends.
    public func sleep(nanoseconds: UInt64) async throws {
        try await Wait<Void>(on: self).value(withinNanoseconds: nanoseconds)
    }
}

extension Wait where Value == Void {
    /// Waits for the result, and so long at most, which is no error.
    ///
    /// On-loop only, once.
    /// - Throws: what `resume(throwing:)` was given; `CancellationError` when the task is
    ///   cancelled, or the loop ends.
    public func value(
        withinNanoseconds nanoseconds: UInt64,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let timer = loop.schedule(afterNanoseconds: nanoseconds) { self.resume(returning: ()) }
        timer.dropped = { self.resume(throwing: CancellationError()) }
        defer { timer.cancel() }
        try await value()
    }
}
