/// A field of a PATCH body that may be left alone, cleared or set.
public enum Patch<Value: JSONValue>: JSONValue {
    /// Left out: stays as it is.
    case unchanged
    /// `null`: cleared.
    case cleared
    /// A value.
    case set(Value)

    /// What the field is afterwards.
    public func applied(to old: Value?) -> Value? {
        switch self {
        case .unchanged: old
        case .cleared: nil
        case .set(let value): value
        }
    }

    /// Whether the field stays as it is.
    public var isUnchanged: Bool { isAbsent }

    /// Reads a value or `null`.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Patch? {
        source.isNull ? .cleared : Value.read(source, &reading).map { .set($0) }
    }

    /// Writes the value or `null`.
    public func write(to writer: inout JSONWriter) {
        guard case .set(let value) = self else { return writer.append(raw: "null".utf8) }
        value.write(to: &writer)
    }

    /// The value's schema, or null.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        Nullable<Value>.schema(&components)
    }

    /// Unchanged.
    public static var absent: Patch? { .unchanged }
    /// Whether it is unchanged.
    public var isAbsent: Bool { if case .unchanged = self { true } else { false } }
    /// The content of the value.
    public var content: Value.Content? {
        if case .set(let value) = self { value.content } else { nil }
    }
    /// The value with its content changed.
    public func changingContent(_ change: (Value.Content) -> Value.Content) -> Patch {
        if case .set(let value) = self { .set(value.changingContent(change)) } else { self }
    }
}

/// A field of a PATCH body that may be left alone or set, never cleared.
public enum Replace<Value: JSONValue>: JSONValue {
    /// Left out: stays as it is.
    case unchanged
    /// A value.
    case set(Value)

    /// What the field is afterwards.
    public func applied(to old: Value) -> Value {
        if case .set(let value) = self { value } else { old }
    }

    /// Whether the field stays as it is.
    public var isUnchanged: Bool { isAbsent }

    /// Reads a value; `null` is an error.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Replace? {
        guard !source.isNull else {
            reading.fail(.notClearable, "cannot be cleared")
            return nil
        }
        return Value.read(source, &reading).map { .set($0) }
    }

    /// Writes the value.
    public func write(to writer: inout JSONWriter) {
        guard case .set(let value) = self else { return writer.append(raw: "null".utf8) }
        value.write(to: &writer)
    }

    /// The value's schema.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        Value.schema(&components)
    }

    /// Unchanged.
    public static var absent: Replace? { .unchanged }
    /// Whether it is unchanged.
    public var isAbsent: Bool { if case .unchanged = self { true } else { false } }
    /// The content of the value.
    public var content: Value.Content? {
        if case .set(let value) = self { value.content } else { nil }
    }
    /// The value with its content changed.
    public func changingContent(_ change: (Value.Content) -> Value.Content) -> Replace {
        if case .set(let value) = self { .set(value.changingContent(change)) } else { self }
    }
}

/// A field that is always written, as `null` where there is nothing.
public struct Nullable<Value: JSONValue>: JSONValue {
    /// The value, where there is one.
    public let value: Value?

    /// A value or nothing.
    public init(_ value: Value?) {
        self.value = value
    }

    /// Reads a value or `null`.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Nullable? {
        source.isNull ? Nullable(nil) : Value.read(source, &reading).map { Nullable($0) }
    }

    /// Writes the value or `null`.
    public func write(to writer: inout JSONWriter) { value.write(to: &writer) }

    /// The value's schema, or null.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["anyOf": [Value.schema(&components), ["type": "null"]]]
    }

    /// The content of the value.
    public var content: Value.Content? { if let value { value.content } else { nil } }
    /// The value with its content changed.
    public func changingContent(_ change: (Value.Content) -> Value.Content) -> Nullable {
        Nullable(value.changingContent(change))
    }
}

extension Patch: Equatable where Value: Equatable {}
extension Patch: Hashable where Value: Hashable {}
extension Replace: Equatable where Value: Equatable {}
extension Replace: Hashable where Value: Hashable {}
extension Nullable: Equatable where Value: Equatable {}
extension Nullable: Hashable where Value: Hashable {}
