/// An endpoint without its types: for catalogues, route tables and documents.
public struct EndpointDescription: Sendable {
    /// The name.
    public let name: String
    /// The HTTP method.
    public let method: Method
    /// The path with its parameters.
    public let path: PathTemplate
    /// Method and path template, as lines of the log name it: `POST /v1/transfers`.
    public let label: String
    /// The service that owns it.
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
    /// The statuses of success.
    public let statuses: [Int]
    /// The codes of its own.
    public let errors: [ErrorCode]
    /// Whether each success has an `ETag`.
    public let isTagged: Bool
    /// Who may keep its answers.
    public let caching: Caching
    /// Whether it answers secrets.
    public let answersSecrets: Bool
    /// One line.
    public let summary: String
    /// The rules.
    public let description: String

    /// What it reads and answers with, for who holds all of them to something.
    let types: (query: any QueryObject.Type, body: any JSONValue.Type, view: any JSONValue.Type)
    let parameters: @Sendable (inout SchemaComponents) -> [JSONTree]
    let body: @Sendable (inout SchemaComponents) -> JSONTree
    let view: @Sendable (inout SchemaComponents) -> JSONTree

    /// What an endpoint says of itself.
    public init<Query, Body, View>(_ endpoint: Endpoint<Query, Body, View>) {
        name = endpoint.name
        method = endpoint.method
        path = endpoint.path
        label = "\(endpoint.method.rawValue) \(endpoint.path.text)"
        service = endpoint.service
        right = endpoint.right
        idempotency = endpoint.idempotency
        bodyLimit = endpoint.bodyLimit
        request = endpoint.request
        response = endpoint.response
        statuses = endpoint.statuses
        errors = endpoint.errors
        isTagged = endpoint.isTagged
        caching = endpoint.caching
        answersSecrets = endpoint.answersSecrets
        summary = endpoint.summary
        description = endpoint.description
        types = (Query.self, Body.self, View.self)
        parameters = { Query.query.parameters(&$0) }
        body = { Body.schema(&$0) }
        view = { View.schema(&$0) }
    }
}

extension Endpoint {
    /// The endpoint without its types.
    public var erased: EndpointDescription { EndpointDescription(self) }
}
