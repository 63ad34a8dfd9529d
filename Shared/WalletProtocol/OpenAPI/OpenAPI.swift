/// The OpenAPI 3.1 document of a list of endpoints: what is registered, and nothing else.
public enum OpenAPI {
    /// The document.
    ///
    /// Internal endpoints are left out; order follows the list.
    public static func document(
        title: String,
        version: String,
        endpoints: [EndpointDescription]
    ) -> JSONTree {
        var components = SchemaComponents()
        _ = Money.schema(&components)
        var paths: [JSONMember] = []
        for endpoint in endpoints where !endpoint.right.isInternal {
            let operation = operation(endpoint, &components)
            let method = endpoint.method.rawValue.lowercased()
            if let index = paths.firstIndex(where: { $0.name == endpoint.path.text }) {
                paths[index].value = paths[index].value.setting(method, operation)
            } else {
                paths.append(
                    JSONMember(endpoint.path.text, .object([JSONMember(method, operation)]))
                )
            }
        }
        let schemas = components.schemas.sorted { $0.key < $1.key }
        return [
            "openapi": "3.1.0",
            "info": ["title": .string(title), "version": .string(version)],
            "servers": [["url": "/"]],
            "paths": .object(paths),
            "components": [
                "schemas": .object(schemas.map { JSONMember($0.key, $0.value) }),
                "headers": headers,
                "securitySchemes": [
                    "bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"],
                    "cookie": ["type": "apiKey", "in": "cookie", "name": "__Host-access"],
                ],
            ],
        ]
    }

    private static let headers: JSONTree = [
        "Location": [
            "description": "Where what was made is.",
            "schema": ["type": "string", "format": "uri-reference"],
        ],
        "RetryAfter": [
            "description": "Seconds to wait before the next try.",
            "schema": ["type": "integer", "minimum": 0],
        ],
        "IdempotencyReplayed": [
            "description": "`true` when the answer is that of an earlier call with the same key.",
            "schema": ["type": "boolean"],
        ],
    ]

    private static func operation(
        _ endpoint: EndpointDescription,
        _ components: inout SchemaComponents
    ) -> JSONTree {
        var operation: JSONTree = [
            "operationId": .string(endpoint.name),
            "summary": .string(endpoint.summary),
        ]
        if !endpoint.description.isEmpty {
            operation = operation.setting("description", .string(endpoint.description))
        }
        operation = operation.setting("tags", [.string(tag(endpoint.path))])
        let parameters = parameters(endpoint, &components)
        if !parameters.isEmpty { operation = operation.setting("parameters", .array(parameters)) }
        if let body = requestBody(endpoint, &components) {
            operation = operation.setting("requestBody", body)
        }
        operation = operation.setting("responses", responses(endpoint, &components))
        let security: JSONTree =
            endpoint.right == .anyone ? [] : [["bearer": []], ["cookie": []]]
        return operation.setting("security", security)
    }

    /// The resource that a path begins with: `accounts` of `/v1/accounts/{id}`.
    private static func tag(_ path: PathTemplate) -> String {
        for case .literal(let part) in path.segments where part != "v1" { return part }
        return "root"
    }

    private static func parameters(
        _ endpoint: EndpointDescription,
        _ components: inout SchemaComponents
    ) -> [JSONTree] {
        var all: [JSONTree] = endpoint.path.parameterNames.map { name in
            let isID = name == "id" || name.hasSuffix("Id")
            return [
                "name": .string(name), "in": "path", "required": true,
                "schema": isID ? ["type": "string", "format": "uuid"] : ["type": "string"],
            ]
        }
        all += endpoint.parameters(&components)
        if endpoint.idempotency != .ignored {
            all.append([
                "name": "Idempotency-Key", "in": "header",
                "required": .bool(endpoint.idempotency == .required),
                "description": .string(
                    "The same key and body replays the first answer. Once a person whom that "
                        + "answer mentions has deleted their account, the replay has the same "
                        + "status, `Location` and `ETag`, and no body."
                ),
                "schema": ["type": "string", "minLength": 1, "maxLength": 255],
            ])
        }
        if endpoint.errors.contains(.preconditionFailed) {
            all.append([
                "name": "If-Match", "in": "header", "required": false,
                "description": "The `ETag` that the change is made on.",
                "schema": ["type": "string"],
            ])
        }
        if endpoint.response == .eventStream {
            all.append([
                "name": "Last-Event-ID", "in": "header", "required": false,
                "description": "Resumes after this event.",
                "schema": ["type": "string", "format": "uuid"],
            ])
        }
        return all
    }

    private static func requestBody(
        _ endpoint: EndpointDescription,
        _ components: inout SchemaComponents
    ) -> JSONTree? {
        switch endpoint.request {
        case .none: return nil
        case .json:
            return [
                "required": true,
                "content": ["application/json": ["schema": endpoint.body(&components)]],
            ]
        case .raw(let types):
            let content = types.map { JSONMember($0, ["schema": bytes(of: $0)]) }
            return ["required": true, "content": .object(content)]
        }
    }

    private static func responses(
        _ endpoint: EndpointDescription,
        _ components: inout SchemaComponents
    ) -> JSONTree {
        var all: [JSONMember] = []
        for status in endpoint.statuses {
            all.append(JSONMember(String(status), success(endpoint, status, &components)))
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
        let view = endpoint.view(&components)
        let content = types.map { type in
            let isView = type == "application/json" || type.hasSuffix("+json")
            return JSONMember(type, ["schema": isView ? view : bytes(of: type)])
        }
        return response.setting("content", .object(content))
    }

    /// A file: text, or bytes as they are, which most generators know by this format.
    private static func bytes(of type: String) -> JSONTree {
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
