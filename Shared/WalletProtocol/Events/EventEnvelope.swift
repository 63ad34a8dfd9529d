/// What an event says, by its type.
public protocol EventBody: JSONObject {
    /// The CloudEvents type; what changes its meaning gets another version.
    static var eventType: String { get }
    /// The body in a text exactly as its writers write it, read without judging it; nil: read it by
    /// the description.
    static func plain(_ bytes: [UInt8]) -> Self?
}

extension EventBody {
    /// Read by the description.
    public static func plain(_ bytes: [UInt8]) -> Self? { nil }
}

/// An event on its way: CloudEvents 1.0, structured JSON, with the extensions of this suite.
///
/// `data` stays as it was written until a consumer asks for the type that it knows; consumers pass
/// over fields that they do not know. Each event carries the sequence of one aggregate.
public struct EventEnvelope: JSONObject, Hashable {
    public let specificationVersion: String
    public let id: ID<Event>
    public let source: String
    public let type: String
    public let subject: String?
    public let time: Instant
    public let dataContentType: String
    public let data: RawJSON
    public let traceParent: String?
    public let aggregate: String
    public let sequence: Int64

    /// The largest event in bytes: what is larger goes in chunks.
    public static let sizeMax = 256 * 1_024

    /// The media type of it.
    public static let mediaType = "application/cloudevents+json"

    /// The envelope of an event.
    public init(
        id: ID<Event>,
        source: ServiceName,
        subject: String? = nil,
        time: Instant,
        aggregate: String,
        sequence: Int64,
        traceParent: String? = nil,
        body: some EventBody
    ) {
        self.init(
            version: "1.0",
            id: id,
            source: "/ezwallet/\(source.rawValue)",
            type: Swift.type(of: body).eventType,
            subject: subject,
            time: time,
            contentType: "application/json",
            data: RawJSON(body),
            traceParent: traceParent,
            aggregate: aggregate,
            sequence: sequence
        )
    }

    /// The envelope around a body that has been written already, as an outbox keeps it: `RawJSON`.
    public init(
        id: ID<Event>,
        source: ServiceName,
        type: String,
        subject: String? = nil,
        time: Instant,
        aggregate: String,
        sequence: Int64,
        traceParent: String? = nil,
        data: some JSONValue
    ) {
        self.init(
            version: "1.0",
            id: id,
            source: "/ezwallet/\(source.rawValue)",
            type: type,
            subject: subject,
            time: time,
            contentType: "application/json",
            data: RawJSON(data),
            traceParent: traceParent,
            aggregate: aggregate,
            sequence: sequence
        )
    }

    init(
        version: String,
        id: ID<Event>,
        source: String,
        type: String,
        subject: String?,
        time: Instant,
        contentType: String,
        data: RawJSON,
        traceParent: String?,
        aggregate: String,
        sequence: Int64
    ) {
        specificationVersion = version
        self.id = id
        self.source = source
        self.type = type
        self.subject = subject
        self.time = time
        dataContentType = contentType
        self.data = data
        self.traceParent = traceParent
        self.aggregate = aggregate
        self.sequence = sequence
    }

    /// What the event says, as a type that the consumer knows; unknown fields are passed over.
    /// - Throws: 422 `invalid-body`, for an event of another shape.
    public func body<Body: EventBody>(as type: Body.Type = Body.self) throws(APIError) -> Body {
        if let plain = Body.plain(data.bytes) { return plain }
        do throws(APIError) {
            return try JSON.read(Body.self, from: data.bytes, ignoringUnknownFields: true)
        } catch {
            guard error.code == .malformedJSON else { throw error }
            let strict = try strictData()
            guard strict != data.bytes else { throw error }
            return try JSON.read(Body.self, from: strict, ignoringUnknownFields: true)
        }
    }

    /// The text of `data` where the envelope, read by hand, has more fields after it.
    private func strictData() throws(APIError) -> [UInt8] {
        let whole = Array(#"{"data":"#.utf8) + data.bytes + [UInt8(ascii: "}")]
        let rest = try JSON.read(Rest.self, from: whole, ignoringUnknownFields: true)
        return rest.data.bytes
    }
    private struct Rest: JSONObject {
        let data: RawJSON
        static let json = Object(Rest.init(data:), Field("data", \.data, about: "What happened."))
    }

    /// Reads an envelope, passing over what it does not know.
    /// - Throws: 400 `malformed-json`, 422 `invalid-body`.
    public static func read(_ bytes: [UInt8]) throws(APIError) -> EventEnvelope {
        if let plain = plain(bytes) { return plain }
        return try JSON.read(EventEnvelope.self, from: bytes, ignoringUnknownFields: true)
    }

    public static let json = Object(
        {
            @Sendable in
            EventEnvelope(
                version: $0,
                id: $1,
                source: $2,
                type: $3,
                subject: $4,
                time: $5,
                contentType: $6,
                data: $7,
                traceParent: $8,
                aggregate: $9,
                sequence: $10
            )
        },
        Field("specversion", \.specificationVersion, about: "The version of CloudEvents: `1.0`."),
        Field("id", \.id, about: "The event's name, for whoever sees it twice."),
        Field("source", \.source, about: "The service that tells."),
        Field("type", \.type, about: "What kind of event it is."),
        Field("subject", \.subject, about: "What it is about, where that is one thing."),
        Field("time", \.time, about: "When it happened."),
        Field("datacontenttype", \.dataContentType, about: "`application/json`."),
        Field("data", \.data, about: "What happened."),
        Field(
            "traceparent",
            \.traceParent,
            about: "The W3C trace context of the request that made it."
        ),
        Field("aggregate", \.aggregate, about: "The thing whose events these are, in order."),
        Field(
            "sequence",
            \.sequence,
            .range(1...Int64.max),
            about: "The event's place among those of its aggregate, from 1 without gaps."
        )
    )
}
