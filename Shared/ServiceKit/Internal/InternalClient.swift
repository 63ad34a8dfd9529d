internal import HTTP
public import Loops
public import Names
public import WalletProtocol

/// Calls endpoints of other services by way of the gateway's internal listener, on one loop.
///
/// Each call carries our service token, what is left of the request's deadline, its trace, and the
/// user's token where we act for a user within their request.
public final class InternalClient {
    private let gateway: GatewayAddresses
    private let host: String
    private let service: ServiceName
    private let secret: String
    private var token: (text: String, renewAt: UInt64)?

    static let callNanoseconds: UInt64 = 10_000_000_000
    /// An answer larger than this is none that we ask for.
    static let answerBytesMax = 8 << 20

    /// A client of the gateway, by its name or a numeric address.
    public init(
        host: String,
        port: Int,
        service: ServiceName,
        secret: String,
        names: NameResolver
    ) {
        gateway = GatewayAddresses(host: host, port: port, names: names)
        self.host = "\(host):\(port)"
        self.service = service
        self.secret = secret
    }

    /// A client that resolves the gateway's name for itself.
    public convenience init(
        host: String,
        port: Int,
        service: ServiceName,
        secret: String,
        loop: EventLoop
    ) {
        self.init(
            host: host,
            port: port,
            service: service,
            secret: secret,
            names: NameResolver(on: loop)
        )
    }

    /// Calls an endpoint and reads its answer.
    /// - Throws: the `APIError` that the other side answered with, or `.unavailable`.
    public func call<Query, Body, View>(
        _ endpoint: Endpoint<Query, Body, View>,
        path: [String: String] = [:],
        query: Query,
        body: Body,
        for user: UserIdentity? = nil,
        key: String? = nil,
        ifMatch: EntityTags? = nil
    ) async throws(APIError) -> View {
        let bytes = try await send(
            endpoint.erased,
            target: target(endpoint, path, query),
            body: Body.self == NoBody.self ? nil : JSON.write(body),
            for: user,
            key: key,
            ifMatch: ifMatch
        )
        if View.self == NoView.self, let none = NoView() as? View { return none }
        do {
            return try JSON.read(View.self, from: bytes, ignoringUnknownFields: true)
        } catch {
            throw APIError(.unavailable, retryAfterSeconds: 1)
        }
    }

    /// Calls an endpoint that takes neither query nor body.
    public func call<View>(
        _ endpoint: Endpoint<NoQuery, NoBody, View>,
        path: [String: String] = [:],
        for user: UserIdentity? = nil
    ) async throws(APIError) -> View {
        try await call(endpoint, path: path, query: NoQuery(), body: NoBody(), for: user)
    }

    /// Our service token, made anew a minute before it ends.
    public func serviceToken() async throws(APIError) -> String {
        if let token, token.renewAt > monotonicNanoseconds() { return token.text }
        let endpoint = InternalAuth.serviceToken
        let bytes = try await exchange(
            endpoint.erased,
            target: target(endpoint, [:], NoQuery()),
            body: JSON.write(ServiceTokenRequest(service: service, secret: secret)),
            headers: HeaderBlock()
        )
        guard let made = try? JSON.read(ServiceToken.self, from: bytes, ignoringUnknownFields: true)
        else { throw APIError(.unavailable) }
        // Whatever is told of its life: no longer than a day, and no less than a second.
        let seconds = UInt64(min(max(made.expiresIn, 61), 86_400) - 60)
        token = (made.accessToken, monotonicNanoseconds() + seconds * 1_000_000_000)
        return made.accessToken
    }

    private func target<Query, Body, View>(
        _ endpoint: Endpoint<Query, Body, View>,
        _ path: [String: String],
        _ query: Query
    ) -> String {
        let text = query.queryText
        return endpoint.path.path(path) + (text.isEmpty ? "" : "?" + text)
    }

    private func send(
        _ endpoint: EndpointDescription,
        target: String,
        body: [UInt8]?,
        for user: UserIdentity?,
        key: String?,
        ifMatch: EntityTags?
    ) async throws(APIError) -> [UInt8] {
        var isRepeated = false
        while true {
            let used = try await serviceToken()
            var headers = HeaderBlock()
            headers.append(.authorization, "Bearer " + used)
            if let user { headers.append(.xEZWalletUser, user.token) }
            if let key { headers.append(.idempotencyKey, key) }
            if let ifMatch { headers.append(.ifMatch, ifMatch.text) }
            do {
                return try await exchange(endpoint, target: target, body: body, headers: headers)
            } catch {
                guard error.code == .unauthenticated else { throw error }
                // Our token may count no more (its key was revoked): a new one tells. Then it is
                // the user's that is refused, or nobody's whom our caller could sign in again.
                if token?.text == used { token = nil }
                guard isRepeated else {
                    isRepeated = true
                    continue
                }
                throw user == nil ? APIError(.unavailable, retryAfterSeconds: 1) : error
            }
        }
    }

    private func exchange(
        _ endpoint: EndpointDescription,
        target: String,
        body: [UInt8]?,
        headers: HeaderBlock
    ) async throws(APIError) -> [UInt8] {
        var headers = headers
        let deadline = RequestContext.deadline(within: Self.callNanoseconds)
        let now = monotonicNanoseconds()
        guard deadline > now else { throw APIError(.gatewayTimeout) }
        headers.append(.xRequestDeadline, Int((deadline - now) / 1_000_000))
        headers.append(.xEZWalletHops, RequestContext.current?.hops ?? 0)
        if body != nil { headers.append(.contentType, "application/json") }
        if let context = RequestContext.current {
            headers.append(.xRequestID, context.requestID)
            if let trace = context.traceparent { headers.append(.traceparent, trace) }
        }
        let request = ClientRequest(
            method: method(endpoint.method),
            target: Array(target.utf8)[...],
            host: host,
            headers: headers,
            body: body.map { .bytes($0) } ?? .none,
            deadline: deadline
        )
        let status: Int
        let bytes: [UInt8]
        do {
            let exchange = try await gateway.send(request)
            status = exchange.head.status
            bytes = try await exchange.body(max: Self.answerBytesMax)
        } catch {
            if case .deadline = error { throw APIError(.gatewayTimeout) }
            throw APIError(.unavailable, retryAfterSeconds: 1)
        }
        guard (200..<300).contains(status) else {
            throw problem(bytes, status: status)
        }
        return bytes
    }

    private func method(_ method: Method) -> HTTPMethod {
        switch method {
        case .get: .get
        case .post: .post
        case .put: .put
        case .patch: .patch
        case .delete: .delete
        }
    }

    /// The other side's problem as our error.
    private func problem(_ bytes: [UInt8], status: Int) -> APIError {
        guard
            let problem = try? JSON.read(Problem.self, from: bytes, ignoringUnknownFields: true),
            let code = ErrorCode.all.first(where: { $0.text == problem.code })
        else {
            return APIError(status == 404 ? .notFound : .unavailable, retryAfterSeconds: 1)
        }
        return APIError(
            code,
            problem.detail,
            errors: problem.errors,
            members: problem.members
        )
    }
}
