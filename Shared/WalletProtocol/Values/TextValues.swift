// How values are written and read as text.

extension ID: JSONValue, TextValue {
    /// The identifier in these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> ID? { ID(text) }
    /// 36 characters.
    public func appendText(to writer: inout JSONWriter) {
        let characters = self.characters
        writer.append(raw: characters.span)
        if writer.people != nil, Tag.self == User.self { writer.note(person: text) }
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

extension ID: QueryValue {}
extension Day: QueryValue {}
extension Month: QueryValue {}
extension Instant: QueryValue {}
extension Currency: QueryValue {}
extension ExactDecimal: QueryValue {}

extension String: QueryValue {
    /// The text as it is.
    public static func read(texts: [String], _ reading: inout JSONReading) -> String? {
        texts.first
    }
    /// Itself.
    public var texts: [String] { [self] }
}

extension Int: QueryValue {
    /// Digits, with a minus before them where it is below zero.
    public static func read(texts: [String], _ reading: inout JSONReading) -> Int? {
        let digits = texts.first?.drop { $0 == "-" } ?? ""
        guard let text = texts.first, let value = Int(text), text.first != "+", !digits.isEmpty
        else {
            reading.fail(.invalidValue, "must be a whole number")
            return nil
        }
        return value
    }
    /// Its digits.
    public var texts: [String] { [String(self)] }
}

extension Bool: QueryValue {
    /// `true` or `false`.
    public static func read(texts: [String], _ reading: inout JSONReading) -> Bool? {
        guard let value = Bool(texts.first ?? "") else {
            reading.fail(.invalidValue, "must be true or false")
            return nil
        }
        return value
    }
    /// The word.
    public var texts: [String] { [String(self)] }
}

extension JSONWriter {
    mutating func appendAmount<Units: FixedWidthInteger & SignedInteger>(
        _ minorUnits: Units,
        exponent: Int
    ) {
        if minorUnits < 0 { append(byte: UInt8(ascii: "-")) }
        let unit = powersOfTen[exponent].magnitude
        guard let small = UInt64(exactly: minorUnits.magnitude) else {
            let (whole, rest) = UInt128(minorUnits.magnitude)
                .quotientAndRemainder(dividingBy: UInt128(unit))
            appendDigits(whole)
            return appendFraction(UInt64(rest), exponent)
        }
        appendDigits(small / unit)
        appendFraction(small % unit, exponent)
    }

    private mutating func appendFraction(_ rest: UInt64, _ exponent: Int) {
        guard exponent > 0 else { return }
        append(byte: UInt8(ascii: "."))
        appendDigits(rest, width: exponent)
    }

    mutating func appendDay(_ day: Day) {
        let (year, month, number) = day.parts
        appendDigits(UInt64(year), width: 4)
        append(byte: UInt8(ascii: "-"))
        appendDigits(UInt64(month), width: 2)
        append(byte: UInt8(ascii: "-"))
        appendDigits(UInt64(number), width: 2)
    }

    mutating func appendInstant(_ instant: Instant) {
        // Instants outside the years 1 to 9999 have no RFC 3339 form; the nearest is written.
        let written = min(max(instant.microseconds, Instant.writtenMin), Instant.writtenMax)
        let days = floorDivide(written, 86_400_000_000)
        let day = Day(daysSince1970: Int(days))
        let time = UInt64(written - days * 86_400_000_000)
        if let day { appendDay(day) }
        append(byte: UInt8(ascii: "T"))
        appendDigits(time / 3_600_000_000, width: 2)
        append(byte: UInt8(ascii: ":"))
        appendDigits(time / 60_000_000 % 60, width: 2)
        append(byte: UInt8(ascii: ":"))
        appendDigits(time / 1_000_000 % 60, width: 2)
        let fraction = time % 1_000_000
        if fraction > 0 {
            append(byte: UInt8(ascii: "."))
            if fraction % 1_000 == 0 {
                appendDigits(fraction / 1_000, width: 3)
            } else {
                appendDigits(fraction, width: 6)
            }
        }
        append(byte: UInt8(ascii: "Z"))
    }
}
