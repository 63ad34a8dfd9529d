internal import CGlibcSystem

/// The parameters of one statement in binary, in one buffer that is used again and again.
///
/// Texts are sent as the server takes a quoted literal, of a type that it infers (so that they fit
/// enumerations, `jsonb`, `char(3)` and their indexes); everything else is binary and typed.
public struct ParameterWriter {
    private(set) var bytes: [UInt8] = []
    /// Where each parameter begins; -1: NULL.
    private(set) var starts: [Int] = []
    private(set) var lengths: [Int32] = []
    private(set) var formats: [Int32] = []
    private(set) var types: [UInt32] = []
    private var isNull = false

    init() { bytes.reserveCapacity(1024) }

    var count: Int { starts.count }

    mutating func removeAll() {
        // One huge parameter must not hold its memory for ever.
        bytes.removeAll(keepingCapacity: bytes.count <= 1 << 20)
        starts.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        formats.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
    }

    /// Adds a whole parameter; false: a text with U+0000, which PostgreSQL cannot hold.
    mutating func add(_ value: any PostgresValue) -> Bool {
        let start = bytes.count
        let type = Swift.type(of: value).parameterType
        value.encode(into: &self)
        let asText = type.oid == 0
        if isNull {
            isNull = false
            bytes.removeLast(bytes.count - start)
            starts.append(-1)
            lengths.append(0)
        } else {
            if asText, holdsNul(from: start) { return false }
            starts.append(start)
            lengths.append(Int32(truncatingIfNeeded: bytes.count - start))
            // libpq finds the end of what is sent as text by a NUL; to the rest it does no harm.
            bytes.append(0)
        }
        formats.append(asText ? 0 : 1)
        types.append(type.oid)
        return true
    }

    private func holdsNul(from start: Int) -> Bool {
        // Safety: `start` and the count lie within the buffer.
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            return unsafe memchr(base + start, 0, bytes.count - start) != nil
        }
    }

    // MARK: For values

    /// The value is NULL.
    public mutating func null() { isNull = true }

    /// Writes an integer, most significant byte first.
    public mutating func append<Integer: FixedWidthInteger>(_ value: Integer) {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes bytes as they are.
    public mutating func append(contentsOf more: [UInt8]) { bytes.append(contentsOf: more) }

    /// Writes a text's UTF-8.
    public mutating func append(_ text: String) {
        var text = text
        // Safety: the buffer is only read, and only within the closure.
        text.withUTF8 { unsafe bytes.append(contentsOf: $0) }
    }

    // MARK: For arrays and COPY

    /// Leaves four bytes to be patched.
    mutating func reserve() -> Int {
        bytes.append(contentsOf: [0, 0, 0, 0])
        return bytes.count - 4
    }

    mutating func patch(_ position: Int, with value: Int32) {
        let value = UInt32(bitPattern: value)
        for byte in 0..<4 {
            bytes[position + byte] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * byte))
        }
    }

    /// Writes a length and what `body` writes; answers whether that was NULL.
    mutating func framed(_ body: (inout ParameterWriter) -> Void) -> Bool {
        let length = reserve()
        body(&self)
        let wasNull = isNull
        isNull = false
        if wasNull { bytes.removeLast(bytes.count - length - 4) }
        patch(length, with: wasNull ? -1 : Int32(truncatingIfNeeded: bytes.count - length - 4))
        return wasNull
    }

    // MARK: For libpq

    /// Lends pointers to values, lengths and formats.
    func withPointers<Answer>(
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Answer
    ) -> Answer {
        guard count > 0 else { return body(nil, nil, nil) }
        // Safety: the pointers are into `bytes` and end with `body`; offsets are those written.
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe withUnsafeTemporaryAllocation(
                of: UnsafePointer<CChar>?.self,
                capacity: count
            ) { values in
                for index in 0..<count {
                    let start = starts[index]
                    let value = unsafe start < 0 ? nil : bytes.baseAddress.map { unsafe $0 + start }
                    unsafe values.initializeElement(
                        at: index,
                        to: value?.assumingMemoryBound(to: CChar.self)
                    )
                }
                return unsafe body(UnsafePointer(values.baseAddress), lengths, formats)
            }
        }
    }
}
