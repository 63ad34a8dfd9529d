public import HTTP
public import WalletProtocol

/// One endpoint's work: parse, one effect, render.
///
/// Everything else is a layer around it.
public protocol Handler {
    /// The query's type.
    associatedtype Query: QueryObject
    /// The body's type.
    associatedtype Body: JSONValue
    /// The answer's type.
    associatedtype View: JSONValue

    /// Path, right, types and errors.
    static var endpoint: Endpoint<Query, Body, View> { get }

    /// Answers a request that has been read and whose caller has the right.
    func handle(
        _ request: Request<Query, Body>,
        as caller: Caller
    ) async throws -> Response<View>
}

/// A request as a handler sees it: read, checked, typed.
public struct Request<Query: QueryObject, Body: JSONValue> {
    /// The query.
    public let query: Query
    /// The body.
    public let body: Body
    /// The path's parameters.
    public let path: PathParameters
    /// The key under which the effect is done at most once, where the caller sent one.
    public let idempotency: IdempotencyScope?
    /// The request as it came: headers, and the body where the endpoint takes it raw.
    public let http: HTTPRequest
    /// Method and path template.
    public let route: String
    /// The client's own address, by the gateway's word.
    public let clientAddress: String

    /// The versions that `If-Match` names; nil where there is none or any will do.
    public var ifMatch: EntityTags? { EntityTags(http.head.texts(.ifMatch)) }
}

/// Which effect a key names: caller, method and path, and what was asked.
public struct IdempotencyScope: Sendable, Hashable {
    /// The key as the caller sent it.
    public let key: String
    /// Caller, method and path as one text.
    public let scope: String
    /// SHA-256 of the canonical body and query: the same key with another one is refused.
    public let requestHash: [UInt8]

    /// The same whatever was asked: of a key, one is under way at a time.
    public var named: IdempotencyScope {
        IdempotencyScope(key: key, scope: scope, requestHash: [])
    }

    /// A part of what was asked under the key: no caller can name it, for keys are printable.
    public func part(_ number: Int) -> IdempotencyScope {
        IdempotencyScope(key: "\(key)\u{1}\(number)", scope: scope, requestHash: requestHash)
    }

    /// The same for a body that the handler reads itself: its digest counts, too.
    public func including(_ bodyDigest: [UInt8]) -> IdempotencyScope {
        IdempotencyScope(key: key, scope: scope, requestHash: requestHash + bodyDigest)
    }
}

/// What a handler answers.
public struct Response<View: JSONValue> {
    enum Content {
        case none
        case view(View)
        /// A view that was written before.
        case written([UInt8])
        case bytes([UInt8], type: String)
        case stream(type: String, length: Int?, (BodyWriter) async throws -> Void)
    }
    /// The status.
    public var status: Int
    var content: Content
    /// Further fields.
    public var headers = HeaderBlock()
    private(set) var location: String?
    private(set) var version: String?
    /// Whom a written view mentions: identifiers, and folded addresses.
    private(set) var people: Set<String> = []

    private init(_ status: Int, _ content: Content) {
        self.status = status
        self.content = content
    }

    /// What was answered before to the same call.
    init(repeating status: Int, _ body: [UInt8]?, at location: String?, _ version: String?) {
        self.init(status, body.map { .written($0) } ?? .none)
        if let location { place(at: location) }
        if let version { self = tagged(version) }
        self = replayed()
    }

    /// The same with its view written: whoever keeps it and sends it writes it once.
    var written: Response {
        guard case .view(let view) = content else { return self }
        var response = self
        var writer = JSONWriter(notesPeople: true)
        view.write(to: &writer)
        response.content = .written(writer.bytes)
        response.people.formUnion(writer.people ?? [])
        return response
    }

    /// Says whom the view mentions without their identifier, so that an erasure finds what is
    /// stored of it; identifiers in the view are found by themselves.
    public func naming(_ users: [ID<User>], email: String? = nil) -> Response {
        var copy = self
        copy.people.formUnion(users.map(\.text))
        if let email { copy.people.insert(EmailAddress.folded(email)) }
        return copy
    }

    private mutating func place(at location: String) {
        self.location = location
        headers.append(.location, location)
    }

    /// 200 with the resource.
    public static func ok(_ view: View) -> Response { Response(200, .view(view)) }

    /// 201 with the resource and where it is.
    public static func created(_ view: View, at location: String) -> Response {
        var response = Response(201, .view(view))
        response.place(at: location)
        return response
    }

    /// 201 with an answer that is no resource of its own (a session's tokens).
    public static func created(_ view: View) -> Response { Response(201, .view(view)) }

    /// 202 with what is known so far.
    public static func accepted(_ view: View, at location: String? = nil) -> Response {
        var response = Response(202, .view(view))
        if let location { response.place(at: location) }
        return response
    }

    /// 303 to another address, which is read by GET.
    public static func seeOther(_ location: String) -> Response {
        var response = Response(303, .none)
        response.headers.append(.location, location)
        return response
    }

    /// 204.
    public static var noContent: Response { Response(204, .none) }

    /// 200 with bytes of another media type.
    public static func file(_ bytes: [UInt8], type: String) -> Response {
        Response(200, .bytes(bytes, type: type))
    }

    /// 200 with a body written piece by piece, such as an event stream.
    public static func stream(
        type: String,
        _ write: @escaping (BodyWriter) async throws -> Void
    ) -> Response {
        Response(200, .stream(type: type, length: nil, write))
    }

    /// 200 with a body of a known length written piece by piece; who may keep it is the caller's to
    /// say.
    public static func stream(
        type: String,
        length: Int,
        _ write: @escaping (BodyWriter) async throws -> Void
    ) -> Response {
        Response(200, .stream(type: type, length: length, write))
    }

    /// With the resource's version as its `ETag`.
    public func tagged(_ version: String) -> Response {
        var copy = self
        copy.version = version
        copy.headers.append(.etag, "\"\(version)\"")
        return copy
    }

    /// With another view in place of the one there is; an answer that is repeated stays as it was.
    public func showing(_ change: (View) async throws -> View) async rethrows -> Response {
        guard case .view(let view) = content else { return self }
        var copy = self
        copy.content = .view(try await change(view))
        return copy
    }

    /// Marked as the repetition of an earlier answer, where it is one.
    public func replayed(_ isReplay: Bool = true) -> Response {
        guard isReplay else { return self }
        var copy = self
        copy.headers.append(.idempotencyReplayed, "true")
        return copy
    }
}
