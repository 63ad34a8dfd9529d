/// The OpenAPI 3.1 document of a list of endpoints: what is registered, and nothing else.
public enum OpenAPI {
    /// The document.
    ///
    /// Internal endpoints are left out; order follows the list.
    /// - Parameter examples: an example of each operation, by the operation's name.
    public static func document(
        title: String,
        version: String,
        endpoints: [EndpointDescription],
        examples: [String: OperationExample] = [:]
    ) -> JSONTree {
        var components = SchemaComponents()
        _ = Money.schema(&components)
        var paths: [JSONMember] = []
        for endpoint in endpoints where !endpoint.right.isInternal {
            let operation = operation(endpoint, examples[endpoint.name], &components)
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
            "info": [
                "title": .string(title), "version": .string(version),
                "description": .string(introduction),
            ],
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
        "ETag": [
            "description": "The version of the resource, for `If-Match`.",
            "schema": ["type": "string"],
        ],
        "IdempotencyReplayed": [
            "description": "`true` when the answer is that of an earlier call with the same key.",
            "schema": ["type": "boolean"],
        ],
    ]

    private static func operation(
        _ endpoint: EndpointDescription,
        _ example: OperationExample?,
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
        if let body = requestBody(endpoint, example?.request, &components) {
            operation = operation.setting("requestBody", body)
        }
        operation = operation.setting("responses", responses(endpoint, example, &components))
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
        _ example: JSONTree?,
        _ components: inout SchemaComponents
    ) -> JSONTree? {
        switch endpoint.request {
        case .none: return nil
        case .json:
            var content: JSONTree = ["schema": endpoint.body(&components)]
            if let example { content = content.setting("example", example) }
            return ["required": true, "content": ["application/json": content]]
        case .raw(let types):
            let content = types.map { JSONMember($0, ["schema": bytes(of: $0)]) }
            return ["required": true, "content": .object(content)]
        }
    }
}
