extension FixedWidthInteger {
    /// Reads an integer column of any width that fits; `numeric` where it is whole (sums).
    fileprivate init(integer field: borrowing PostgresField) throws(FieldProblem) {
        guard !field.isNull else { throw .null }
        let wide: Int128
        switch (field.oid, field.count) {
        case (20, 8), (5069, 8): wide = Int128(field.load(at: 0) as Int64)
        case (23, 4): wide = Int128(field.load(at: 0) as Int32)
        case (21, 2): wide = Int128(field.load(at: 0) as Int16)
        case (26, 4): wide = Int128(field.load(at: 0) as UInt32)
        case (1700, 8...): wide = try wholeNumeric(field)
        default: throw .wrongType(expected: "int8, int4, int2, whole numeric", oid: field.oid)
        }
        guard let value = Self(exactly: wide) else { throw .malformed("is out of range") }
        self = value
    }
}

/// `numeric_send`: digit count, weight, sign, scale, then digits to the base of 10,000.
private func wholeNumeric(_ field: borrowing PostgresField) throws(FieldProblem) -> Int128 {
    let count = Int(field.load(at: 0) as Int16)
    let weight = Int(field.load(at: 2) as Int16)
    let sign: UInt16 = field.load(at: 4)
    guard sign == 0 || sign == 0x4000, count >= 0, field.count == 8 + 2 * count else {
        throw .malformed("is no finite number")
    }
    guard count <= weight + 1 else { throw .malformed("is no whole number") }
    var value: Int128 = 0
    var place = 0
    while place <= weight {
        let digit = place < count ? Int128(field.load(at: 8 + 2 * place) as Int16) : 0
        let (product, tooLarge) = value.multipliedReportingOverflow(by: 10_000)
        let (sum, over) = product.addingReportingOverflow(sign == 0 ? digit : -digit)
        guard !tooLarge, !over else { throw .malformed("is out of range") }
        value = sum
        place += 1
    }
    return value
}

extension Int128: PostgresScalar {
    /// `numeric`: what sums of `int8` are.
    public static var parameterType: PostgresType { PostgresType(oid: 1700, arrayOID: 1231) }
    /// Writes `numeric_send`'s form, without zeros at either end.
    public func encode(into writer: inout ParameterWriter) {
        var digits: [Int16] = []
        var rest = magnitude
        while rest > 0 {
            digits.append(Int16(rest % 10_000))
            rest /= 10_000
        }
        let weight = Swift.max(0, digits.count - 1)
        digits.removeFirst(digits.prefix { $0 == 0 }.count)
        writer.append(Int16(digits.count))
        writer.append(Int16(weight))
        writer.append(self < 0 ? 0x4000 : 0 as Int16)
        writer.append(0 as Int16)
        for digit in digits.reversed() { writer.append(digit) }
    }
    /// Reads an integer of any width, and a whole `numeric` that fits.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        try self.init(integer: field)
    }
}

extension Int64: PostgresScalar {
    /// `int8`.
    public static var parameterType: PostgresType { PostgresType(oid: 20, arrayOID: 1016) }
    /// Writes eight bytes.
    public func encode(into writer: inout ParameterWriter) { writer.append(self) }
    /// Reads an integer of any width.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        try self.init(integer: field)
    }
}

extension Int: PostgresScalar {
    /// `int8`.
    public static var parameterType: PostgresType { PostgresType(oid: 20, arrayOID: 1016) }
    /// Writes eight bytes.
    public func encode(into writer: inout ParameterWriter) { writer.append(Int64(self)) }
    /// Reads an integer of any width.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        try self.init(integer: field)
    }
}

extension Int32: PostgresScalar {
    /// `int4`.
    public static var parameterType: PostgresType { PostgresType(oid: 23, arrayOID: 1007) }
    /// Writes four bytes.
    public func encode(into writer: inout ParameterWriter) { writer.append(self) }
    /// Reads an integer that fits.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        try self.init(integer: field)
    }
}

extension Int16: PostgresScalar {
    /// `int2`.
    public static var parameterType: PostgresType { PostgresType(oid: 21, arrayOID: 1005) }
    /// Writes two bytes.
    public func encode(into writer: inout ParameterWriter) { writer.append(self) }
    /// Reads an integer that fits.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        try self.init(integer: field)
    }
}

extension Bool: PostgresScalar {
    /// `bool`.
    public static var parameterType: PostgresType { PostgresType(oid: 16, arrayOID: 1000) }
    /// Writes a byte.
    public func encode(into writer: inout ParameterWriter) { writer.append(self ? 1 : 0 as UInt8) }
    /// Reads a byte.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        try field.expect("bool", oids: 16, count: 1)
        self = field.load(at: 0) as UInt8 != 0
    }
}

extension Double: PostgresScalar {
    /// `float8`; for places and rates of load, never for money.
    public static var parameterType: PostgresType { PostgresType(oid: 701, arrayOID: 1022) }
    /// Writes eight bytes.
    public func encode(into writer: inout ParameterWriter) { writer.append(bitPattern) }
    /// Reads `float8` or `float4`.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        guard !field.isNull else { throw .null }
        switch (field.oid, field.count) {
        case (701, 8): self.init(bitPattern: field.load(at: 0))
        case (700, 4): self.init(Float(bitPattern: field.load(at: 0)))
        default: throw .wrongType(expected: "float8, float4", oid: field.oid)
        }
    }
}

extension String: PostgresScalar {
    /// A type that the server infers, as for a quoted literal; `text[]` for arrays.
    public static var parameterType: PostgresType {
        PostgresType(oid: 0, arrayOID: 1009, elementOID: 25)
    }
    /// Writes UTF-8.
    public func encode(into writer: inout ParameterWriter) { writer.append(self) }
    /// Reads texts of any kind, `json`, `jsonb` and enumerations.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        guard !field.isNull else { throw .null }
        switch field.oid {
        case 25, 1043, 1042, 19, 705, 18, 114: self = try field.text(from: 0)
        case 3802: self = try field.text(from: 1)
        // Types made by CREATE TYPE or an extension: enumerations and citext.
        case 16384...: self = try field.text(from: 0)
        default: throw .wrongType(expected: "text, varchar, char, json, enum", oid: field.oid)
        }
    }
}

/// The 16 bytes of a UUID.
public struct PostgresUUID: PostgresScalar, Hashable {
    /// The first eight bytes, most significant first.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// From its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
    /// `uuid`.
    public static var parameterType: PostgresType { PostgresType(oid: 2950, arrayOID: 2951) }
    /// Writes 16 bytes.
    public func encode(into writer: inout ParameterWriter) {
        writer.append(high)
        writer.append(low)
    }
    /// Reads 16 bytes.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        try field.expect("uuid", oids: 2950, count: 16)
        self.init(high: field.load(at: 0), low: field.load(at: 8))
    }
}

/// An instant in microseconds since 1970, UTC: `timestamptz`.
public struct PostgresInstant: PostgresScalar, Hashable, Comparable {
    /// Microseconds since 1970.
    public let microseconds: Int64

    /// From microseconds since 1970.
    public init(microseconds: Int64) { self.microseconds = microseconds }
    /// `timestamptz`.
    public static var parameterType: PostgresType { PostgresType(oid: 1184, arrayOID: 1185) }
    /// Writes microseconds since 2000.
    public func encode(into writer: inout ParameterWriter) {
        // Cannot wrap: instants are of our clock, of a row or of the years 1 to 9999; one that is
        // held at an end of 64 bits is held at the upper one.
        writer.append(microseconds &- 946_684_800_000_000)
    }
    /// Reads a finite instant.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        try field.expect("timestamptz", oids: 1184, count: 8)
        let (value, over) = (field.load(at: 0) as Int64)
            .addingReportingOverflow(946_684_800_000_000)
        guard !over, value != .min + 946_684_800_000_000 else {
            throw .malformed("is infinite")
        }
        self.init(microseconds: value)
    }
    /// The earlier is less.
    public static func < (left: Self, right: Self) -> Bool {
        left.microseconds < right.microseconds
    }
}

/// A calendar day in days since 1970-01-01: `date`.
public struct PostgresDay: PostgresScalar, Hashable, Comparable {
    /// Days since 1970-01-01.
    public let days: Int32

    /// From days since 1970-01-01.
    public init(days: Int32) { self.days = days }
    /// `date`.
    public static var parameterType: PostgresType { PostgresType(oid: 1082, arrayOID: 1182) }
    /// Writes days since 2000-01-01.
    ///
    /// Cannot wrap: days are of the years 1 to 9999 (`Day`), or of a row.
    public func encode(into writer: inout ParameterWriter) { writer.append(days &- 10_957) }
    /// Reads a finite day.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        try field.expect("date", oids: 1082, count: 4)
        let (value, over) = (field.load(at: 0) as Int32).addingReportingOverflow(10_957)
        guard !over, value != .min + 10_957 else { throw .malformed("is infinite") }
        self.init(days: value)
    }
    /// The earlier is less.
    public static func < (left: Self, right: Self) -> Bool { left.days < right.days }
}

/// A JSON text as a `jsonb` parameter, where the server could not infer the type.
public struct PostgresJSON: PostgresScalar, Hashable {
    /// The JSON.
    public let text: String

    /// From JSON text; the server checks it.
    public init(_ text: String) { self.text = text }
    /// `jsonb`.
    public static var parameterType: PostgresType { PostgresType(oid: 3802, arrayOID: 3807) }
    /// Writes the version and the text.
    public func encode(into writer: inout ParameterWriter) {
        writer.append(1 as UInt8)
        writer.append(text)
    }
    /// Reads `jsonb` or `json`.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        guard field.oid == 3802 || field.oid == 114 else {
            throw .wrongType(expected: "jsonb, json", oid: field.oid)
        }
        self.init(try String(decoding: field))
    }
}
