// Values without fields. Each says in one line what it must be.

extension String: JSONValue {
    /// Empty.
    public static var unread: String? { "" }

    /// Reads a text without U+0000, which PostgreSQL cannot keep.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> String? {
        guard let text = source.string else {
            reading.fail(.wrongType, "must be a string")
            return nil
        }
        guard !source.node.hasNull else {
            reading.fail(.invalidCharacter, "must not contain U+0000")
            return nil
        }
        return text
    }

    /// Writes it between quotes.
    public func write(to writer: inout JSONWriter) { writer.append(self) }

    /// A string.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string"]
    }
}

extension Bool: JSONValue {
    /// Reads `true` or `false`.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Bool? {
        switch source.kind {
        case .true: return true
        case .false: return false
        default:
            reading.fail(.wrongType, "must be true or false")
            return nil
        }
    }

    /// Writes the word.
    public func write(to writer: inout JSONWriter) {
        writer.append(raw: (self ? "true" : "false").utf8)
    }

    /// A boolean.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "boolean"]
    }
}

extension JSONValue where Self: FixedWidthInteger {
    /// Reads a whole number that fits.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Self? {
        guard source.kind == .integer || source.kind == .number else {
            reading.fail(.wrongType, "must be a whole number")
            return nil
        }
        guard source.kind == .integer else {
            reading.fail(.notWhole, "must be a whole number without fraction or exponent")
            return nil
        }
        guard let number = source.integer, let value = Self(exactly: number) else {
            reading.fail(.outOfRange, "must be \(Self.min) to \(Self.max)")
            return nil
        }
        return value
    }

    /// Writes its digits.
    public func write(to writer: inout JSONWriter) { writer.append(Int64(clamping: self)) }
}

extension Int: JSONValue {
    /// An integer of 64 bits.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "integer", "format": "int64"]
    }
}

extension Int64: JSONValue {
    /// An integer of 64 bits.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "integer", "format": "int64"]
    }
}

extension Int32: JSONValue {
    /// An integer of 32 bits.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "integer", "format": "int32"]
    }
}

extension Double: JSONValue {
    /// Reads a number; never for money.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Double? {
        guard source.kind == .integer || source.kind == .number else {
            reading.fail(.wrongType, "must be a number")
            return nil
        }
        guard let value = source.double else {
            reading.fail(.outOfRange, "the number does not fit")
            return nil
        }
        return value
    }

    /// Writes the shortest digits that read back as the same number; `null` where there are none.
    public func write(to writer: inout JSONWriter) {
        writer.append(raw: (isFinite ? description : "null").utf8)
    }

    /// A number.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "number", "format": "double"]
    }
}

extension Optional: JSONValue where Wrapped: JSONValue {
    /// What a value that is there carries.
    public typealias Content = Wrapped.Content

    /// Reads `null` as nothing.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Wrapped?? {
        if source.isNull { return .some(nil) }
        guard let value = Wrapped.read(source, &reading) else { return nil }
        return .some(value)
    }

    /// Writes the value or `null`; as a field, nothing is left out instead.
    public func write(to writer: inout JSONWriter) {
        guard let self else { return writer.append(raw: "null".utf8) }
        self.write(to: &writer)
    }

    /// The schema of the value: what is absent is left out.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        Wrapped.schema(&components)
    }

    /// Nothing.
    public static var absent: Wrapped?? { .some(nil) }
    /// Whether there is nothing.
    public var isAbsent: Bool { self == nil }
    /// The content of the value.
    public var content: Wrapped.Content? {
        // No key path: in generic code one is made anew at each use, in microseconds.
        if let self { self.content } else { nil }
    }
    /// The value with its content changed.
    public func changingContent(_ change: (Wrapped.Content) -> Wrapped.Content) -> Wrapped? {
        if let self { self.changingContent(change) } else { nil }
    }
}

extension Array: JSONValue where Element: JSONValue {
    /// Reads every element, the good and the bad.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> [Element]? {
        guard let elements = source.elements else {
            reading.fail(.wrongType, "must be an array")
            return nil
        }
        var values: [Element] = []
        values.reserveCapacity(elements.count)
        let before = reading.failures
        for (index, element) in elements.enumerated() {
            let count = reading.failures
            if let value = Element.read(element, &reading) { values.append(value) }
            if reading.failures > count { reading.prefix(since: count, String(index)) }
        }
        return reading.failures == before ? values : nil
    }

    /// Writes the elements in order.
    public func write(to writer: inout JSONWriter) {
        writer.append(byte: UInt8(ascii: "["))
        var first = true
        for element in self {
            if !first { writer.append(byte: UInt8(ascii: ",")) }
            first = false
            element.write(to: &writer)
        }
        writer.append(byte: UInt8(ascii: "]"))
    }

    /// An array.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "array", "items": Element.schema(&components)]
    }
}

extension Dictionary: JSONValue where Key == String, Value: JSONValue {
    /// Reads an object of any names.
    public static func read(
        _ source: JSONSource,
        _ reading: inout JSONReading
    ) -> [String: Value]? {
        guard let members = source.members else {
            reading.fail(.wrongType, "must be an object")
            return nil
        }
        var values: [String: Value] = [:]
        let before = reading.failures
        for (name, member) in members {
            let count = reading.failures
            if let value = Value.read(member, &reading) { values[name] = value }
            if name.utf8.contains(0) {
                reading.fail(.invalidCharacter, "a name must not contain U+0000")
            }
            if reading.failures > count { reading.prefix(since: count, name) }
        }
        return reading.failures == before ? values : nil
    }

    /// Writes the members sorted by name, so that the same value gives the same bytes.
    public func write(to writer: inout JSONWriter) {
        writer.append(byte: UInt8(ascii: "{"))
        var first = true
        for (name, value) in sorted(by: { $0.key < $1.key }) {
            if !first { writer.append(byte: UInt8(ascii: ",")) }
            first = false
            writer.append(name)
            writer.append(byte: UInt8(ascii: ":"))
            value.write(to: &writer)
        }
        writer.append(byte: UInt8(ascii: "}"))
    }

    /// An object of any names.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "object", "additionalProperties": Value.schema(&components)]
    }
}
