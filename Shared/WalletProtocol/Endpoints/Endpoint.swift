/// One call of the API as a value: from it come the server's route, the typed client and the
/// OpenAPI document.
public struct Endpoint<Query: QueryObject, Body: JSONValue, View: JSONValue>: Sendable {
    /// The name in documents, metrics and logs: `postTransfer`.
    public let name: String
    /// The HTTP method.
    public let method: Method
    /// The path with its parameters.
    public let path: PathTemplate
    /// The service that owns it, for the gateway's route table.
    public let service: ServiceName
    /// Who may call it.
    public let right: Right
    /// Whether it takes an `Idempotency-Key`.
    public let idempotency: Idempotency
    /// The largest body in bytes.
    public let bodyLimit: Int
    /// What it takes.
    public let request: RequestKind
    /// What it answers with.
    public let response: ResponseKind
    /// The statuses of success, the usual one first.
    public let statuses: [Int]
    /// The codes of its own; those that every call can answer are added in the document.
    public let errors: [ErrorCode]
    /// Whether each success has the version of the resource as its `ETag`.
    public let isTagged: Bool
    /// Who may keep its answers.
    public let caching: Caching
    /// Whether it answers tokens or other secrets, which are never kept for a replay.
    public let answersSecrets: Bool
    /// One line for the document.
    public let summary: String
    /// The rules for the document.
    public let description: String

    /// A call.
    ///
    /// What is left out follows from the types and the method: `NoBody` takes none, `NoView`
    /// answers 204, a POST accepts an `Idempotency-Key` unless it answers secrets.
    public init(
        _ name: String,
        _ method: Method,
        _ path: PathTemplate,
        of service: ServiceName,
        for right: Right,
        idempotency: Idempotency? = nil,
        bodyLimit: Int = 64 * 1_024,
        request: RequestKind? = nil,
        response: ResponseKind? = nil,
        statuses: [Int]? = nil,
        errors: [ErrorCode] = [],
        isTagged: Bool = false,
        caching: Caching = .none,
        answersSecrets: Bool = false,
        summary: String,
        description: String = ""
    ) {
        self.name = name
        self.method = method
        self.path = path
        self.service = service
        self.right = right
        self.idempotency =
            idempotency ?? (method == .post && !answersSecrets ? .accepted : .ignored)
        self.bodyLimit = bodyLimit
        self.request = request ?? (Body.self == NoBody.self ? .none : .json)
        self.response = response ?? (View.self == NoView.self ? .none : .json)
        self.statuses = statuses ?? [View.self == NoView.self ? 204 : 200]
        self.errors = errors
        self.isTagged = isTagged
        self.caching = caching
        self.answersSecrets = answersSecrets
        self.summary = summary
        self.description = description
    }
}

/// The methods of the API.
public enum Method: String, Sendable, Hashable, CaseIterable {
    /// Reads; changes nothing that a user can see.
    case get = "GET"
    /// Makes or does something.
    case post = "POST"
    /// Puts a whole thing in its place.
    case put = "PUT"
    /// Changes what is named.
    case patch = "PATCH"
    /// Takes away.
    case delete = "DELETE"
}

/// The executables that own endpoints.
public enum ServiceName: String, StringEnum {
    /// Identity, routing and limits; owns none but the document's.
    case gateway
    /// Users, sessions, codes.
    case auth
    /// Accounts, transactions, transfers.
    case ledger
    /// Shared expenses.
    case groups
    /// Reports and insights.
    case analytics
    /// Mails, SMS, the feed.
    case notifications
}

/// Who may call an endpoint.
public enum Right: Hashable, Sendable {
    /// Whoever asks.
    case anyone
    /// Somebody signed in who has things of their own.
    case user
    /// Somebody signed in, whatever their roles: what concerns their own sign-in alone.
    case signedIn
    /// Somebody signed in with this role.
    case role(Role)
    /// Another service with its token, on the internal listener alone.
    case internalService
    /// Another service that acts for somebody signed in who has things of their own.
    case internalUser
    /// Whoever asks on the internal listener, where a service's token is had.
    case internalAnyone

    /// Whether it answers on the internal listener alone.
    public var isInternal: Bool {
        switch self {
        case .internalService, .internalUser, .internalAnyone: true
        case .anyone, .user, .signedIn, .role: false
        }
    }
}

/// What a user may be.
public enum Role: String, StringEnum {
    /// Has things of their own.
    case user
    /// Administers users, and sees nobody's money.
    case admin
    /// Sees insights.
    case coo
}

/// What an endpoint does with an `Idempotency-Key`.
public enum Idempotency: Sendable, Hashable {
    /// 400 without one.
    case required
    /// Honours it.
    case accepted
    /// Passes it over.
    case ignored
}

/// What an endpoint takes.
public enum RequestKind: Sendable, Hashable {
    /// No body.
    case none
    /// `application/json`.
    case json
    /// The body as it is, of these media types.
    case raw([String])
}

/// Who may keep an endpoint's answers (RFC 9111).
public enum Caching: Sendable, Hashable {
    /// No browser and no proxy.
    case none
    /// The person's own browser, which asks each time whether the answer is still valid.
    case revalidated
    /// Everybody, for so many seconds.
    case everybody(seconds: Int)

    /// `Cache-Control`.
    public var directive: String {
        switch self {
        case .none: "no-store"
        case .revalidated: "private, no-cache"
        case .everybody(let seconds): "public, max-age=\(seconds)"
        }
    }
}

/// What an endpoint answers with.
public enum ResponseKind: Sendable, Hashable {
    /// No body.
    case none
    /// `application/json`.
    case json
    /// JSON under a media type of its own (RFC 6839, 3.1), or by the query one of these others.
    case jsonAs(String, or: [String] = [])
    /// `application/json`, or by the query one of these media types.
    case jsonOr([String])
    /// Bytes of one of these media types.
    case file([String])
    /// `text/event-stream`, one `View` in each event's data.
    case eventStream
}

/// Takes no body.
public struct NoBody: JSONValue, Hashable {
    /// Nothing.
    public init() {}
    /// Nothing is read.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> NoBody? {
        reading.fail(.unknownField, "this call takes no body")
        return nil
    }
    /// Nothing is written.
    public func write(to writer: inout JSONWriter) {}
    /// Nothing is described.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree { false }
}

/// Answers no body.
public struct NoView: JSONValue, Hashable {
    /// Nothing.
    public init() {}
    /// Nothing is read.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> NoView? {
        NoView()
    }
    /// Nothing is written.
    public func write(to writer: inout JSONWriter) {}
    /// Nothing is described.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree { false }
}
