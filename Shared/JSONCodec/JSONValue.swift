/// A value that can be read from JSON, written to it, and described by a schema.
///
/// Types with fields do not conform by hand: they are `JSONObject`s with one description.
public protocol JSONValue: Sendable {
    /// What rules look at: itself, or what an optional or a patch carries.
    associatedtype Content: Sendable = Self

    /// Reads the value, or notes what is wrong with it and gives nil.
    static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Self?

    /// Reads by hand a value that is plainly written; nil leaves it to `read(_:_:)`.
    ///
    /// For what comes thousands of times a second. Whatever may be wrong is left, so that faults
    /// are told by one reader alone; of what is taken here that one reads the same.
    static func read(plain json: inout PlainJSON) -> Self?

    /// Writes the value.
    func write(to writer: inout JSONWriter)

    /// The JSON Schema (2020-12) of the type; named types go into `components`.
    static func schema(_ components: inout SchemaComponents) -> JSONTree

    /// What a missing field reads as; nil where it must be there.
    static var absent: Self? { get }

    /// What stands in an unjudged body for a field that must be there and could not be read; nil
    /// where nothing can.
    static var unread: Self? { get }

    /// Whether a field of this value is left out when written.
    var isAbsent: Bool { get }

    /// What rules look at, where there is any.
    var content: Content? { get }

    /// The same with another content, where there is any.
    func changingContent(_ change: (Content) -> Content) -> Self
}

extension JSONValue {
    /// Left to `read(_:_:)`.
    public static func read(plain json: inout PlainJSON) -> Self? { nil }
    /// Must be there.
    public static var absent: Self? { nil }
    /// Nothing can stand for it.
    public static var unread: Self? { nil }
    /// Is written.
    public var isAbsent: Bool { false }
    /// Itself: a value that is not its own content has to say how it changes.
    public func changingContent(_ change: (Content) -> Content) -> Self { self }
}

extension JSONValue where Content == Self {
    /// Itself.
    public var content: Self? { self }
    /// The changed value.
    public func changingContent(_ change: (Self) -> Self) -> Self { change(self) }
}

/// What happened while reading: every bad field, with a pointer (RFC 6901) to each.
public struct JSONReading: Sendable {
    /// What is wrong so far, as far as it is told.
    public private(set) var errors: [FieldError] = []
    /// How much is wrong so far, told or not: whether a value was read is judged by this alone.
    @usableFromInline package private(set) var failures = 0
    /// Whether unknown fields are passed over, as consumers of events and callers do.
    public let ignoresUnknownFields: Bool
    /// Whether an object is made of what there is, in spite of what is wrong: see `Unjudged`.
    @usableFromInline var takesFaulty = false

    /// More bad fields than these are not told.
    public static let errorsMax = 200

    /// A reading that has not begun.
    public init(ignoresUnknownFields: Bool = false) {
        self.ignoresUnknownFields = ignoresUnknownFields
    }

    /// Notes that the value being read is wrong.
    public mutating func fail(_ code: FieldCode, _ detail: String, at pointer: String = "") {
        failures += 1
        guard errors.count < JSONReading.errorsMax else { return }
        errors.append(FieldError(pointer: pointer, code: code, detail: detail))
    }

    /// Puts a step before the pointers of everything told since there were so many failures.
    mutating func prefix(since failures: Int, _ step: String) {
        // The first failures are those that are told, so their number is a place among them.
        for index in errors.indices.dropFirst(failures) { errors[index].prefix(step) }
    }

    /// A value that a reader neither gave nor refused, which is a fault of that reader: noted, so
    /// that it ends the reading and not the process.
    @usableFromInline package mutating func present<Part>(
        _ value: Part?
    ) throws(UnreadValue) -> Part {
        if let value { return value }
        fail(.invalidValue, "cannot be read")
        throw UnreadValue()
    }
}

/// There is no value to make another one of.
@usableFromInline package struct UnreadValue: Error {
    @usableFromInline init() {}
}

/// Reading and writing whole texts.
public enum JSON {
    /// Reads a value.
    public static func value<Value: JSONValue>(
        _ type: Value.Type = Value.self,
        of bytes: [UInt8],
        ignoringUnknownFields: Bool = false
    ) throws(JSONFault) -> Value {
        var plain = PlainJSON(bytes)
        if let value = plain.whole(Value.self) { return value }
        let document: JSONDocument
        do throws(MalformedJSON) {
            document = try JSONDocument(bytes)
        } catch {
            throw .malformed(error)
        }
        var reading = JSONReading(ignoresUnknownFields: ignoringUnknownFields)
        let value = Value.read(document.root, &reading)
        guard let value, reading.errors.isEmpty else { throw .invalid(reading.errors) }
        return value
    }

    /// Writes a value; the same value always gives the same bytes.
    public static func write(_ value: some JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        value.write(to: &writer)
        return writer.bytes
    }

    /// Writes a value as text.
    public static func text(_ value: some JSONValue) -> String {
        String(decoding: write(value), as: UTF8.self)
    }
}

/// Why bytes are no value of a type.
public enum JSONFault: Error, Hashable, Sendable {
    /// They are not JSON.
    case malformed(MalformedJSON)
    /// They are JSON of another shape: every bad field.
    case invalid([FieldError])
}
