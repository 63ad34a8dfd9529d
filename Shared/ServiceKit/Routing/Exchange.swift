internal import Crypto
internal import HTTP
internal import Loops
internal import WalletProtocol

/// One request on its way through the layers to its handler and back.
struct Exchange {
    let http: HTTPRequest
    let path: PathParameters
    let route: EndpointDescription
    let identity: Identity
    let clientAddress: String

    /// Right, query, body, key; then the handler; then its answer as bytes.
    ///
    /// - Parameter shares: what a heavy read waits for.
    func run<Some: Handler>(
        _ handler: Some,
        sharing shares: ReadShares? = nil
    ) async throws -> HTTPResponse {
        let endpoint = Some.endpoint
        try refuseAmbiguity()
        let caller = try await identity.caller(of: http, for: endpoint.right)
        if !http.head.method.isSafe, !endpoint.right.isInternal, endpoint.right != .anyone {
            try await identity.checkFreshness(on: http.loop)
        }
        let queryText = http.head.query.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let query = try Some.Query.read(query: queryText)
        let key = try idempotencyKey(endpoint.idempotency)
        let body: Some.Body = try await readBody(endpoint)
        let scope = key.map { key in
            IdempotencyScope(
                key: key,
                scope: "\(caller.name) \(route.method.rawValue) "
                    + String(decoding: http.head.path, as: UTF8.self),
                requestHash: Self.hash(body, query)
            )
        }
        let request = Request(
            query: query,
            body: body,
            path: path,
            idempotency: scope,
            http: http,
            route: route.label,
            clientAddress: clientAddress
        )
        let places = try await self.places(in: shares, for: caller)
        defer { places.reversed().forEach { $0.giveBack() } }
        return render(try await handler.handle(request, as: caller))
    }

    /// A heavy read's places: of its person, then of what it reads.
    private func places(in shares: ReadShares?, for caller: Caller) async throws -> [Slot] {
        guard let shares, let user = caller.optionalUser else { return [] }
        let own = try await shares.take(.person(user.id), on: http.loop)
        guard let thing = path.first else { return [own] }
        return [own, try await shares.take(.thing(thing.lowercased()), on: http.loop)]
    }

    /// Of what was read and not of how it was spelt: order and space make no other request.
    private static func hash(_ body: some JSONValue, _ query: some QueryObject) -> [UInt8] {
        var writer = JSONWriter()
        body.write(to: &writer)
        writer.append(byte: 0)
        writer.append(raw: query.queryText.utf8)
        return SHA256.digest(writer.bytes)
    }

    /// Of two fields one reader takes the first and another the last.
    private func refuseAmbiguity() throws(APIError) {
        if http.head.isRepeated(.contentType) { throw Self.twice("Content-Type") }
        if http.head.isRepeated(.idempotencyKey) { throw Self.twice("Idempotency-Key") }
    }

    private static func twice(_ name: String) -> APIError {
        APIError(.invalidHeader, "\(name): one field is needed, not several")
    }

    /// Nothing is unpacked here (RFC 9110, 8.4).
    private func refuseCoding() throws(APIError) {
        let codings = http.head.texts(.contentEncoding)
        guard codings.allSatisfy({ $0.lowercased() == "identity" }) else {
            throw APIError(
                .unsupportedMediaType,
                "the body has to come as it is, without Content-Encoding"
            )
        }
    }

    private func readBody<Query, Body, View>(
        _ endpoint: Endpoint<Query, Body, View>
    ) async throws -> Body {
        if endpoint.request != .none { try refuseCoding() }
        switch endpoint.request {
        case .none:
            if let empty = NoBody() as? Body {
                // A body that nobody reads is still bounded and read over by the server.
                if http.bodyLength ?? 1 > 0, try await !readBytes(endpoint.bodyLimit).isEmpty {
                    throw APIError(.invalidBody, "this call takes no body")
                }
                return empty
            }
            throw APIError(.invalidBody)
        case .raw:
            guard let empty = NoBody() as? Body else { throw APIError(.invalidBody) }
            if let type = http.head.text(.contentType), type.lowercased().hasPrefix("multipart/") {
                throw APIError(.unsupportedMediaType, "the body is the file alone, and no form")
            }
            if let length = http.bodyLength, length > endpoint.bodyLimit {
                throw APIError(.bodyTooLarge)
            }
            return empty
        case .json:
            if let type = http.head.text(.contentType), !isJSON(type) {
                throw APIError(.unsupportedMediaType, "application/json is needed")
            }
            return try JSON.read(Body.self, from: try await readBytes(endpoint.bodyLimit))
        }
    }

    private func isJSON(_ type: String) -> Bool {
        let media = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        return media == "application/json" || media.hasSuffix("+json")
    }

    private func readBytes(_ max: Int) async throws -> [UInt8] {
        do throws(BodyError) {
            return try await http.body(max: max)
        } catch {
            switch error {
            case .tooLarge:
                throw APIError(.bodyTooLarge, "at most \(max) bytes are taken here")
            case .framing: throw APIError(.invalidRequest, "the body's framing is malformed")
            case .connection: throw APIError(.requestTimeout)
            }
        }
    }

    private func idempotencyKey(_ rule: Idempotency) throws -> String? {
        guard rule != .ignored else { return nil }
        guard let key = http.head.text(.idempotencyKey) else {
            if rule == .required { throw APIError(.idempotencyKeyRequired) }
            return nil
        }
        // A structured-field string may come in quotes (RFC 8941); both spell the same key.
        let bare =
            key.count >= 2 && key.first == "\"" && key.last == "\""
            ? String(key.dropFirst().dropLast()) : key
        guard (1...255).contains(bare.utf8.count),
            bare.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else {
            throw APIError(
                .invalidHeader,
                "Idempotency-Key: 1 to 255 printable ASCII characters are needed"
            )
        }
        return bare
    }

    private func render<View>(_ response: Response<View>) -> HTTPResponse {
        var headers = response.headers
        headers.append(.cacheControl, route.caching.directive)
        switch response.content {
        case .none: return HTTPResponse(status: response.status, headers: headers)
        case .view(let view): return written(JSON.write(view), response.status, headers)
        case .written(let bytes): return written(bytes, response.status, headers)
        case .bytes(let bytes, let type):
            headers.append(.contentType, type)
            return HTTPResponse(status: response.status, headers: headers, body: .bytes(bytes))
        case .stream(let type, let length, let write):
            headers.append(.contentType, type)
            // A HEAD asks for no stream, and must not hold one open.
            guard http.head.method != .head else {
                var answer = HTTPResponse(status: response.status, headers: headers)
                answer.declaredLength = length
                return answer
            }
            var streamed = HTTPResponse(
                status: response.status,
                headers: headers,
                body: .stream(length: length, write)
            )
            streamed.isEndless = type == "text/event-stream"
            return streamed
        }
    }

    /// A view, under the media type that the endpoint has.
    private func written(
        _ body: [UInt8],
        _ status: Int,
        _ headers: HeaderBlock
    ) -> HTTPResponse {
        var headers = headers
        headers.append("content-security-policy", ContentPolicy.json)
        if case .jsonAs(let type, _) = route.response {
            headers.append(.contentType, type)
        } else {
            headers.append(.contentType, "application/json")
        }
        return HTTPResponse(status: status, headers: headers, body: .bytes(body))
    }
}
