extension OpenAPI {
    /// The responses of an operation: each status of success, and the problems by status.
    static func responses(
        _ endpoint: EndpointDescription,
        _ example: OperationExample?,
        _ components: inout SchemaComponents
    ) -> JSONTree {
        var all: [JSONMember] = []
        for status in endpoint.statuses {
            all.append(JSONMember(String(status), success(endpoint, status, example, &components)))
        }
        var codes: [Int: [ErrorCode]] = [:]
        for code in common(endpoint) + endpoint.errors
        where !codes[code.status, default: []].contains(code) {
            codes[code.status, default: []].append(code)
        }
        for (status, codes) in codes.sorted(by: { $0.key < $1.key }) {
            all.append(JSONMember(String(status), problem(codes, &components)))
        }
        return .object(all)
    }

    private static func success(
        _ endpoint: EndpointDescription,
        _ status: Int,
        _ example: OperationExample?,
        _ components: inout SchemaComponents
    ) -> JSONTree {
        let words = [
            200: "Done.", 201: "Made.", 202: "Taken; not yet done.", 204: "Done.",
            303: "Go on there.",
        ]
        var response: JSONTree = ["description": .string(words[status] ?? "Done.")]
        var headers: [JSONMember] = []
        if status == 303 || status == 201 && !endpoint.answersSecrets {
            headers.append(reference(header: "Location"))
        }
        if endpoint.isTagged { headers.append(reference(header: "ETag")) }
        if endpoint.idempotency != .ignored {
            headers.append(reference(header: "IdempotencyReplayed", as: "Idempotency-Replayed"))
        }
        if !headers.isEmpty { response = response.setting("headers", .object(headers)) }
        let types: [String]
        switch endpoint.response {
        case .none: types = []
        case .json: types = ["application/json"]
        case .jsonAs(let type, let others): types = [type] + others
        case .jsonOr(let others): types = ["application/json"] + others
        case .file(let others): types = others
        case .eventStream: types = ["text/event-stream"]
        }
        guard status != 204, !types.isEmpty else { return response }
        let view = view(endpoint, status, &components)
        let content = types.map { type in
            let isView = type == "application/json" || type.hasSuffix("+json")
            var content: JSONTree = ["schema": isView ? view : bytes(of: type)]
            if isView, let example, example.status == status, let response = example.response {
                content = content.setting("example", response)
            }
            return JSONMember(type, content)
        }
        return response.setting("content", .object(content))
    }

    /// The schema of a success: where an answer has several shapes, each has a status of its own.
    private static func view(
        _ endpoint: EndpointDescription,
        _ status: Int,
        _ components: inout SchemaComponents
    ) -> JSONTree {
        let view = endpoint.view(&components)
        guard case .array(let shapes)? = view["anyOf"], shapes.count == endpoint.statuses.count,
            let index = endpoint.statuses.firstIndex(of: status)
        else { return view }
        return shapes[index]
    }

    /// A file: text, or bytes as they are, which most generators know by this format.
    static func bytes(of type: String) -> JSONTree {
        type.hasPrefix("text/")
            ? ["type": "string"] : ["type": "string", "format": "binary"]
    }

    private static func reference(header: String, as name: String? = nil) -> JSONMember {
        JSONMember(name ?? header, ["$ref": .string("#/components/headers/\(header)")])
    }

    /// What every call of this kind can answer with, besides its own codes.
    private static func common(_ endpoint: EndpointDescription) -> [ErrorCode] {
        var codes: [ErrorCode] = [.invalidQuery, .uriTooLong, .tooManyRequests, .internalError]
        codes += [.badGateway, .unavailable, .gatewayTimeout]
        if endpoint.right != .anyone { codes.append(.unauthenticated) }
        switch endpoint.right {
        case .role: codes.append(.forbidden)
        // Whoever may only see what is shared with them.
        case .user where endpoint.method != .get, .signedIn where endpoint.method != .get:
            codes.append(.forbidden)
        default: break
        }
        switch endpoint.request {
        case .none: break
        case .json: codes += [.malformedJSON, .bodyTooLarge, .unsupportedMediaType, .invalidBody]
        case .raw: codes += [.bodyTooLarge, .unsupportedMediaType]
        }
        switch endpoint.idempotency {
        case .ignored: break
        case .accepted:
            codes += [.invalidHeader, .idempotencyKeyReused, .idempotencyKeyInUse]
        case .required:
            codes += [
                .invalidHeader, .idempotencyKeyRequired, .idempotencyKeyReused,
                .idempotencyKeyInUse,
            ]
        }
        return codes
    }

    private static func problem(
        _ codes: [ErrorCode],
        _ components: inout SchemaComponents
    ) -> JSONTree {
        let words = codes.map { "`\($0.text)`: \($0.title)." }.joined(separator: " ")
        let schema: JSONTree = [
            "allOf": [
                Problem.schema(&components),
                [
                    "type": "object",
                    "properties": ["code": ["enum": .array(codes.map { .string($0.text) })]],
                ],
            ]
        ]
        var response: JSONTree = ["description": .string(words)]
        if codes.contains(where: { $0.status == 429 || $0.status == 503 }) {
            let header: JSONTree = ["$ref": "#/components/headers/RetryAfter"]
            response = response.setting("headers", ["Retry-After": header])
        }
        let content: JSONTree = .object([JSONMember(Problem.mediaType, ["schema": schema])])
        return response.setting("content", content)
    }
}
