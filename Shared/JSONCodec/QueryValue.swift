/// A type that a query parameter can have: a text value, an optional or an array of them.
public protocol QueryValue: JSONValue {
    /// Reads the texts given under one name; the first that is wrong is noted without a pointer.
    static func read(texts: [String], _ reading: inout JSONReading) -> Self?
    /// The texts that read back as it.
    var texts: [String] { get }
    /// Whether the name may be repeated.
    static var isRepeatable: Bool { get }
}

extension QueryValue {
    /// Once.
    public static var isRepeatable: Bool { false }
}

extension QueryValue where Self: TextValue {
    /// The one text.
    public static func read(texts: [String], _ reading: inout JSONReading) -> Self? {
        guard let text = texts.first, let value = parse(Array(text.utf8)[...]) else {
            reading.fail(fault, "must be \(expectation)")
            return nil
        }
        return value
    }
    /// The one text.
    public var texts: [String] { [queryText] }
}

extension Optional: QueryValue where Wrapped: QueryValue {
    /// The one text.
    public static func read(texts: [String], _ reading: inout JSONReading) -> Wrapped?? {
        Wrapped.read(texts: texts, &reading).map { .some($0) }
    }
    /// The text, if any.
    public var texts: [String] { self?.texts ?? [] }
}

extension Array: QueryValue where Element: QueryValue {
    /// Every text.
    public static func read(texts: [String], _ reading: inout JSONReading) -> [Element]? {
        var values: [Element] = []
        for text in texts {
            guard let value = Element.read(texts: [text], &reading) else { return nil }
            values.append(value)
        }
        return values
    }
    /// Every text.
    public var texts: [String] { flatMap { $0.texts } }
    /// As often as wanted.
    public static var isRepeatable: Bool { true }
}
