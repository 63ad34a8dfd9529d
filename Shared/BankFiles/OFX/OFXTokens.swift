/// The tags and texts of an OFX file, SGML and XML alike, one after the other.
///
/// No DTD and so no entities but the predefined ones; each byte is looked at a fixed number of
/// times, and nothing nests here.
struct OFXTokens {
    /// A tag or a text.
    enum Token: Hashable {
        /// `<NAME>`; in capitals.
        case open(String)
        /// `</NAME>`.
        case close(String)
        /// `<NAME/>`.
        case empty(String)
        /// Between tags: entities decoded, at most `StatementLimits.valueBytesMax` bytes.
        case text(String)
    }

    private let bytes: [UInt8]
    private var at: Int
    /// Where the scan stands, from 1.
    private(set) var line = 1
    /// Where the last token began.
    private(set) var tokenLine = 1

    static let nameBytesMax = 64
    static let tagBytesMax = 1_024

    /// Tokens of UTF-8 text from its first `<` on.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        at = 0
        advance(to: bytes.firstIndex(of: UInt8(ascii: "<")) ?? bytes.count)
    }

    /// The next tag or text that is not blank; nil at the end.
    /// - Throws: `.unreadable`, for a DTD and for a tag that is none or has no end.
    mutating func next() throws(UnreadableStatement) -> Token? {
        while at < bytes.count {
            tokenLine = line
            guard isMarkup(at) else {
                if let text = text() { return .text(text) }
                continue
            }
            switch bytes[at + 1] {
            case UInt8(ascii: "!"):
                if let text = try declaration() { return .text(text) }
            case UInt8(ascii: "?"):
                try skip(past: "?>", or: ">", within: 4_096, "a declaration has no end")
            case UInt8(ascii: "/"):
                return .close(try tag(from: at + 2))
            default:
                let name = try tag(from: at + 1)
                return bytes[at - 2] == UInt8(ascii: "/") ? .empty(name) : .open(name)
            }
        }
        return nil
    }

    /// Whether a tag, a comment or the like begins; any other `<` is text.
    private func isMarkup(_ index: Int) -> Bool {
        guard bytes[index] == UInt8(ascii: "<"), index + 1 < bytes.count else { return false }
        let byte = bytes[index + 1]
        return isLetter(byte) || "/!?".utf8.contains(byte)
    }

    private mutating func tag(from start: Int) throws(UnreadableStatement) -> String {
        var end = start
        while end < bytes.count, isLetter(bytes[end]) || "0123456789.-_:".utf8.contains(bytes[end])
        {
            end += 1
            guard end - start <= OFXTokens.nameBytesMax else {
                throw .unreadable(line: line, detail: "a tag has too long a name")
            }
        }
        var close = end
        while close < bytes.count, bytes[close] != UInt8(ascii: ">") {
            guard bytes[close] != UInt8(ascii: "<"), close - start <= OFXTokens.tagBytesMax else {
                throw .unreadable(line: line, detail: "a tag has no end")
            }
            close += 1
        }
        guard close < bytes.count else {
            throw .unreadable(line: line, detail: "a tag has no end")
        }
        // After the name come attributes, of which OFX has none, or the slash of an empty element.
        let next = bytes[end]
        guard end > start, next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || next <= 0x20
        else { throw .unreadable(line: line, detail: "this is no tag") }
        let name = bytes[start..<end].map { isLetter($0) ? $0 & 0xDF : $0 }
        advance(to: close + 1)
        return String(decoding: name, as: UTF8.self)
    }

    /// A comment, which is skipped, or CDATA; anything else, `<!DOCTYPE` above all, is refused.
    private mutating func declaration() throws(UnreadableStatement) -> String? {
        let rest = bytes[at...]
        if rest.starts(with: "<!--".utf8) {
            try skip(past: "-->", or: "-->", within: bytes.count, "a comment has no end")
            return nil
        }
        guard rest.starts(with: "<![CDATA[".utf8) else {
            throw .unreadable(line: line, detail: "a DOCTYPE or the like is not taken")
        }
        let start = at + 9
        try skip(past: "]]>", or: "]]>", within: bytes.count, "a CDATA section has no end")
        let end = min(at - 3, start + StatementLimits.valueBytesMax)
        return end > start ? String(decoding: bytes[start..<end], as: UTF8.self) : nil
    }

    private mutating func skip(
        past long: String,
        or short: String,
        within bytesMax: Int,
        _ complaint: String
    ) throws(UnreadableStatement) {
        let long = Array(long.utf8)
        let short = Array(short.utf8)
        var index = at + 2
        while index < bytes.count && index - at <= bytesMax {
            for mark in [long, short]
            where bytes[index] == mark[0] && bytes[index...].starts(with: mark) {
                advance(to: index + mark.count)
                return
            }
            index += 1
        }
        throw .unreadable(line: line, detail: complaint)
    }

    /// The text up to the next tag; nil when it is blank.
    private mutating func text() -> String? {
        var start = at
        var end = at + 1
        while end < bytes.count && !isMarkup(end) { end += 1 }
        let stop = end
        while start < end && bytes[start] <= 0x20 { start += 1 }
        advance(to: start)
        tokenLine = line
        defer { advance(to: stop) }
        while end > start && bytes[end - 1] <= 0x20 { end -= 1 }
        guard end > start else { return nil }
        let kept = bytes[start..<min(end, start + StatementLimits.valueBytesMax)]
        guard kept.contains(UInt8(ascii: "&")) else { return String(decoding: kept, as: UTF8.self) }
        return OFXTokens.decodingEntities(kept)
    }

    /// Counts the lines up to an index: LF, CRLF and CR end one.
    private mutating func advance(to index: Int) {
        while at < index {
            let byte = bytes[at]
            if byte == 0x0A || (byte == 0x0D && (at + 1 == bytes.count || bytes[at + 1] != 0x0A)) {
                line += 1
            }
            at += 1
        }
    }

    /// The text with the predefined and the numeric entities decoded; any other `&` is itself.
    static func decodingEntities(_ text: ArraySlice<UInt8>) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "&"),
                let end = text[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let scalar = entity(text[(index + 1)..<end])
            {
                out.append(contentsOf: String(Character(scalar)).utf8)
                index = end + 1
            } else {
                out.append(text[index])
                index += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func entity(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        switch String(decoding: name, as: UTF8.self).lowercased() {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case "nbsp": return " "
        case let number where number.hasPrefix("#x"):
            return UInt32(number.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
        case let number where number.hasPrefix("#"):
            return UInt32(number.dropFirst()).flatMap { Unicode.Scalar($0) }
        default: return nil
        }
    }
}
