internal import WalletProtocol

/// The charsets of statements, and how their texts become names and descriptions.
enum FileText {
    /// What a file says of its charset.
    enum Charset: Hashable, Sendable {
        /// Nothing, or one that is a part of UTF-8 or of Windows-1252.
        case undeclared
        /// ISO-8859-15.
        case latin9
        /// One that is not known here: good for ASCII only.
        case other
    }

    /// The same text in UTF-8, without a byte order mark.
    ///
    /// A byte order mark decides; else what is valid UTF-8 is taken for it, whatever the file
    /// says, since banks declare 1252 and write UTF-8, and text of 1252 is hardly ever valid
    /// UTF-8 by chance. All else is Windows-1252, which contains ISO-8859-1 and ASCII.
    static func utf8(_ bytes: [UInt8], charset: Charset) -> [UInt8] {
        // A file may be nothing but marks: they are counted, and what is behind them copied once.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var start = 0
        while bytes[start...].starts(with: mark) { start += mark.count }
        return unmarked(start == 0 ? bytes : Array(bytes[start...]), charset: charset)
    }

    private static func unmarked(_ bytes: [UInt8], charset: Charset) -> [UInt8] {
        if bytes.starts(with: [0xFF, 0xFE]) { return fromUTF16(bytes, low: 0, high: 1) }
        if bytes.starts(with: [0xFE, 0xFF]) { return fromUTF16(bytes, low: 1, high: 0) }
        if isUTF8(bytes) { return bytes }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count + bytes.count / 8)
        for byte in bytes {
            if byte < 0x80 {
                out.append(byte)
            } else {
                let value =
                    charset == .latin9 ? latin9[byte] ?? UInt32(byte) : windows1252(byte)
                append(value, to: &out)
            }
        }
        return out
    }

    /// ASCII's letters as capitals, all else as it is.
    static func capitals(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { $0 >= 0x61 && $0 <= 0x7A ? $0 & 0xDF : $0 }
    }

    /// Whether only a charset that is unknown here could tell what the bytes mean.
    static func isForeign(_ bytes: [UInt8], charset: Charset) -> Bool {
        charset == .other && !bytes.starts(with: [0xFF, 0xFE]) && !bytes.starts(with: [0xFE, 0xFF])
            && !isUTF8(bytes)
    }

    /// Whether it says by its beginning or by all of it that it is Unicode's.
    static func isUnicode(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || isUTF8(bytes)
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        // The end of a sample may cut a character: no concern for files, which are read whole.
        bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
    }

    private static func fromUTF16(_ bytes: [UInt8], low: Int, high: Int) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var at = 2
        while at + 1 < bytes.count {
            units.append(UInt16(bytes[at + high]) << 8 | UInt16(bytes[at + low]))
            at += 2
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// Appends a scalar below 0x10000 that is no surrogate.
    private static func append(_ value: UInt32, to out: inout [UInt8]) {
        if value < 0x800 {
            out.append(0xC0 | UInt8(value >> 6))
        } else {
            out.append(0xE0 | UInt8(value >> 12))
            out.append(0x80 | UInt8(value >> 6 & 0x3F))
        }
        out.append(0x80 | UInt8(value & 0x3F))
    }

    private static func windows1252(_ byte: UInt8) -> UInt32 {
        byte < 0xA0 ? high1252[Int(byte - 0x80)] : UInt32(byte)
    }

    /// 0x80 to 0x9F; what is not assigned stays a control character, and is dropped later.
    private static let high1252: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]

    private static let latin9: [UInt8: UInt32] = [
        0xA4: 0x20AC, 0xA6: 0x0160, 0xA8: 0x0161, 0xB4: 0x017D,
        0xB8: 0x017E, 0xBC: 0x0152, 0xBD: 0x0153, 0xBE: 0x0178,
    ]

    /// One line of at most so many scalars, cut between characters; nil when nothing is left.
    ///
    /// Runs of white space become one space, control characters vanish.
    static func line(_ text: String, scalarsMax: Int) -> String? {
        if text.utf8.count <= scalarsMax, isLine(text.utf8) { return text.isEmpty ? nil : text }
        var out = String.UnicodeScalarView()
        var isSpaceDue = false
        var count = 0
        for scalar in text.unicodeScalars {
            if isSpace(scalar) {
                isSpaceDue = count > 0
            } else if !isControl(scalar) {
                if isSpaceDue { out.append(" ") }
                out.append(scalar)
                count += isSpaceDue ? 2 : 1
                isSpaceDue = false
                // A few more, so that the cut can see where the last character ends.
                if count > scalarsMax + 64 { break }
            }
        }
        if count == 0 { return nil }
        return count <= scalarsMax ? String(out) : cut(String(out), scalarsMax: scalarsMax)
    }

    /// Whether it is one line of ASCII as it is, as most are.
    private static func isLine(_ text: String.UTF8View) -> Bool {
        var isAfterSpace = true
        for byte in text {
            guard byte >= 0x20, byte < 0x7F, byte != 0x20 || !isAfterSpace else { return false }
            isAfterSpace = byte == 0x20
        }
        return text.isEmpty || !isAfterSpace
    }

    private static func cut(_ text: String, scalarsMax: Int) -> String {
        var count = 0
        var end = text.startIndex
        for index in text.indices {
            count += text[index].unicodeScalars.count
            if count > scalarsMax { break }
            end = text.index(after: index)
        }
        // One character of more marks than a name may have scalars is cut inside.
        if end == text.startIndex {
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: text.unicodeScalars.prefix(scalarsMax))
            return String(scalars)
        }
        var kept = text[..<end]
        if kept.last == " " && kept.count > 1 { kept.removeLast() }
        return String(kept)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x80
            ? scalar == " " || (scalar.value >= 0x09 && scalar.value <= 0x0D)
            : scalar.properties.isWhitespace
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (scalar.value >= 0x7F && scalar.value < 0xA0) || scalar.turnsText
    }

    /// A value as a fault quotes it.
    static func quoted(_ text: String) -> String {
        "«\(line(text, scalarsMax: 40) ?? "")»"
    }
}
