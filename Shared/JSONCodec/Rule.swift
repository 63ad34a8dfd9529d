/// Something that must hold of a field's value: a check, and its part of the schema.
public struct Rule<Value: JSONValue>: Sendable {
    package let schema: [JSONMember]
    private let normalize: (@Sendable (Value.Content) -> Value.Content)?
    private let test: @Sendable (Value.Content, inout JSONReading) -> Void

    /// A rule; `test` notes what is wrong.
    /// - Parameter normalize: makes the form that is tested and that handlers get.
    public init(
        schema: [JSONMember] = [],
        normalizedBy normalize: (@Sendable (Value.Content) -> Value.Content)? = nil,
        _ test: @escaping @Sendable (Value.Content, inout JSONReading) -> Void
    ) {
        self.schema = schema
        self.normalize = normalize
        self.test = test
    }

    fileprivate func checked(_ value: Value, _ reading: inout JSONReading) -> Value {
        let value = normalize.map { value.changingContent($0) } ?? value
        if let content = value.content { test(content, &reading) }
        return value
    }
}

extension Array {
    /// A value as all rules together leave it; what is wrong is noted.
    package func checked<Value: JSONValue>(
        _ value: Value,
        _ reading: inout JSONReading
    ) -> Value where Element == Rule<Value> {
        reduce(value) { $1.checked($0, &reading) }
    }
}

extension Rule where Value.Content == String {
    /// One line of text, trimmed and composed: so many characters (Unicode scalars), one of them
    /// visible, no control characters and none that turns the direction of the text around it.
    ///
    /// - Parameter isPassedOn: of what one of our services stored before and sends to another.
    public static func line(_ length: ClosedRange<Int>, isPassedOn: Bool = false) -> Rule {
        Rule(
            schema: lengths(length),
            normalizedBy: { LineText.normalized($0, length) }
        ) { text, reading in
            checkLength(text, length, &reading)
            if refuses(text, lines: false, isPassedOn, &reading) {
                return
            } else if length.lowerBound > 0 && !text.isEmpty && LineText.isInvisible(text) {
                reading.fail(.blank, "must not be blank")
            }
        }
    }

    /// A code that people copy: white space in it and around it does not count.
    public static func code(_ length: ClosedRange<Int>) -> Rule {
        Rule(schema: lengths(length), normalizedBy: LineText.withoutSpace) { text, reading in
            checkLength(text, length, &reading)
            _ = refuses(text, lines: false, false, &reading)
        }
    }

    /// Text of so many characters (Unicode scalars); lines and tabs are allowed.
    public static func text(_ length: ClosedRange<Int>, isPassedOn: Bool = false) -> Rule {
        Rule(schema: lengths(length)) { text, reading in
            checkLength(text, length, &reading)
            _ = refuses(text, lines: true, isPassedOn, &reading)
        }
    }

    /// A secret of so many characters (composed), whatever they are; it stays as it was sent.
    public static func secret(_ length: ClosedRange<Int>) -> Rule {
        Rule(schema: lengths(length) + [JSONMember("format", "password")]) { text, reading in
            checkLength(LineText.composed(text, length), length, &reading)
        }
    }

    private static func lengths(_ length: ClosedRange<Int>) -> [JSONMember] {
        [
            JSONMember("minLength", .integer(Int64(length.lowerBound))),
            JSONMember("maxLength", .integer(Int64(length.upperBound))),
        ]
    }
}

/// Whether a text has characters that no text has, which is noted.
///
/// Whoever reads what is stored already (`ignoresUnknownFields`) takes those that turn a text.
private func refuses(
    _ text: String,
    lines: Bool,
    _ isPassedOn: Bool,
    _ reading: inout JSONReading
) -> Bool {
    switch unwanted(in: text, lines: lines) {
    case .control?:
        reading.fail(.invalidCharacter, "must not contain control characters")
    case .turning? where !isPassedOn && !reading.ignoresUnknownFields:
        reading.fail(
            .invalidCharacter,
            "must not contain characters that change the direction of text"
        )
    case .turning?, nil: return false
    }
    return true
}

private enum Unwanted { case control, turning }

extension Unicode.Scalar {
    /// Whether it embeds, overrides or isolates a direction: what follows is read in another order
    /// than it stands in, beyond the text's own end.
    ///
    /// The marks that a mixed text needs (U+200E, U+200F, U+061C) are none.
    /// Source: Unicode Standard Annex 9, 2; Unicode Technical Report 36, 2.5.
    public var turnsText: Bool {
        switch value {
        case 0x202A...0x202E, 0x2066...0x206F: true
        default: false
        }
    }
}

/// The first kind of such a character in a text: a control character (C0, C1, a separator of lines
/// or paragraphs), else one that turns the text; with `lines`, line ends and tabs are none.
private func unwanted(in text: String, lines: Bool) -> Unwanted? {
    var suspect = false
    for byte in text.utf8 where byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xE2 {
        suspect = true
        break
    }
    guard suspect else { return nil }
    var found: Unwanted?
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D:
            if !lines { return .control }
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: return .control
        default:
            if scalar.turnsText { found = .turning }
        }
    }
    return found
}

private func checkLength(
    _ text: String,
    _ length: ClosedRange<Int>,
    _ reading: inout JSONReading
) {
    // ASCII has as many scalars as bytes, and no text has more.
    let bytes = text.utf8.count
    if bytes <= length.upperBound && length.lowerBound == 0 { return }
    let count = text.unicodeScalars.count
    if count < length.lowerBound {
        reading.fail(.tooShort, "must have at least \(length.lowerBound) characters")
    } else if count > length.upperBound {
        reading.fail(.tooLong, "must have at most \(length.upperBound) characters")
    }
}

extension Rule where Value.Content: FixedWidthInteger {
    /// A number in a range.
    public static func range(_ range: ClosedRange<Value.Content>) -> Rule {
        Rule(
            schema: [
                JSONMember("minimum", .integer(Int64(clamping: range.lowerBound))),
                JSONMember("maximum", .integer(Int64(clamping: range.upperBound))),
            ]
        ) { number, reading in
            guard !range.contains(number) else { return }
            reading.fail(.outOfRange, "must be \(range.lowerBound) to \(range.upperBound)")
        }
    }
}

extension Rule where Value.Content == Double {
    /// A number in a range.
    public static func range(_ range: ClosedRange<Double>) -> Rule {
        Rule(
            schema: [
                JSONMember("minimum", .number(range.lowerBound)),
                JSONMember("maximum", .number(range.upperBound)),
            ]
        ) { number, reading in
            guard !range.contains(number) else { return }
            reading.fail(.outOfRange, "must be \(range.lowerBound) to \(range.upperBound)")
        }
    }
}

extension Rule where Value.Content: Collection {
    /// So many elements.
    public static func count(_ range: ClosedRange<Int>) -> Rule {
        Rule(
            schema: [
                JSONMember("minItems", .integer(Int64(range.lowerBound))),
                JSONMember("maxItems", .integer(Int64(range.upperBound))),
            ]
        ) { values, reading in
            if values.count < range.lowerBound {
                reading.fail(.tooFew, "must have at least \(range.lowerBound) elements")
            } else if values.count > range.upperBound {
                reading.fail(.tooMany, "must have at most \(range.upperBound) elements")
            }
        }
    }
}
