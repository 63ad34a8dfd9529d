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

extension ID: JSONValue, TextValue {
    /// The identifier in these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> ID? { ID(text) }
    /// 36 characters.
    public func appendText(to writer: inout JSONWriter) {
        writer.appendUUID(high: high, low: low)
    }
    /// A UUID.
    public static var expectation: String { "a UUID" }
    /// `invalid-id`.
    public static var fault: FieldCode { .invalidID }
    /// A string of format uuid.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "format": "uuid"]
    }
}

extension Day: JSONValue, TextValue {
    /// The day in these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> Day? { Day(text) }
    /// `YYYY-MM-DD`.
    public func appendText(to writer: inout JSONWriter) { writer.appendDay(self) }
    /// A day.
    public static var expectation: String { "a day, YYYY-MM-DD" }
    /// `invalid-day`.
    public static var fault: FieldCode { .invalidDay }
    /// A string of format date.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "format": "date"]
    }
}

extension Month: JSONValue, TextValue {
    /// The month in these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> Month? {
        Month(String(decoding: text, as: UTF8.self))
    }
    /// `YYYY-MM`.
    public func appendText(to writer: inout JSONWriter) { writer.append(raw: text.utf8) }
    /// A month.
    public static var expectation: String { "a month, YYYY-MM" }
    /// `invalid-month`.
    public static var fault: FieldCode { .invalidMonth }
    /// A string.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$"]
    }
}

extension Instant: JSONValue, TextValue {
    /// The instant in these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> Instant? { Instant(text) }
    /// RFC 3339.
    public func appendText(to writer: inout JSONWriter) { writer.appendInstant(self) }
    /// An instant.
    public static var expectation: String { "an instant of RFC 3339" }
    /// `invalid-instant`.
    public static var fault: FieldCode { .invalidInstant }
    /// A string of format date-time.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "format": "date-time"]
    }
}

extension Currency: JSONValue, TextValue {
    /// The currency in these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> Currency? {
        guard text.count == 3 else { return nil }
        return Currency(letters: text.reduce(0) { $0 << 8 | UInt32($1) })
    }
    /// The code.
    public func appendText(to writer: inout JSONWriter) {
        writer.append(byte: letter(24))
        writer.append(byte: letter(16))
        writer.append(byte: letter(8))
    }
    /// A code.
    public static var expectation: String { "a currency code of ISO 4217" }
    /// `unknown-currency`.
    public static var fault: FieldCode { .unknownCurrency }
    /// A string of three capitals.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "pattern": "^[A-Z]{3}$", "examples": ["EUR"]]
    }
}

extension ExactDecimal: JSONValue, TextValue {
    /// The number in these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> ExactDecimal? {
        ExactDecimal(String(decoding: text, as: UTF8.self))
    }
    /// The decimal string.
    public func appendText(to writer: inout JSONWriter) {
        writer.appendAmount(coefficient, exponent: scale)
    }
    /// A decimal.
    public static var expectation: String { "a decimal number as a string" }
    /// `invalid-decimal`.
    public static var fault: FieldCode { .invalidDecimal }
    /// A string.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "pattern": #"^-?(0|[1-9][0-9]*)(\.[0-9]{1,12})?$"#]
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
