// Arrays by the server's `array_send`: dimensions, has-null flag, element type, then per dimension
// its length and lower bound, then each element with its length (-1: NULL).

/// Writes an array of one dimension whose elements `element` writes.
private func encodeArray<Element>(
    _ elements: [Element],
    of type: UInt32,
    into writer: inout ParameterWriter,
    _ element: (Element, inout ParameterWriter) -> Void
) {
    writer.append(Int32(elements.isEmpty ? 0 : 1))
    let flag = writer.reserve()
    writer.append(type)
    guard !elements.isEmpty else { return writer.patch(flag, with: 0) }
    writer.append(Int32(truncatingIfNeeded: elements.count))
    writer.append(Int32(1))
    var hasNull: Int32 = 0
    for value in elements where writer.framed({ element(value, &$0) }) { hasNull = 1 }
    writer.patch(flag, with: hasNull)
}

/// Reads an array of at most one dimension; `element` reads each from a field of its own.
private func decodeArray<Element>(
    _ field: borrowing PostgresField,
    _ element: (borrowing PostgresField) throws(FieldProblem) -> Element
) throws(FieldProblem) -> [Element] {
    guard !field.isNull else { throw .null }
    guard field.count >= 12 else { throw .malformed("is no array") }
    let dimensions: Int32 = field.load(at: 0)
    let type: UInt32 = field.load(at: 8)
    if dimensions == 0 { return [] }
    guard dimensions == 1, field.count >= 20 else {
        throw .malformed("is an array of \(dimensions) dimensions")
    }
    let count: Int32 = field.load(at: 12)
    // Each element takes its four bytes of length at least.
    guard count >= 0, Int(count) <= (field.count - 20) / 4 else {
        throw .malformed("is a broken array")
    }
    var elements: [Element] = []
    elements.reserveCapacity(Int(count))
    var offset = 20
    for _ in 0..<count {
        guard offset + 4 <= field.count else { throw .malformed("is a broken array") }
        let length: Int32 = field.load(at: offset)
        offset += 4
        guard Int(length) <= field.count - offset else { throw .malformed("is a broken array") }
        elements.append(try element(field.part(at: offset, length: Int(length), oid: type)))
        offset += max(0, Int(length))
    }
    return elements
}

extension PostgresScalar {
    /// The array type of the scalar.
    public static var arrayParameterType: PostgresType {
        PostgresType(oid: parameterType.arrayOID, arrayOID: 0)
    }
    /// Writes an array.
    public static func encodeArray(_ elements: [Self], into writer: inout ParameterWriter) {
        Postgres.encodeArray(elements, of: parameterType.elementOID, into: &writer) {
            $0.encode(into: &$1)
        }
    }
    /// Reads an array.
    public static func decodeArray(
        _ field: borrowing PostgresField
    ) throws(FieldProblem) -> [Self] {
        try Postgres.decodeArray(field) { element throws(FieldProblem) in
            try Self(decoding: element)
        }
    }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresScalar {
    /// The array type of the scalar.
    public static var arrayParameterType: PostgresType { Wrapped.arrayParameterType }
    /// Writes an array with NULLs.
    public static func encodeArray(_ elements: [Self], into writer: inout ParameterWriter) {
        Postgres.encodeArray(elements, of: Wrapped.parameterType.elementOID, into: &writer) {
            $0.encode(into: &$1)
        }
    }
    /// Reads an array with NULLs.
    public static func decodeArray(
        _ field: borrowing PostgresField
    ) throws(FieldProblem) -> [Self] {
        try Postgres.decodeArray(field) { element throws(FieldProblem) in
            try Self(decoding: element)
        }
    }
}

extension UInt8: PostgresArrayElement {
    /// `bytea`.
    public static var arrayParameterType: PostgresType { PostgresType(oid: 17, arrayOID: 1001) }
    /// Writes the bytes.
    public static func encodeArray(_ elements: [UInt8], into writer: inout ParameterWriter) {
        writer.append(contentsOf: elements)
    }
    /// Reads the bytes.
    public static func decodeArray(
        _ field: borrowing PostgresField
    ) throws(FieldProblem) -> [UInt8] {
        try field.expect("bytea", oids: 17)
        return field.bytes()
    }
}

extension Array: PostgresArrayElement where Element == UInt8 {
    /// `bytea[]`.
    public static var arrayParameterType: PostgresType { PostgresType(oid: 1001, arrayOID: 0) }
    /// Writes an array of byte strings.
    public static func encodeArray(_ elements: [[UInt8]], into writer: inout ParameterWriter) {
        Postgres.encodeArray(elements, of: 17, into: &writer) { $1.append(contentsOf: $0) }
    }
    /// Reads an array of byte strings.
    public static func decodeArray(
        _ field: borrowing PostgresField
    ) throws(FieldProblem) -> [[UInt8]] {
        try Postgres.decodeArray(field) { element throws(FieldProblem) in
            try [UInt8](decoding: element)
        }
    }
}
