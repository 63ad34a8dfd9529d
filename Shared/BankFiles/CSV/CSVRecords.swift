/// One record of a CSV file.
struct CSVRecord: Hashable {
    /// Where it begins in the file, from 1.
    let line: Int
    /// Unquoted; of each at most `StatementLimits.valueBytesMax` bytes.
    let fields: [String]

    /// Whether nothing is in it: an empty line, or nothing but delimiters.
    var isBlank: Bool { fields.allSatisfy { $0.utf8.allSatisfy { $0 <= 0x20 } } }
}

/// The records of a CSV file, one after the other, as RFC 4180 has them.
///
/// LF, CRLF and CR end a record. A quote inside an unquoted field is itself, and so is what
/// stands between a closing quote and the delimiter.
struct CSVRecords {
    /// What may stand between fields: a comma, a semicolon, a tabulator, a bar.
    static let delimiters: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]
    static let fieldsMax = 256

    private let bytes: [UInt8]
    private let delimiter: UInt8
    private var at = 0
    private var line = 1

    /// Records of UTF-8 text.
    init(_ bytes: [UInt8], delimiter: UInt8) {
        self.bytes = bytes
        self.delimiter = delimiter
    }

    /// The next record; nil at the end.
    /// - Throws: `.unreadable`, for a quote that is never closed and a record of too many fields.
    mutating func next() throws(UnreadableStatement) -> CSVRecord? {
        guard at < bytes.count else { return nil }
        let start = line
        var fields: [String] = []
        while true {
            fields.append(try field())
            guard fields.count <= CSVRecords.fieldsMax else {
                throw .unreadable(line: start, detail: "a record has more than 256 fields")
            }
            guard at < bytes.count, bytes[at] == delimiter else { break }
            at += 1
        }
        if at < bytes.count { endLine() }
        return CSVRecord(line: start, fields: fields)
    }

    /// The field here, up to the delimiter or the end of the line.
    private mutating func field() throws(UnreadableStatement) -> String {
        var index = at
        while index < bytes.count, bytes[index] == 0x20 { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            let start = at
            while at < bytes.count, !isEnd(bytes[at]) { at += 1 }
            let kept = bytes[start..<min(at, start + StatementLimits.valueBytesMax)]
            return String(decoding: kept, as: UTF8.self)
        }
        let start = line
        at = index + 1
        var out: [UInt8] = []
        while true {
            guard at < bytes.count else {
                throw .unreadable(line: start, detail: "a quote is not closed")
            }
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                at += 1
                guard at < bytes.count, bytes[at] == byte else { break }
                keep(byte, in: &out)
                at += 1
            } else if byte == 0x0A || byte == 0x0D {
                endLine()
                keep(0x0A, in: &out)
            } else {
                keep(byte, in: &out)
                at += 1
            }
        }
        while at < bytes.count, !isEnd(bytes[at]) {
            keep(bytes[at], in: &out)
            at += 1
        }
        return String(decoding: out, as: UTF8.self)
    }

    private func keep(_ byte: UInt8, in out: inout [UInt8]) {
        if out.count < StatementLimits.valueBytesMax { out.append(byte) }
    }

    private func isEnd(_ byte: UInt8) -> Bool { byte == delimiter || byte == 0x0A || byte == 0x0D }

    /// Steps over an LF, a CRLF or a CR.
    private mutating func endLine() {
        let isPair = bytes[at] == 0x0D && at + 1 < bytes.count && bytes[at + 1] == 0x0A
        at += isPair ? 2 : 1
        line += 1
    }
}
