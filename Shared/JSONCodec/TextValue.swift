/// A value with a text form without quotes: in JSON a string, in a query or path as it is.
public protocol TextValue: JSONValue {
    /// The value written so; nil when it is none.
    static func parse(_ text: ArraySlice<UInt8>) -> Self?
    /// Writes the text, which needs no escapes in JSON.
    func appendText(to writer: inout JSONWriter)
    /// What a wrong text is told it should have been, after «must be».
    static var expectation: String { get }
    /// The code of a wrong text.
    static var fault: FieldCode { get }
}

extension TextValue {
    /// Reads a string of the form.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Self? {
        guard let bytes = source.stringBytes else {
            reading.fail(.wrongType, "must be a string")
            return nil
        }
        guard let value = parse(bytes) else {
            reading.fail(fault, "must be \(expectation)")
            return nil
        }
        return value
    }

    /// Writes the text between quotes.
    public func write(to writer: inout JSONWriter) {
        writer.quoted { self.appendText(to: &$0) }
    }

    /// The text.
    public var queryText: String {
        var writer = JSONWriter()
        appendText(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// A closed set of words.
///
/// Conform an enum: `enum Kind: String, StringEnum { case wallet, current }`.
public protocol StringEnum: QueryValue, TextValue, CaseIterable, RawRepresentable, Hashable
where RawValue == String {}

extension StringEnum {
    /// The case of this word.
    public static func parse(_ text: ArraySlice<UInt8>) -> Self? {
        Self(rawValue: String(decoding: text, as: UTF8.self))
    }
    /// The word.
    public func appendText(to writer: inout JSONWriter) { writer.append(raw: rawValue.utf8) }
    /// The word as a string: a tabulator may be one.
    public func write(to writer: inout JSONWriter) { writer.append(rawValue) }
    /// The words.
    public static var expectation: String {
        "one of " + allCases.map(\.rawValue).joined(separator: ", ")
    }
    /// `unknown-value`.
    public static var fault: FieldCode { .unknownValue }
    /// A string among these.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "enum": .array(allCases.map { .string($0.rawValue) })]
    }
}
