internal import CGlibcSystem

// Safety: in this file as many bytes are written behind the array's end as were asked for, from
// sources that are lent for the length of the copy.
extension [UInt8] {
    /// Appends bytes in one copy.
    ///
    /// `append(contentsOf:)` goes through iterators and copies of its own; these are a sixth of
    /// what a small message costs.
    @inline(__always)
    mutating func append(copying source: UnsafeBufferPointer<UInt8>) {
        guard let base = source.baseAddress, !source.isEmpty else { return }
        append(addingCapacity: source.count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                if let end = buffer.baseAddress { unsafe memcpy(end + count, base, source.count) }
                count += source.count
            }
        }
    }

    /// Appends a literal.
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe append(copying: $0) }
    }

    /// Appends a text.
    mutating func append(text: String) {
        var text = text
        text.withUTF8 { unsafe append(copying: $0) }
    }

    /// Appends other bytes.
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(copying: $0) }
    }

    /// Appends a number in decimal digits.
    mutating func append(decimal number: Int) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = 20
        var rest = number.magnitude
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if number < 0 { append(UInt8(ascii: "-")) }
        append(digits.span.extracting(start..<20))
    }

    /// Appends CR LF.
    mutating func appendLineEnd() {
        append(0x0d)
        append(0x0a)
    }
}
