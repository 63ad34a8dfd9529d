/// A refusal: what an endpoint throws, and what becomes a problem (RFC 9457) in one place.
public struct APIError: Error, Hashable, Sendable {
    /// What happened; it brings the status and the title.
    public var code: ErrorCode
    /// What happened this time, for people.
    public var detail: String?
    /// Every bad field.
    public var errors: [FieldError]
    /// When to try again, for 429 and 503.
    public var retryAfterSeconds: Int?
    /// Members of this code, such as `resendsLeft`.
    public var members: [JSONMember]
    /// The reason in one word, for the server's own log; the answer never has it.
    public var cause: String?

    /// A refusal.
    public init(
        _ code: ErrorCode,
        _ detail: String? = nil,
        errors: [FieldError] = [],
        retryAfterSeconds: Int? = nil,
        members: [JSONMember] = []
    ) {
        self.code = code
        self.detail = detail
        self.errors = errors
        self.retryAfterSeconds = retryAfterSeconds
        self.members = members
    }

    /// The same refusal with a reason for the server's own log.
    public func caused(by cause: String) -> APIError {
        var error = self
        error.cause = cause
        return error
    }

    /// 422 `invalid-body` for one field.
    public static func field(
        _ pointer: String,
        _ code: FieldCode,
        _ detail: String
    ) -> APIError {
        APIError(
            .invalidBody,
            errors: [FieldError(pointer: pointer, code: code, detail: detail)]
        )
    }

    /// 400 `invalid-query` for one parameter.
    public static func query(_ name: String, _ code: FieldCode, _ detail: String) -> APIError {
        APIError(
            .invalidQuery,
            errors: [FieldError(pointer: "query:\(name)", code: code, detail: detail)]
        )
    }

    /// 404: absent or not yours.
    public static var notFound: APIError { APIError(.notFound) }

    /// 400 `malformed-json`.
    public init(_ malformed: MalformedJSON) {
        self.init(
            .malformedJSON,
            "\(malformed.reason.rawValue) at byte \(malformed.offset)"
        )
    }
}

/// A problem details object (RFC 9457), the body of every refusal.
public struct Problem: Hashable, Sendable {
    /// What happened.
    public var code: String
    /// The HTTP status.
    public var status: Int
    /// The code in words.
    public var title: String
    /// What happened this time, or what mostly helps: a sentence that says what to do.
    public var detail: String?
    /// The trace to ask the operators about.
    public var traceID: String?
    /// Every bad field.
    public var errors: [FieldError]
    /// Members of this code.
    public var members: [JSONMember]

    /// The media type of it.
    public static let mediaType = "application/problem+json"

    /// The problem of a refusal.
    public init(_ error: APIError, traceID: String? = nil) {
        code = error.code.text
        status = error.code.status
        title = error.code.title
        detail = error.detail ?? error.code.advice(hasFields: !error.errors.isEmpty)
        self.traceID = traceID
        errors = error.errors
        members = error.members
    }
}

extension Problem: JSONValue {
    private static let names: Set<String> = [
        "type", "title", "status", "detail", "code", "traceId", "errors",
    ]

    /// Reads a problem as callers of other services do: extension members are kept.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Problem? {
        guard let tree = JSONTree.read(source, &reading), case .object(let members) = tree,
            case .string(let code)? = tree["code"], case .integer(let status)? = tree["status"]
        else {
            reading.fail(.wrongType, "must be a problem with code and status")
            return nil
        }
        var problem = Problem(APIError(ErrorCode(code, Int(status), "")))
        if case .string(let title)? = tree["title"] { problem.title = title }
        if case .string(let detail)? = tree["detail"] { problem.detail = detail }
        if case .string(let trace)? = tree["traceId"] { problem.traceID = trace }
        problem.members = members.filter { !names.contains($0.name) }
        if let errors = source.members?.first(where: { $0.name == "errors" })?.value {
            problem.errors = [FieldError].read(errors, &reading) ?? []
        }
        return problem
    }

    /// Writes the members of RFC 9457 and those of the code.
    public func write(to writer: inout JSONWriter) {
        var members: [JSONMember] = [
            JSONMember("type", .string("urn:ezwallet:problem:\(code)")),
            JSONMember("title", .string(title)),
            JSONMember("status", .integer(Int64(status))),
        ]
        if let detail { members.append(JSONMember("detail", .string(detail))) }
        members.append(JSONMember("code", .string(code)))
        if let traceID { members.append(JSONMember("traceId", .string(traceID))) }
        if !errors.isEmpty, let tree = JSONTree(written: errors) {
            members.append(JSONMember("errors", tree))
        }
        JSONTree.object(members + self.members).write(to: &writer)
    }

    /// A reference to the schema of problems.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        components.reference("Problem", to: Problem.self) { components in
            [
                "type": "object",
                "description": "Problem details (RFC 9457); some codes bring members of their own.",
                "properties": [
                    "type": explained(
                        ["type": "string", "format": "uri"],
                        "`urn:ezwallet:problem:` and the code."
                    ),
                    "title": explained(["type": "string"], "The code in words."),
                    "status": explained(
                        ["type": "integer", "minimum": 400, "maximum": 599],
                        "The HTTP status, once more."
                    ),
                    "detail": explained(["type": "string"], "What went wrong this time."),
                    "code": explained(
                        FieldCode.schema(&components),
                        "For machines: kebab-case, and never another meaning."
                    ),
                    "traceId": explained(
                        ["type": "string"],
                        "What to find the request in the logs by."
                    ),
                    "errors": explained(
                        [FieldError].schema(&components),
                        "All fields that are at fault, each by its pointer."
                    ),
                ],
                "required": ["type", "title", "status", "detail", "code", "traceId"],
            ]
        }
    }

    private static func explained(_ schema: JSONTree, _ about: String) -> JSONTree {
        schema.setting("description", .string(about))
    }
}
