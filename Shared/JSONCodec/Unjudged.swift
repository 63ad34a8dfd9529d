/// A body together with what its schema finds wrong, for a service that has more to find: whoever
/// sent it is told of all at once.
///
/// What could not be read of an optional field is absent, a text that must be there is empty; where
/// anything else must be there and is not, it is refused as any body.
public struct Unjudged<Body: JSONObject>: JSONValue {
    /// What was sent, the good and the bad.
    public let body: Body
    /// What the schema finds wrong with it; whoever takes `body` tells these, too.
    public let faults: [FieldError]

    /// What was sent.
    public init(_ body: Body, faults: [FieldError] = []) {
        self.body = body
        self.faults = faults
    }

    /// Reads it, faults and all.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Unjudged? {
        var own = JSONReading(ignoresUnknownFields: reading.ignoresUnknownFields)
        own.takesFaulty = true
        let body = Body.read(source, &own)
        guard let body else {
            for fault in own.errors { reading.fail(fault.code, fault.detail, at: fault.pointer) }
            return nil
        }
        return Unjudged(body, faults: own.errors)
    }

    /// What is read by hand has no faults.
    public static func read(plain json: inout PlainJSON) -> Unjudged? {
        Body.read(plain: &json).map { Unjudged($0) }
    }

    /// Writes the body.
    public func write(to writer: inout JSONWriter) { body.write(to: &writer) }

    /// The body's.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        Body.schema(&components)
    }
}
