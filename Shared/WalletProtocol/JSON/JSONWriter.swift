/// Writes compact JSON.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    /// A writer that has written nothing.
    public init(capacity: Int = 512) {
        bytes.reserveCapacity(capacity)
    }

    /// Bytes as they are: the caller knows that they are JSON.
    public mutating func append(raw: some Sequence<UInt8>) {
        bytes.append(contentsOf: raw)
    }

    mutating func append(byte: UInt8) {
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

    mutating func appendHexadecimal(_ byte: UInt8) {
        for digit in [byte >> 4, byte & 15] {
            bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }

    /// A whole number.
    public mutating func append(_ number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        appendDigits(number.magnitude)
    }

    /// Digits with zeros in front up to `width`.
    mutating func appendDigits<Number: FixedWidthInteger & UnsignedInteger>(
        _ number: Number,
        width: Int = 1
    ) {
        var divisor: Number = 1
        var digits = 1
        while digits < width || number / divisor >= 10 {
            divisor *= 10
            digits += 1
        }
        var rest = number
        while divisor > 0 {
            bytes.append(UInt8(truncatingIfNeeded: rest / divisor) + 0x30)
            rest %= divisor
            divisor /= 10
        }
    }

    mutating func appendAmount<Units: FixedWidthInteger & SignedInteger>(
        _ minorUnits: Units,
        exponent: Int
    ) {
        if minorUnits < 0 { bytes.append(UInt8(ascii: "-")) }
        let unit = Units.Magnitude(powersOfTen[exponent])
        appendDigits(minorUnits.magnitude / unit)
        guard exponent > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        appendDigits(minorUnits.magnitude % unit, width: exponent)
    }

    mutating func appendUUID(high: UInt64, low: UInt64) {
        for index in 0..<16 {
            if index == 4 || index == 6 || index == 8 || index == 10 {
                bytes.append(UInt8(ascii: "-"))
            }
            let half = index < 8 ? high : low
            appendHexadecimal(UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index & 7))))
        }
    }

    mutating func appendDay(_ day: Day) {
        let (year, month, number) = day.parts
        appendDigits(UInt64(year), width: 4)
        bytes.append(UInt8(ascii: "-"))
        appendDigits(UInt64(month), width: 2)
        bytes.append(UInt8(ascii: "-"))
        appendDigits(UInt64(number), width: 2)
    }

    mutating func appendInstant(_ instant: Instant) {
        // Instants outside the years 1 to 9999 have no RFC 3339 form; the nearest is written.
        let written = min(max(instant.microseconds, Instant.writtenMin), Instant.writtenMax)
        let days = floorDivide(written, 86_400_000_000)
        let day = Day(daysSince1970: Int(days))
        let time = UInt64(written - days * 86_400_000_000)
        if let day { appendDay(day) }
        let clock = [(time / 3_600_000_000, "T"), (time / 60_000_000 % 60, ":")]
        for (part, mark) in clock + [(time / 1_000_000 % 60, ":")] {
            bytes.append(contentsOf: mark.utf8)
            appendDigits(part, width: 2)
        }
        let fraction = time % 1_000_000
        if fraction > 0 {
            bytes.append(UInt8(ascii: "."))
            if fraction % 1_000 == 0 {
                appendDigits(fraction / 1_000, width: 3)
            } else {
                appendDigits(fraction, width: 6)
            }
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    /// What `body` writes, between quotes: for values whose text needs no escapes.
    mutating func quoted(_ body: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "\""))
        body(&self)
        bytes.append(UInt8(ascii: "\""))
    }
}
