/// Writes compact JSON.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []
    /// The people whose identifiers have been written; nil for a writer that does not note them.
    public private(set) var people: Set<String>?

    /// A writer that has written nothing.
    public init(capacity: Int = 512, notesPeople: Bool = false) {
        bytes.reserveCapacity(capacity)
        if notesPeople { people = [] }
    }

    /// Notes that the text mentions a person, where somebody wants to know.
    package mutating func note(person: String) { people?.insert(person) }

    /// Bytes as they are: the caller knows that they are JSON.
    public mutating func append(raw: some Sequence<UInt8>) {
        bytes.append(contentsOf: raw)
    }

    /// Bytes that lie somewhere else, copied at once.
    package mutating func append(raw span: Span<UInt8>) {
        // Safety: lent for one copy.
        unsafe span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// JSON that never changes, copied at once.
    package mutating func append(literal: StaticString) {
        // Safety: the constant has so many bytes, and lives for ever.
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: literal.utf8Start,
                count: literal.utf8CodeUnitCount
            )
        )
    }

    @usableFromInline package mutating func append(byte: UInt8) {
        bytes.append(byte)
    }

    /// A string with its quotes.
    public mutating func append(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var from = 0
            for index in 0..<utf8.count {
                let byte = unsafe utf8[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
                else { continue }
                // Safety: both ends are indices of the buffer, which lives through the closure.
                unsafe bytes.append(contentsOf: utf8[from..<index])
                appendEscape(byte)
                from = index + 1
            }
            // Safety: as above.
            unsafe bytes.append(contentsOf: utf8[from...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x22, 0x5C: bytes.append(byte)
        default:
            bytes.append(contentsOf: [0x75, 0x30, 0x30])
            appendHexadecimal(byte)
        }
    }

    package mutating func appendHexadecimal(_ byte: UInt8) {
        for digit in [byte >> 4, byte & 15] {
            bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }

    /// A whole number.
    public mutating func append(_ number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        appendDigits(number.magnitude)
    }

    /// Digits with zeros in front up to `width`, which is 20 at most.
    package mutating func appendDigits(_ number: UInt64, width: Int = 1) {
        var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        var first = digits.count
        var rest = number
        repeat {
            first -= 1
            digits[first] = UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0")
            rest /= 10
        } while rest > 0
        append(raw: digits.span.extracting(min(first, digits.count - width)...))
    }

    /// The same of a number that may not fit in 64 bits.
    package mutating func appendDigits(_ number: UInt128, width: Int = 1) {
        if let small = UInt64(exactly: number) { return appendDigits(small, width: width) }
        let part: UInt128 = 1_000_000_000_000_000_000
        appendDigits(number / part)
        appendDigits(UInt64(number % part), width: 18)
    }

    /// What `body` writes, between quotes: for values whose text needs no escapes.
    package mutating func quoted(_ body: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "\""))
        body(&self)
        bytes.append(UInt8(ascii: "\""))
    }
}
