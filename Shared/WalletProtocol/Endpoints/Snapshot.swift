/// A page of a snapshot.
public struct SnapshotQuery: QueryObject, Hashable {
    public let cursor: Cursor?
    public let limit: Int

    public init(cursor: Cursor? = nil, limit: Int = 1_000) {
        self.cursor = cursor
        self.limit = limit
    }

    public static let query = QueryFields(
        SnapshotQuery.init,
        QueryField("cursor", \.cursor, about: "Where it begins."),
        QueryField("limit", \.limit, .range(1...1_000), default: 1_000, about: "How many.")
    )
}

/// One thing of a producer as its events would have told it, for read models that begin anew.
///
/// Read all pages, keep for each aggregate the *lowest* sequence seen, and go on with the events
/// above it: those that the snapshot had already are applied again, by identifier.
public struct Snapshot<Value: JSONObject>: JSONObject {
    public let aggregate: String
    public let sequence: Int64
    public let data: Value

    public init(aggregate: String, sequence: Int64, data: Value) {
        self.aggregate = aggregate
        self.sequence = sequence
        self.data = data
    }

    /// The description.
    public static var json: Object<Snapshot, String, Int64, Value> {
        Object(
            { @Sendable in Snapshot(aggregate: $0, sequence: $1, data: $2) },
            Field("aggregate", \.aggregate, about: "The aggregate whose events tell of it."),
            Field("sequence", \.sequence, about: "The aggregate's sequence when it was read."),
            Field("data", \.data, about: "What the event would say.")
        )
    }

    /// Writes by hand what the description says: a generic type cannot keep its description.
    public func write(to writer: inout JSONWriter) {
        writer.append(raw: "{\"aggregate\":".utf8)
        writer.append(aggregate)
        writer.append(raw: ",\"sequence\":".utf8)
        writer.append(sequence)
        writer.append(raw: ",\"data\":".utf8)
        data.write(to: &writer)
        writer.append(byte: UInt8(ascii: "}"))
    }

    /// `SnapshotOf` and the value's name.
    public static var schemaName: String { "SnapshotOf\(Value.schemaName)" }
}
