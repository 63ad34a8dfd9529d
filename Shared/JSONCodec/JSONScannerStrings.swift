// Strings and names: where UTF-8, escapes and surrogates are checked.
extension JSONScanner {
    mutating func string(
        _ bytes: Span<UInt8>,
        _ kind: JSONNode.Kind
    ) throws(MalformedJSON) {
        at += 1
        let start = at
        var hasEscapes = false
        var hasNull = false
        while true {
            let byte = try peek(bytes)
            if byte == UInt8(ascii: "\"") { break }
            if byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\\") {
                at += 1
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                if try escape(bytes) == 0 { hasNull = true }
            } else if byte < 0x20 {
                throw fault(.controlCharacter)
            } else {
                try multibyte(bytes, byte)
            }
        }
        append(kind, from: start)
        if hasEscapes {
            nodes[nodes.count - 1].hasEscapes = true
            nodes[nodes.count - 1].hasNull = hasNull
        }
        at += 1
    }

    /// One scalar of two to four bytes, by the table of RFC 3629, section 4.
    private mutating func multibyte(
        _ bytes: Span<UInt8>,
        _ first: UInt8
    ) throws(MalformedJSON) {
        let count: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: count = 2
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: count = 3
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: count = 4
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: throw fault(.badUTF8)
        }
        guard at + count <= bytes.count, second.contains(bytes[at + 1]) else {
            throw fault(.badUTF8)
        }
        for offset in 2..<max(count, 2) where bytes[at + offset] & 0xC0 != 0x80 {
            throw fault(.badUTF8)
        }
        at += count
    }

    /// One escape; gives the scalar it stands for where that matters, which is U+0000 alone.
    private mutating func escape(_ bytes: Span<UInt8>) throws(MalformedJSON) -> UInt32 {
        at += 1
        switch try peek(bytes) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 1
            return 1
        case UInt8(ascii: "u"):
            at += 1
            let unit = try hexadecimal(bytes)
            if unit & 0xFC00 == 0xDC00 { throw fault(.unpairedSurrogate) }
            guard unit & 0xFC00 == 0xD800 else { return unit }
            guard at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"),
                bytes[at + 1] == UInt8(ascii: "u")
            else { throw fault(.unpairedSurrogate) }
            at += 2
            guard try hexadecimal(bytes) & 0xFC00 == 0xDC00 else {
                throw fault(.unpairedSurrogate)
            }
            return 1
        default: throw fault(.badEscape)
        }
    }

    private mutating func hexadecimal(_ bytes: Span<UInt8>) throws(MalformedJSON) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = hexadecimalValue(try peek(bytes)) else { throw fault(.badEscape) }
            unit = unit << 4 | UInt32(digit)
            at += 1
        }
        return unit
    }
}
