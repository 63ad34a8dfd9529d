public import HTTP
internal import Synchronization
internal import WalletProtocol

/// Whether the replica may be sent requests, and if not, why.
public final class ServiceReadiness: Sendable {
    private struct State {
        var listens = false
        var revocationsLoaded = false
        var schemaIsThere = false
        var drains = false
        /// Other things waited for, and by how many loops.
        var others: [String: Int] = [:]
    }
    private let state = Mutex(State())

    /// Not ready.
    public init() {}

    /// An executable without a database or revocations of its own (the gateway).
    public func needsOnlyListener() {
        state.withLock {
            $0.schemaIsThere = true
            $0.revocationsLoaded = true
        }
    }

    /// Something else is waited for as well, by the loop that says so.
    public func waits(for what: String) { state.withLock { $0.others[what, default: 0] += 1 } }

    /// What a loop waited for is there.
    public func has(_ what: String) {
        state.withLock { state in
            let left = state.others[what, default: 0] - 1
            state.others[what] = left > 0 ? left : nil
        }
    }

    /// The listener stands.
    public func listens() { state.withLock { $0.listens = true } }
    func revocationsAreLoaded() { state.withLock { $0.revocationsLoaded = true } }
    func schema(isThere: Bool) { state.withLock { $0.schemaIsThere = isThere } }
    /// The end has begun.
    public func drains() { state.withLock { $0.drains = true } }

    /// What is still missing; nothing: ready.
    public var missing: [String] {
        state.withLock { state in
            var missing: [String] = []
            if !state.listens { missing.append("listener") }
            if !state.schemaIsThere { missing.append("database") }
            if !state.revocationsLoaded { missing.append("revocations") }
            missing += state.others.keys.sorted()
            if state.drains { missing.append("draining") }
            return missing
        }
    }

    /// The answer of `/readyz`.
    func response() -> HTTPResponse {
        let missing = self.missing
        var headers = HeaderBlock()
        headers.append(.contentType, "application/json")
        let body = JSONTree.object([
            JSONMember("ready", .bool(missing.isEmpty)),
            JSONMember("missing", .array(missing.map { .string($0) })),
        ])
        return HTTPResponse(
            status: missing.isEmpty ? 200 : 503,
            headers: headers,
            body: .bytes(JSON.write(body))
        )
    }
}

/// `/healthz`, `/readyz` and `/metrics`, on the port that only operators reach.
public final class AdminHandler: HTTPHandler {
    private let metrics: Metrics
    private let readiness: ServiceReadiness

    /// The pages of an executable.
    public init(metrics: Metrics, readiness: ServiceReadiness) {
        self.metrics = metrics
        self.readiness = readiness
    }

    /// Answers one of the pages.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch String(decoding: request.head.path, as: UTF8.self) {
        case "/healthz": return text("ok\n", type: "text/plain")
        case "/readyz": return readiness.response()
        case "/metrics":
            return text(metrics.render(), type: "text/plain; version=0.0.4; charset=utf-8")
        default: return renderProblem(.notFound, nil)
        }
    }

    /// The answer to what is no HTTP.
    public func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
        renderProblem(framingRefusal(error), nil)
    }

    private func text(_ text: String, type: String) -> HTTPResponse {
        var headers = HeaderBlock()
        headers.append(.contentType, type)
        return HTTPResponse(status: 200, headers: headers, body: .bytes(Array(text.utf8)))
    }
}
