internal import CLibpq

/// The bytes of one column of one row, or of one element of an array; lives while it is read.
@safe public struct PostgresField: ~Copyable {
    private let start: UnsafeRawPointer?
    /// How many bytes.
    public let count: Int
    /// The type's number.
    public let oid: UInt32

    // Safety: `start` stays valid while the result is, which outlives every decoding closure; the
    // field itself cannot be copied out of one.
    init(start: UnsafeRawPointer?, count: Int, oid: UInt32) {
        unsafe self.start = start
        self.count = count
        self.oid = oid
    }

    /// Whether it is NULL.
    public var isNull: Bool { unsafe start == nil }

    /// The integer at an offset, most significant byte first.
    public func load<Integer: FixedWidthInteger>(at offset: Int) -> Integer {
        // Cannot fire: decoders look at the field's count first, whatever the server has sent.
        precondition(offset + MemoryLayout<Integer>.size <= count, "a read beyond the field")
        guard let start = unsafe start else { return 0 }
        let value = unsafe start.loadUnaligned(fromByteOffset: offset, as: Integer.self)
        return Integer(bigEndian: value)
    }

    /// All bytes.
    public func bytes() -> [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The UTF-8 text from an offset on.
    func text(from offset: Int) throws(FieldProblem) -> String {
        guard let start = unsafe start, count > offset else { return "" }
        let buffer = unsafe UnsafeRawBufferPointer(start: start + offset, count: count - offset)
        // The server sends valid UTF-8 (client_encoding).
        return unsafe String(decoding: buffer, as: UTF8.self)
    }

    /// An element; a negative length is NULL.
    func part(at offset: Int, length: Int, oid: UInt32) -> PostgresField {
        guard length >= 0, let start = unsafe start else {
            return unsafe PostgresField(start: nil, count: 0, oid: oid)
        }
        return unsafe PostgresField(start: start + offset, count: length, oid: oid)
    }

    /// Checks type and size.
    func expect(_ name: String, oids oid: UInt32, count: Int? = nil) throws(FieldProblem) {
        guard !isNull else { throw .null }
        guard self.oid == oid else { throw .wrongType(expected: name, oid: self.oid) }
        guard count == nil || count == self.count else { throw .malformed("has a wrong length") }
    }
}

/// One row, as a decoding closure sees it; columns count from 0.
@safe public struct PostgresRow: ~Copyable {
    private let result: OpaquePointer
    private let row: Int32
    private let text: SQLText

    // Safety: the result outlives the closure that borrows the row.
    init(result: OpaquePointer, row: Int, text: SQLText) {
        unsafe self.result = result
        self.row = Int32(truncatingIfNeeded: row)
        self.text = text
    }

    /// The column as whatever type is asked for: `let name: String? = try row.value(2)`.
    public func value<Value: PostgresValue>(
        _ column: Int,
        as type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value {
        let index = Int32(truncatingIfNeeded: column)
        guard index >= 0, unsafe index < PQnfields(result) else {
            throw .decoding(problem(column, "is not in the result"))
        }
        let oid = unsafe PQftype(result, index)
        do {
            if unsafe PQgetisnull(result, row, index) != 0 {
                return unsafe try Value(decoding: PostgresField(start: nil, count: 0, oid: oid))
            }
            let count = unsafe Int(PQgetlength(result, row, index))
            let start = unsafe UnsafeRawPointer(PQgetvalue(result, row, index))
            return unsafe try Value(decoding: PostgresField(start: start, count: count, oid: oid))
        } catch {
            throw .decoding(problem(column, error.text))
        }
    }

    /// An integer.
    public func int64(_ column: Int) throws(DatabaseError) -> Int64 { try value(column) }
    /// An integer that fits 32 bits.
    public func int32(_ column: Int) throws(DatabaseError) -> Int32 { try value(column) }
    /// An integer that fits 16 bits.
    public func int16(_ column: Int) throws(DatabaseError) -> Int16 { try value(column) }
    /// A truth value.
    public func bool(_ column: Int) throws(DatabaseError) -> Bool { try value(column) }
    /// A floating-point number.
    public func double(_ column: Int) throws(DatabaseError) -> Double { try value(column) }
    /// A text, an enumeration's label, or JSON.
    public func string(_ column: Int) throws(DatabaseError) -> String { try value(column) }
    /// Bytes.
    public func bytes(_ column: Int) throws(DatabaseError) -> [UInt8] { try value(column) }
    /// A UUID.
    public func uuid(_ column: Int) throws(DatabaseError) -> PostgresUUID { try value(column) }
    /// An instant.
    public func instant(_ column: Int) throws(DatabaseError) -> PostgresInstant {
        try value(column)
    }
    /// A day.
    public func day(_ column: Int) throws(DatabaseError) -> PostgresDay { try value(column) }
    /// Whether the column is NULL.
    public func isNull(_ column: Int) -> Bool {
        unsafe PQgetisnull(result, row, Int32(truncatingIfNeeded: column)) != 0
    }

    /// An error about a column for rules of the caller's own (a currency that does not exist).
    public func problem(_ column: Int, _ text: String) -> DecodingProblem {
        let name = unsafe PQfname(result, Int32(truncatingIfNeeded: column))
        return DecodingProblem(
            statement: self.text.place,
            column: unsafe name.map { unsafe String(cString: $0) } ?? String(column),
            problem: text
        )
    }
}
