/// Bounds of a client.
public struct ClientLimits: Sendable {
    /// How long a connection may take to stand.
    public var connectNanoseconds: UInt64 = 2_000_000_000
    /// How long an unused connection is kept; shorter than servers keep theirs.
    public var idleNanoseconds: UInt64 = 30_000_000_000
    /// Connections to one upstream from one loop.
    public var connectionsMax = 256
    /// Requests that wait for one of them.
    public var waitersMax = 1_024
    /// Connections beside those whose answers have no end (`HTTPExchange.becomeStream`).
    public var streamsMax = 2_048
    /// How large an answer's head may be.
    public var head = HeadLimits(bytesMax: 32_768)

    /// The defaults.
    public init() {}
}

/// Why there is no answer.
public enum HTTPClientError: Error, Equatable, Sendable {
    /// No connection stood in time, or none could be made; nothing was sent.
    case cannotConnect
    /// As many requests wait for a connection as may; nothing was sent.
    case tooManyWaiting
    /// As many answers without an end are open as may.
    case tooManyStreams
    /// The deadline came first, or the task was cancelled; `afterSending`: while the answer was
    /// awaited.
    case deadline(afterSending: Bool)
    /// The connection ended; `afterSending`: the upstream may have acted on the request.
    case closed(afterSending: Bool)
    /// The request's own body could not be had: the upstream has nothing to do with it.
    case source(BodyError)
    /// The answer is not HTTP as it should be.
    case framing(FramingError)
    /// The answer's body is larger than the caller takes.
    case bodyTooLarge
}

/// A request to be sent.
public struct ClientRequest {
    /// What follows the head.
    public enum Body {
        case none
        case bytes([UInt8])
        /// Pulled piece by piece; with a length that is declared, without in chunks. A request with
        /// a streamed body is never sent twice.
        case stream(length: Int?, () async throws -> [UInt8]?)
    }

    /// The method.
    public var method: HTTPMethod
    /// Path and query, in origin form.
    public var target: ArraySlice<UInt8>
    /// The `Host`.
    public var host: String
    /// End-to-end fields.
    public var headers: HeaderBlock
    /// The body.
    public var body: Body
    /// Ends a wait for the next piece of a streamed body: the answer has come before it.
    public var stopBody: (() -> Void)?
    /// When to give up, in monotonic nanoseconds.
    public var deadline: UInt64
    /// Whether it may go out twice though its method is not safe (a POST with an idempotency key).
    ///
    /// A PUT or DELETE is not: the second would be told 412 or 404 where the first was done.
    public var isRepeatable = false

    /// A request.
    public init(
        method: HTTPMethod,
        target: ArraySlice<UInt8>,
        host: String,
        headers: HeaderBlock = HeaderBlock(),
        body: Body = .none,
        deadline: UInt64
    ) {
        self.method = method
        self.target = target
        self.host = host
        self.headers = headers
        self.body = body
        self.deadline = deadline
    }
}

extension ClientRequest {
    /// Whether it may be sent again after this; the body of a request of which nothing was sent has
    /// not been touched.
    func mayBeSentAgain(after error: HTTPClientError) -> Bool {
        guard case .closed(let afterSending) = error else { return false }
        guard afterSending else { return true }
        if case .stream = body { return false }
        return method.isSafe || isRepeatable
    }
}
