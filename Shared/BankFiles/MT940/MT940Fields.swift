import Text

/// One field of an MT940 message: `:61:` and the lines that belong to it.
struct MT940Field: Hashable {
    /// `61`, `60F`, `NS`.
    let tag: String
    /// Without the tag; the first may be empty, none else is.
    var lines: [String]
    /// Where it begins in the file, from 1.
    let line: Int

    /// The tag of a message's end.
    static let end = "-"
}

/// The fields of a file, one after the other: SWIFT's envelopes and banks' own header lines are
/// skipped.
struct MT940Fields {
    private let bytes: [UInt8]
    private var at = 0
    private var line = 0
    private var pending: MT940Field?
    /// Whether lines without a tag belong to the last field.
    private var isInside = false
    private var tail: [UInt8]?

    static let linesMax = 200

    /// Fields of UTF-8 text.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether some bytes look like such a file: a first field, and what comes with it.
    static func areLikely(in sample: [UInt8]) -> Bool {
        var fields = MT940Fields(sample)
        var tags: [String] = []
        while tags.count < 3, let field = fields.next() { tags.append(field.tag) }
        guard let first = tags.first else { return false }
        // Other formats have lines that begin so by chance: two known fields, or the first alone.
        return ["20", "25", "60F", "60M", "61"].contains(first)
            && (tags.count > 1 || first != "25")
    }

    /// The next field; nil at the end.
    mutating func next() -> MT940Field? {
        while let text = nextLine() {
            if let (tag, rest) = tag(of: text) {
                let done = pending
                pending = MT940Field(tag: tag, lines: [string(rest)], line: line)
                isInside = true
                if let done { return done }
            } else if isEnd(text) {
                guard isInside, let done = pending else { continue }
                isInside = false
                pending = MT940Field(tag: MT940Field.end, lines: [], line: line)
                return done
            } else if isInside, !text.allSatisfy({ $0 <= 0x20 }) {
                if let count = pending?.lines.count, count < MT940Fields.linesMax {
                    let text = string(text)
                    pending?.lines.append(text)
                }
            }
        }
        let done = pending
        pending = nil
        return done
    }

    private func string(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix(StatementLimits.valueBytesMax), as: UTF8.self)
    }

    /// A line without its end, and without what stands before a message's text in an envelope.
    private mutating func nextLine() -> ArraySlice<UInt8>? {
        guard at < bytes.count else { return nil }
        line += 1
        let start = at
        while at < bytes.count, bytes[at] != 0x0A, bytes[at] != 0x0D, !isAtSigns(at) { at += 1 }
        let end = at
        if at < bytes.count {
            if bytes[at] == UInt8(ascii: "@") {
                at += 2
            } else {
                at += bytes[at] == 0x0D && at + 1 < bytes.count && bytes[at + 1] == 0x0A ? 2 : 1
            }
        }
        var text = bytes[start..<end]
        // Messages that were sent by other ways begin with a control character.
        while let first = text.first, first < 0x20, first != 0x09 { text.removeFirst() }
        if let head = text.range(of: "{4:"), text.first == UInt8(ascii: "{") || isEnd(text) {
            isInside = false
            text = text[head.upperBound...]
        }
        return text
    }

    /// FinTS ends lines with two of these, before a tag or at the end.
    private func isAtSigns(_ index: Int) -> Bool {
        guard bytes[index] == UInt8(ascii: "@"), index + 1 < bytes.count,
            bytes[index + 1] == UInt8(ascii: "@")
        else { return false }
        let next = index + 2
        return next == bytes.count || bytes[next] == UInt8(ascii: ":")
            || bytes[next] == UInt8(ascii: "-")
    }

    /// `-`, `-}` and what follows, `-` and a control character, `-XXX`, spaces before it.
    private func isEnd(_ text: ArraySlice<UInt8>) -> Bool {
        let text = text.drop { $0 == 0x20 }
        guard text.first == UInt8(ascii: "-") else { return false }
        let rest = text.dropFirst()
        return rest.first == UInt8(ascii: "}") || rest.allSatisfy { $0 <= 0x20 }
            || rest.elementsEqual("XXX".utf8)
    }

    /// The known tag that a line begins with, and the rest of the line.
    ///
    /// What looks like another tag is part of a text, such as `:12:11` of a broken time of day.
    private func tag(of text: ArraySlice<UInt8>) -> (String, ArraySlice<UInt8>)? {
        guard text.first == UInt8(ascii: ":"),
            let end = text.dropFirst().prefix(5).firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let tag = String(decoding: text[(text.startIndex + 1)..<end], as: UTF8.self)
        guard MT940Fields.tags.contains(tag) else { return nil }
        // Within an entry these stand for nothing but a text that was broken.
        if pending?.tag == "86", tag == "13" || tag == "21" || tag == "28" { return nil }
        return (tag, text[(end + 1)...])
    }

    private static let tags: Set<String> = [
        "13", "13C", "13D", "20", "21", "25", "25P", "28", "28C", "34F", "60", "60F", "60M", "61",
        "62", "62F", "62M", "64", "64F", "64M", "65", "65F", "65M", "86", "90", "90C", "90D", "NS",
    ]
}
