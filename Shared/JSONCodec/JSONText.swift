/// Strings inside a checked text.
enum JSONText {
    /// The bytes from `start` to `end` with their escapes resolved; they have been checked before.
    static func unescaped(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(end - start)
        var at = start
        while at < end {
            let byte = bytes[at]
            at += 1
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            let letter = bytes[at]
            at += 1
            switch letter {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"): appendScalar(bytes, &at, to: &result)
            default: result.append(letter)
            }
        }
        return result
    }

    private static func appendScalar(
        _ bytes: Span<UInt8>,
        _ at: inout Int,
        to result: inout [UInt8]
    ) {
        var scalar = unit(bytes, at)
        at += 4
        if scalar & 0xFC00 == 0xD800 {
            scalar = 0x10000 + ((scalar & 0x3FF) << 10) + (unit(bytes, at + 2) & 0x3FF)
            at += 6
        }
        // Cannot fire: the scanner lets no surrogate pass but in pairs (`JSONScanner.escape`).
        guard let scalar = Unicode.Scalar(scalar) else { preconditionFailure("unchecked escape") }
        result.append(contentsOf: scalar.utf8)
    }

    private static func unit(_ bytes: Span<UInt8>, _ at: Int) -> UInt32 {
        var unit: UInt32 = 0
        for offset in 0..<4 {
            unit = unit << 4 | UInt32(hexadecimalValue(bytes[at + offset]) ?? 0)
        }
        return unit
    }
}

/// The value of a hexadecimal digit of either case.
@inlinable package func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
}
