/// What travels with a request down the stack and on to other services.
public struct RequestContext: Sendable {
    /// When the caller stops waiting, in monotonic nanoseconds.
    public var deadline: UInt64
    /// The request's name in logs and in `X-Request-Id`.
    public var requestID: String
    /// The W3C `traceparent` to send on, where there is one.
    public var traceparent: String?
    /// How many executables it has come through: what goes in a circle is stopped by it.
    public var hops: Int

    /// A context.
    public init(deadline: UInt64, requestID: String, traceparent: String?, hops: Int = 0) {
        self.deadline = deadline
        self.requestID = requestID
        self.traceparent = traceparent
        self.hops = hops
    }

    /// The context of the request that the current task serves.
    @TaskLocal public static var current: RequestContext?

    /// Runs `body` as the work of a request, without leaving the loop.
    ///
    /// In place of `$current.withValue`, whose closure would be taken for concurrent.
    public static func with<Value>(
        _ context: RequestContext,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await $current.withValue(context) {
            _ = isolation
            return try await body()
        }
    }

    /// The nearer of the request's deadline and `fallbackNanoseconds` from now.
    public static func deadline(within fallbackNanoseconds: UInt64) -> UInt64 {
        // Cannot wrap: callers wait for constants, or for settings of milliseconds.
        let fallback = monotonicNanoseconds() &+ fallbackNanoseconds
        guard let current else { return fallback }
        return min(current.deadline, fallback)
    }
}
